//! The registry of tools as an MCP server: `tools/list` and `tools/call` over whatever `mast_core::tools` holds.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mast_core::tools::{self, ToolSpec};
use mast_core::{CallContext, Cancel, Engine, ErrorCode, Progress};
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, Implementation,
    JsonObject, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::Log;
use super::background::{Gate, tell_config_news};

/// What an assistant should know before it sees the tools. Clients cut at 2 KB.
const INSTRUCTIONS: &str = "\
MAST answers questions about this TypeScript, JavaScript and Markdown repository from an index: exact declarations \
instead of whole files.\n\
Use mast_search instead of grep or reading files to find code: by name or by words. mast_signature shows how to call \
something, mast_callers who calls it, mast_rename_impact every place a rename touches, mast_implementors the classes \
behind an interface, mast_exports and mast_dependencies the edges of one file, mast_project_skeleton what exists. For \
long Markdown files use mast_outline, then mast_section.\n\
Read the signals of an answer: verified_callers are proven, potential_matches only share the name. stale, \
unindexed_files, changed_files, index_building, pending_edge_repairs and *_truncated say what an answer may miss; \
mast_reindex repairs the index after files were created, renamed or deleted. An empty answer is no proof of absence \
in other languages or in files the configuration excludes (tests are, by default).";

/// Shortest time between two progress notifications of one call.
const PROGRESS_PAUSE: Duration = Duration::from_millis(100);

/// The server of one project.
#[derive(Debug, Clone)]
pub(super) struct Server {
    engine: Arc<Engine>,
    gate: Arc<Gate>,
    calls: Calls,
    log: Log,
}

/// The calls that are running.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls(Arc<Mutex<Running>>);

#[derive(Debug, Default)]
struct Running {
    next: u64,
    cancels: HashMap<u64, Cancel>,
}

impl Calls {
    /// Asks every running call to stop.
    pub(super) fn cancel_all(&self) {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.cancels.values().for_each(Cancel::cancel);
    }

    fn begin(&self) -> (u64, Cancel) {
        let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, cancel) = (running.next, Cancel::default());
        running.next += 1;
        running.cancels.insert(number, cancel.clone());
        (number, cancel)
    }

    fn end(&self, number: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).cancels.remove(&number);
    }
}

impl Server {
    /// A server over `engine` whose calls pass `gate`.
    pub(super) fn new(engine: Arc<Engine>, gate: Arc<Gate>, log: Log) -> Self {
        Self { engine, gate, calls: Calls::default(), log }
    }

    /// Its running calls.
    pub(super) fn calls(&self) -> Calls {
        self.calls.clone()
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("mast", env!("CARGO_PKG_VERSION")).with_title("MAST"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(DEFINITIONS.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        DEFINITIONS.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let spec =
            tools::find(&request.name).map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let started = Instant::now();
        let (number, cancel) = self.calls.begin();
        let (sender, forwarding) = forward_progress(&context);
        let call = {
            let (engine, gate, cancel, log) =
                (Arc::clone(&self.engine), Arc::clone(&self.gate), cancel.clone(), self.log);
            move || {
                gate.pass();
                let report = sender.map(|sender| throttled(sender, PROGRESS_PAUSE));
                let progress = report.as_ref().map(|report| report as &(dyn Fn(Progress) + Sync));
                let reply = engine.call(spec.name, arguments, &CallContext { cancel, progress });
                tell_config_news(&engine, log);
                reply
            }
        };
        let mut task = tokio::task::spawn_blocking(call);
        let joined = tokio::select! {
            joined = &mut task => Some(joined),
            () = context.ct.cancelled() => None,
        };
        self.calls.end(number);
        let Some(joined) = joined else {
            cancel.cancel();
            self.log.debug(format_args!("{} cancelled", spec.name));
            // The client has been promised that nothing more is sent for this request; the protocol layer drops it.
            return Err(ErrorData::internal_error("cancelled", None));
        };
        if let Some(forwarding) = forwarding {
            // Notifications of a call precede its result.
            let _ = forwarding.await;
        }
        self.log.debug(format_args!("{} {} ms", spec.name, started.elapsed().as_millis()));
        let answered = joined.map_err(|panic| {
            self.log.error(format_args!("{}: {panic}", spec.name));
            ErrorData::internal_error(format!("{}: a defect of MAST; please report it", spec.name), None)
        })?;
        Ok(match answered {
            Ok(reply) => {
                let structured = serde_json::from_str(&reply.json)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                let mut result = CallToolResult::structured(structured);
                result.content = vec![ContentBlock::text(reply.json)];
                result.into()
            }
            Err(error) => {
                if error.code() == ErrorCode::Internal {
                    self.log.error(format_args!("{}: {error}", spec.name));
                }
                CallToolResult::error(vec![ContentBlock::text(error.to_string())]).into()
            }
        })
    }
}

/// Every tool as the protocol describes it.
static DEFINITIONS: LazyLock<Vec<Tool>> = LazyLock::new(|| tools::TOOLS.iter().map(definition).collect());

fn definition(spec: &ToolSpec) -> Tool {
    let annotations = ToolAnnotations::new()
        .read_only(spec.is_read_only)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    Tool::new(spec.name, spec.description, schema(spec.input_schema()))
        .with_title(spec.title)
        .with_raw_output_schema(schema(spec.output_schema()))
        .with_annotations(annotations)
}

fn schema(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

type Forwarding = Option<tokio::task::JoinHandle<()>>;

/// Sends what arrives in the channel to a client that asked for progress.
fn forward_progress(context: &RequestContext<RoleServer>) -> (Option<UnboundedSender<Progress>>, Forwarding) {
    let Some(token) = context.meta.get_progress_token() else { return (None, None) };
    let (sender, mut receiver) = unbounded_channel::<Progress>();
    let peer = context.peer.clone();
    let forwarding = tokio::spawn(async move {
        let mut last = None;
        while let Some(Progress { done, total }) = receiver.recv().await {
            // The protocol wants every value above the one before.
            if last.is_some_and(|last| done <= last) {
                continue;
            }
            last = Some(done);
            let mut notification = ProgressNotificationParam::new(token.clone(), approximate(done));
            notification.total = Some(approximate(total));
            notification.message = Some(format!("{done} of {total} files"));
            if peer.notify_progress(notification).await.is_err() {
                return;
            }
        }
    });
    (Some(sender), Some(forwarding))
}

/// A callback that passes on the first report, the last one, and those between that come after a pause.
fn throttled(sender: UnboundedSender<Progress>, pause: Duration) -> impl Fn(Progress) + Sync {
    let last: Mutex<Option<Instant>> = Mutex::new(None);
    move |progress: Progress| {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if progress.done < progress.total && last.is_some_and(|at| at.elapsed() < pause) {
            return;
        }
        *last = Some(Instant::now());
        // Without a receiver the client is gone, and the call will hear of that another way.
        let _ = sender.send(progress);
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of files stay far below 2^52")]
fn approximate(count: u64) -> f64 {
    count as f64
}
