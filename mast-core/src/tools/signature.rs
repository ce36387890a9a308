//! `mast_signature`: declaration, documentation and the types a signature mentions.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::parts::{Cut, cut};
use super::subject::{Asked, Subject, declarations};
use super::{Contract, Coverage, Freshness, Output, Tool};
use crate::engine::Engine;
use crate::error::Result;
use crate::graph::{Declaration, Sources, signature};
use crate::task::CallContext;

/// The tool.
#[derive(Debug)]
pub struct Signature;

/// Arguments of `mast_signature`.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SignatureInput {
    /// A name, alone or qualified: "handleLogin", "AuthService", "AuthService.login".
    #[schemars(extend("x-required" = true), length(min = 1))]
    pub symbol: String,
    /// Only declarations in this file.
    pub file_path: Option<String>,
    /// Most results to return.
    #[schemars(range(min = 1, max = 500))]
    pub limit: u32,
}

impl Default for SignatureInput {
    fn default() -> Self {
        Self { symbol: String::new(), file_path: None, limit: 50 }
    }
}

/// Answer of `mast_signature`.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub struct SignatureOutput {
    /// One entry a declaration.
    pub results: Vec<SignatureResult>,
    /// Declarations there are, when not all are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_truncated: Option<u64>,
    /// What the name was found to mean.
    #[serde(flatten)]
    pub subject: Subject,
}

/// One declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SignatureResult {
    /// Qualified name.
    pub symbol: String,
    /// function, method, class, interface, type, enum, const or namespace.
    pub kind: String,
    /// Path relative to the project root.
    pub file_path: String,
    /// 1-based line of the declaration.
    pub line: u32,
    /// The declaration up to its body, overloads included; the whole of an interface, type alias or enum.
    pub signature: String,
    /// Text of the documentation comment.
    pub doc: Option<String>,
    /// Parameters in order.
    pub params: Vec<SignatureParam>,
    /// The return type as written.
    pub return_type: Option<String>,
    /// Declarations of the project's types that the signature mentions.
    pub type_context: Vec<TypeContext>,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SignatureParam {
    /// Name, or the pattern of a destructured parameter.
    pub name: String,
    /// Type as written.
    #[serde(rename = "type")]
    pub type_annotation: Option<String>,
    /// May be left out.
    pub optional: bool,
    /// Takes all further arguments.
    pub rest: bool,
    /// Default value as written.
    pub default: Option<String>,
}

/// A type that a signature mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TypeContext {
    /// The name as the signature spells it.
    pub name: String,
    /// File of its declaration, relative to the project root.
    pub file_path: String,
    /// 1-based line of its declaration.
    pub line: u32,
    /// Its declaration.
    pub signature: String,
    /// Whether the declaration was clipped at 50 lines or 500 characters.
    pub truncated: bool,
}

impl Contract for Signature {
    const NAME: &'static str = "mast_signature";
    const TITLE: &'static str = "Signature of a symbol";
    const DESCRIPTION: &'static str = "\
Look up how to call or use a symbol: its declaration, documentation, parameters and return type, with the \
declarations of the project's own types it mentions, in one call. Takes a name (\"handleLogin\") or a qualified name \
(\"AuthService.login\"); file_path picks one of several.";
    const FRESHNESS: Freshness = Freshness::Refresh;
    const COVERAGE: Coverage = Coverage::Set;
    const USES_EDGES: bool = true;
    type Input = SignatureInput;
    type Output = SignatureOutput;

    fn nothing(_: &Self::Input) -> Option<Self::Output> {
        Some(SignatureOutput::default())
    }
}

impl Tool for Signature {
    fn run(engine: &Engine, input: &SignatureInput, _: &CallContext<'_>) -> Result<SignatureOutput> {
        let snapshot = engine.snapshot()?;
        let mut sources = Sources::new(&snapshot);
        let Asked { subject, targets, .. } =
            declarations(engine, &mut sources, &input.symbol, input.file_path.as_deref())?;
        let targets = Cut::at(input.limit as usize, targets);
        let mut output =
            SignatureOutput { subject, results_truncated: targets.truncated, ..SignatureOutput::default() };
        for target in &targets.shown {
            let found = signature::signature(&mut sources, target)?;
            output.results.push(SignatureResult::new(target, found));
        }
        Ok(output)
    }
}

impl SignatureResult {
    fn new(declaration: &Declaration, found: signature::Signature) -> Self {
        let symbol = &declaration.symbol;
        Self {
            symbol: symbol.qualified_name(),
            kind: symbol.kind.as_str().to_owned(),
            file_path: declaration.path.to_string(),
            line: symbol.lines.start,
            signature: found.text,
            doc: found.doc,
            params: found.parameters.into_iter().map(SignatureParam::from).collect(),
            return_type: found.return_type,
            type_context: found.types.into_iter().map(TypeContext::from).collect(),
        }
    }
}

impl From<signature::Parameter> for SignatureParam {
    fn from(found: signature::Parameter) -> Self {
        let signature::Parameter { name, type_annotation, is_optional: optional, is_rest: rest, default } =
            found;
        Self { name, type_annotation, optional, rest, default }
    }
}

impl From<signature::TypeText> for TypeContext {
    fn from(found: signature::TypeText) -> Self {
        let signature::TypeText { name, path, line, text: signature, is_clipped: truncated } = found;
        Self { name, file_path: path.to_string(), line, signature, truncated }
    }
}

impl Output for SignatureOutput {
    fn files(&self) -> Vec<&str> {
        let of = |r: &'_ SignatureResult| r.type_context.len() + 1;
        let mut files = Vec::with_capacity(self.results.iter().map(of).sum());
        for result in &self.results {
            files.push(result.file_path.as_str());
            files.extend(result.type_context.iter().map(|t| t.file_path.as_str()));
        }
        files.extend(self.subject.file());
        files
    }

    fn is_empty(&self) -> bool {
        self.results.is_empty()
    }

    fn shorten(&mut self, share: super::Share) -> bool {
        cut(&mut self.results, &mut self.results_truncated, share)
    }
}

impl Display for SignatureOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.subject)?;
        for (at, result) in self.results.iter().enumerate() {
            if at > 0 {
                writeln!(f)?;
            }
            write!(f, "{result}")?;
        }
        if let Some(total) = self.results_truncated {
            writeln!(f, "\n{} of {total} declarations shown", self.results.len())?;
        }
        Ok(())
    }
}

impl Display for SignatureResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}:{}  {}  {}", self.file_path, self.line, self.symbol, self.kind)?;
        for line in self.doc.iter().flat_map(|doc| doc.lines()) {
            writeln!(f, "  // {line}")?;
        }
        for line in self.signature.lines() {
            writeln!(f, "  {line}")?;
        }
        for context in &self.type_context {
            let clipped = if context.truncated { " (clipped)" } else { "" };
            writeln!(f, "  with {} from {}:{}{clipped}", context.name, context.file_path, context.line)?;
            for line in context.signature.lines() {
                writeln!(f, "    {line}")?;
            }
        }
        Ok(())
    }
}
