//! Node kinds and field names of the three grammars as small enums, so that the walk compares numbers, not text.

use std::collections::HashMap;
use std::sync::OnceLock;

use tree_sitter::{Language as TreeLanguage, Node};

macro_rules! vocabulary {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(super) enum $name {
            $($variant,)*
            Other,
        }

        impl $name {
            fn words() -> HashMap<&'static str, Self> {
                HashMap::from([$(($text, Self::$variant),)*])
            }
        }
    };
}

vocabulary! {
    /// Kind of a named node.
    Kind {
        AbstractClassDeclaration = "abstract_class_declaration",
        AbstractMethodSignature = "abstract_method_signature",
        AccessibilityModifier = "accessibility_modifier",
        AmbientDeclaration = "ambient_declaration",
        Arguments = "arguments",
        Array = "array",
        ArrayPattern = "array_pattern",
        ArrayType = "array_type",
        ArrowFunction = "arrow_function",
        AsExpression = "as_expression",
        Asserts = "asserts",
        AssertsAnnotation = "asserts_annotation",
        AssignmentExpression = "assignment_expression",
        AssignmentPattern = "assignment_pattern",
        AugmentedAssignment = "augmented_assignment_expression",
        Await = "await_expression",
        Binary = "binary_expression",
        Call = "call_expression",
        CallSignature = "call_signature",
        CatchClause = "catch_clause",
        Class = "class",
        ClassBody = "class_body",
        ClassDeclaration = "class_declaration",
        ClassHeritage = "class_heritage",
        ClassStaticBlock = "class_static_block",
        Comment = "comment",
        ComputedPropertyName = "computed_property_name",
        ConditionalType = "conditional_type",
        Constraint = "constraint",
        ConstructSignature = "construct_signature",
        ConstructorType = "constructor_type",
        Decorator = "decorator",
        DefaultType = "default_type",
        DoStatement = "do_statement",
        EnumAssignment = "enum_assignment",
        EnumBody = "enum_body",
        EnumDeclaration = "enum_declaration",
        Error = "ERROR",
        ExportClause = "export_clause",
        ExportStatement = "export_statement",
        ExpressionStatement = "expression_statement",
        ExtendsClause = "extends_clause",
        ExtendsTypeClause = "extends_type_clause",
        False = "false",
        FieldDefinition = "field_definition",
        ForInStatement = "for_in_statement",
        ForStatement = "for_statement",
        FormalParameters = "formal_parameters",
        FunctionDeclaration = "function_declaration",
        FunctionExpression = "function_expression",
        FunctionSignature = "function_signature",
        FunctionType = "function_type",
        GeneratorFunction = "generator_function",
        GeneratorFunctionDeclaration = "generator_function_declaration",
        GenericType = "generic_type",
        Identifier = "identifier",
        IfStatement = "if_statement",
        ImplementsClause = "implements_clause",
        Import = "import",
        ImportAlias = "import_alias",
        ImportStatement = "import_statement",
        IndexSignature = "index_signature",
        IndexTypeQuery = "index_type_query",
        InferType = "infer_type",
        InstantiationExpression = "instantiation_expression",
        InterfaceBody = "interface_body",
        InterfaceDeclaration = "interface_declaration",
        InternalModule = "internal_module",
        IntersectionType = "intersection_type",
        JsxAttribute = "jsx_attribute",
        JsxExpression = "jsx_expression",
        JsxNamespaceName = "jsx_namespace_name",
        JsxOpeningElement = "jsx_opening_element",
        JsxClosingElement = "jsx_closing_element",
        JsxSelfClosingElement = "jsx_self_closing_element",
        JsxText = "jsx_text",
        LexicalDeclaration = "lexical_declaration",
        LiteralType = "literal_type",
        LookupType = "lookup_type",
        MappedTypeClause = "mapped_type_clause",
        Member = "member_expression",
        MetaProperty = "meta_property",
        MethodDefinition = "method_definition",
        MethodSignature = "method_signature",
        Module = "module",
        NestedIdentifier = "nested_identifier",
        NestedTypeIdentifier = "nested_type_identifier",
        New = "new_expression",
        NonNull = "non_null_expression",
        Null = "null",
        Number = "number",
        Object = "object",
        ObjectAssignmentPattern = "object_assignment_pattern",
        ObjectPattern = "object_pattern",
        ObjectType = "object_type",
        OptionalChain = "optional_chain",
        OptionalParameter = "optional_parameter",
        OptionalType = "optional_type",
        Pair = "pair",
        PairPattern = "pair_pattern",
        Parenthesized = "parenthesized_expression",
        ParenthesizedType = "parenthesized_type",
        PredefinedType = "predefined_type",
        PrivatePropertyIdentifier = "private_property_identifier",
        Program = "program",
        PropertyIdentifier = "property_identifier",
        PropertySignature = "property_signature",
        PublicFieldDefinition = "public_field_definition",
        ReadonlyType = "readonly_type",
        Regex = "regex",
        RequiredParameter = "required_parameter",
        RestPattern = "rest_pattern",
        RestType = "rest_type",
        Return = "return_statement",
        Satisfies = "satisfies_expression",
        Sequence = "sequence_expression",
        ShorthandProperty = "shorthand_property_identifier",
        ShorthandPropertyPattern = "shorthand_property_identifier_pattern",
        SpreadElement = "spread_element",
        StatementBlock = "statement_block",
        String = "string",
        StringFragment = "string_fragment",
        EscapeSequence = "escape_sequence",
        Subscript = "subscript_expression",
        Super = "super",
        SwitchBody = "switch_body",
        SwitchStatement = "switch_statement",
        TemplateString = "template_string",
        Ternary = "ternary_expression",
        This = "this",
        ThisType = "this_type",
        True = "true",
        TupleType = "tuple_type",
        TypeAliasDeclaration = "type_alias_declaration",
        TypeAnnotation = "type_annotation",
        TypeArguments = "type_arguments",
        TypeAssertion = "type_assertion",
        TypeIdentifier = "type_identifier",
        TypeParameter = "type_parameter",
        TypeParameters = "type_parameters",
        TypePredicate = "type_predicate",
        TypePredicateAnnotation = "type_predicate_annotation",
        TypeQuery = "type_query",
        Unary = "unary_expression",
        Undefined = "undefined",
        UnionType = "union_type",
        Update = "update_expression",
        UsingDeclaration = "using_declaration",
        VariableDeclaration = "variable_declaration",
        VariableDeclarator = "variable_declarator",
        WhileStatement = "while_statement",
        Yield = "yield_expression",
    }
}

vocabulary! {
    /// An unnamed token that changes what its parent means.
    Token {
        Abstract = "abstract",
        And = "&&",
        Async = "async",
        Await = "await",
        Bang = "!",
        Const = "const",
        Default = "default",
        Equal = "==",
        Equals = "=",
        Get = "get",
        Global = "global",
        Greater = ">",
        GreaterEqual = ">=",
        Identical = "===",
        In = "in",
        InstanceOf = "instanceof",
        Less = "<",
        LessEqual = "<=",
        Minus = "-",
        NotEqual = "!=",
        NotIdentical = "!==",
        Nullish = "??",
        Of = "of",
        Or = "||",
        Plus = "+",
        Question = "?",
        Set = "set",
        Star = "*",
        Static = "static",
        Tilde = "~",
        TypeOf = "typeof",
        Using = "using",
        Var = "var",
        Void = "void",
        New = "new",
    }
}

vocabulary! {
    /// Name of a child's field.
    Field {
        Alias = "alias",
        Alternative = "alternative",
        Arguments = "arguments",
        Body = "body",
        Condition = "condition",
        Consequence = "consequence",
        Constructor = "constructor",
        Constraint = "constraint",
        Declaration = "declaration",
        Decorator = "decorator",
        Function = "function",
        Index = "index",
        Initializer = "initializer",
        Key = "key",
        KindOf = "kind",
        Left = "left",
        Module = "module",
        Name = "name",
        Object = "object",
        Operator = "operator",
        Parameter = "parameter",
        Parameters = "parameters",
        Pattern = "pattern",
        Property = "property",
        ReturnType = "return_type",
        Right = "right",
        Source = "source",
        Type = "type",
        TypeArguments = "type_arguments",
        TypeParameters = "type_parameters",
        Value = "value",
    }
}

/// The numbers of one grammar.
#[derive(Debug)]
pub(super) struct Grammar {
    kinds: Vec<Kind>,
    tokens: Vec<Token>,
    fields: Vec<Field>,
}

impl Grammar {
    /// The numbers of the grammar a tree was parsed with (a JavaScript file may have been parsed with another's).
    pub(super) fn of(language: &TreeLanguage) -> &'static Self {
        static TYPESCRIPT: OnceLock<Grammar> = OnceLock::new();
        static TSX: OnceLock<Grammar> = OnceLock::new();
        static JAVASCRIPT: OnceLock<Grammar> = OnceLock::new();
        let cell = if *language == TreeLanguage::from(tree_sitter_typescript::LANGUAGE_TYPESCRIPT) {
            &TYPESCRIPT
        } else if *language == TreeLanguage::from(tree_sitter_typescript::LANGUAGE_TSX) {
            &TSX
        } else {
            &JAVASCRIPT
        };
        cell.get_or_init(|| Self::new(language))
    }

    fn new(language: &TreeLanguage) -> Self {
        let (kinds, tokens, fields) = (Kind::words(), Token::words(), Field::words());
        let ids = || (0..=u16::MAX).take(language.node_kind_count());
        let text = |id| language.node_kind_for_id(id).unwrap_or("");
        Self {
            kinds: ids()
                .map(|id| match language.node_kind_is_named(id) {
                    true => kinds.get(text(id)).copied().unwrap_or(Kind::Other),
                    false => Kind::Other,
                })
                .collect(),
            tokens: ids()
                .map(|id| match language.node_kind_is_named(id) {
                    true => Token::Other,
                    false => tokens.get(text(id)).copied().unwrap_or(Token::Other),
                })
                .collect(),
            fields: (0..=u16::MAX)
                .take(language.field_count() + 1)
                .map(|id| language.field_name_for_id(id).and_then(|name| fields.get(name).copied()))
                .map(|field| field.unwrap_or(Field::Other))
                .collect(),
        }
    }

    /// The kind of a named node; [`Kind::Other`] for tokens.
    pub(super) fn kind(&self, node: Node<'_>) -> Kind {
        if node.is_error() {
            return Kind::Error;
        }
        self.kinds.get(usize::from(node.kind_id())).copied().unwrap_or(Kind::Other)
    }

    /// Which token an unnamed node is; [`Token::Other`] for named nodes.
    pub(super) fn token(&self, node: Node<'_>) -> Token {
        self.tokens.get(usize::from(node.kind_id())).copied().unwrap_or(Token::Other)
    }

    /// The field with this number.
    pub(super) fn field(&self, id: Option<std::num::NonZeroU16>) -> Field {
        id.and_then(|id| self.fields.get(usize::from(id.get())).copied()).unwrap_or(Field::Other)
    }
}
