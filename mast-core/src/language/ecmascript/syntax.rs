//! Node kinds and fields of the three grammars, by number.
//!
//! Comparing kind names would cost a string comparison per node and candidate; the numbers differ between the
//! grammars, so each grammar gets a table from its numbers to one enum.

use std::sync::OnceLock;

use tree_sitter::Node;

use crate::language::parser::Grammar;

macro_rules! kinds {
    (named { $($named:ident = $named_text:literal,)* } tokens { $($token:ident = $token_text:literal,)* }) => {
        /// A kind of syntax node the extractor tells apart.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::language) enum Kind {
            $($named,)*
            $($token,)*
            /// Any other kind.
            Other,
        }

        fn kind_of(text: &str, is_named: bool) -> Kind {
            if is_named {
                match text { $($named_text => Kind::$named,)* _ => Kind::Other }
            } else {
                match text { $($token_text => Kind::$token,)* _ => Kind::Other }
            }
        }
    };
}

kinds! {
    named {
        Program = "program",
        Error = "ERROR",
        Comment = "comment",
        HtmlComment = "html_comment",
        Decorator = "decorator",
        ImportStatement = "import_statement",
        ImportClause = "import_clause",
        NamedImports = "named_imports",
        NamespaceImport = "namespace_import",
        ImportSpecifier = "import_specifier",
        ImportRequireClause = "import_require_clause",
        ImportAlias = "import_alias",
        ImportKeyword = "import",
        ExportStatement = "export_statement",
        ExportClause = "export_clause",
        ExportSpecifier = "export_specifier",
        NamespaceExport = "namespace_export",
        AmbientDeclaration = "ambient_declaration",
        FunctionDeclaration = "function_declaration",
        GeneratorDeclaration = "generator_function_declaration",
        FunctionSignature = "function_signature",
        FunctionExpression = "function_expression",
        GeneratorFunction = "generator_function",
        ArrowFunction = "arrow_function",
        ClassDeclaration = "class_declaration",
        AbstractClassDeclaration = "abstract_class_declaration",
        ClassExpression = "class",
        ClassHeritage = "class_heritage",
        ClassBody = "class_body",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        AbstractMethodSignature = "abstract_method_signature",
        FieldDefinition = "field_definition",
        PublicFieldDefinition = "public_field_definition",
        ClassStaticBlock = "class_static_block",
        AccessibilityModifier = "accessibility_modifier",
        InterfaceDeclaration = "interface_declaration",
        InterfaceBody = "interface_body",
        ObjectType = "object_type",
        PropertySignature = "property_signature",
        TypeAliasDeclaration = "type_alias_declaration",
        EnumDeclaration = "enum_declaration",
        Module = "module",
        InternalModule = "internal_module",
        StatementBlock = "statement_block",
        ExpressionStatement = "expression_statement",
        LexicalDeclaration = "lexical_declaration",
        VariableDeclaration = "variable_declaration",
        UsingDeclaration = "using_declaration",
        VariableDeclarator = "variable_declarator",
        AssignmentExpression = "assignment_expression",
        MemberExpression = "member_expression",
        CallExpression = "call_expression",
        Arguments = "arguments",
        AwaitExpression = "await_expression",
        ParenthesizedExpression = "parenthesized_expression",
        AsExpression = "as_expression",
        SatisfiesExpression = "satisfies_expression",
        NonNullExpression = "non_null_expression",
        TypeAssertion = "type_assertion",
        SequenceExpression = "sequence_expression",
        BinaryExpression = "binary_expression",
        Object = "object",
        Pair = "pair",
        ShorthandProperty = "shorthand_property_identifier",
        ShorthandPattern = "shorthand_property_identifier_pattern",
        ObjectPattern = "object_pattern",
        ArrayPattern = "array_pattern",
        PairPattern = "pair_pattern",
        ObjectAssignmentPattern = "object_assignment_pattern",
        AssignmentPattern = "assignment_pattern",
        RestPattern = "rest_pattern",
        FormalParameters = "formal_parameters",
        RequiredParameter = "required_parameter",
        OptionalParameter = "optional_parameter",
        Identifier = "identifier",
        PropertyIdentifier = "property_identifier",
        ComputedPropertyName = "computed_property_name",
        TypeIdentifier = "type_identifier",
        NestedTypeIdentifier = "nested_type_identifier",
        NestedIdentifier = "nested_identifier",
        This = "this",
        String = "string",
        TemplateString = "template_string",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        TypeParameter = "type_parameter",
        TypeQuery = "type_query",
        FunctionType = "function_type",
        ParenthesizedType = "parenthesized_type",
        PredefinedType = "predefined_type",
        ImplementsClause = "implements_clause",
        ExtendsTypeClause = "extends_type_clause",
        ExtendsClause = "extends_clause",
    }
    tokens {
        DefaultToken = "default",
        TypeToken = "type",
        TypeofToken = "typeof",
        StarToken = "*",
        EqualsToken = "=",
        AsToken = "as",
        GlobalToken = "global",
        StaticToken = "static",
        StaticGetToken = "static get",
        GetToken = "get",
        SetToken = "set",
        QuestionToken = "?",
    }
}

macro_rules! fields {
    ($($name:ident = $text:literal,)*) => {
        /// A field the extractor asks for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(in crate::language) enum Field { $($name,)* }

        const FIELD_NAMES: &[&str] = &[$($text,)*];
    };
}

fields! {
    Name = "name",
    Alias = "alias",
    Body = "body",
    Value = "value",
    Key = "key",
    Property = "property",
    Object = "object",
    Function = "function",
    Arguments = "arguments",
    Declaration = "declaration",
    Source = "source",
    Left = "left",
    Right = "right",
    Parameters = "parameters",
    Parameter = "parameter",
    Pattern = "pattern",
    Type = "type",
    ReturnType = "return_type",
    TypeParameters = "type_parameters",
}

/// The numbers of one grammar.
#[derive(Debug)]
pub(in crate::language) struct Syntax {
    kinds: Vec<Kind>,
    fields: Vec<u16>,
}

impl Syntax {
    /// The table of `grammar`, made at first use.
    pub(in crate::language) fn of(grammar: Grammar) -> &'static Self {
        static TABLES: [OnceLock<Syntax>; 3] = [const { OnceLock::new() }; 3];
        TABLES[grammar as usize].get_or_init(|| Self::build(&grammar.language()))
    }

    fn build(language: &tree_sitter::Language) -> Self {
        let count = u16::try_from(language.node_kind_count()).unwrap_or(u16::MAX);
        let kinds = (0..count)
            .map(|id| kind_of(language.node_kind_for_id(id).unwrap_or(""), language.node_kind_is_named(id)))
            .collect();
        let fields = FIELD_NAMES
            .iter()
            .map(|name| language.field_id_for_name(name).map_or(0, std::num::NonZero::get))
            .collect();
        Self { kinds, fields }
    }

    /// The kind of `node`.
    pub(in crate::language) fn kind(&self, node: Node<'_>) -> Kind {
        if node.is_error() {
            return Kind::Error;
        }
        self.kinds.get(node.kind_id() as usize).copied().unwrap_or(Kind::Other)
    }

    /// The child of `node` in `field`.
    pub(in crate::language) fn child<'t>(&self, node: Node<'t>, field: Field) -> Option<Node<'t>> {
        match self.fields[field as usize] {
            0 => None,
            // Error recovery makes up tokens without text; nothing can be read from them.
            id => node.child_by_field_id(id).filter(|child| !child.is_missing()),
        }
    }
}
