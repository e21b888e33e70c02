/**
 * What existing flows may declare and this server does not do yet: refused when a flow is saved, so that nothing is
 * silently left out. A name whose behaviour comes to exist is deleted here. Types are canonical names.
 */

/** Properties of the flow document. */
export const UNSUPPORTED_FLOW_PROPERTIES: ReadonlySet<string> = new Set([
  "afterExecution",
  "checks",
  "concurrency",
  "listeners",
  "pluginDefaults",
  "retry",
  "sla",
  "taskDefaults",
]);

/** Properties of the flow document that have no effect. */
export const IGNORED_FLOW_PROPERTIES: ReadonlySet<string> = new Set(["workerGroup"]);

/** Properties common to tasks. */
export const UNSUPPORTED_TASK_PROPERTIES: ReadonlySet<string> = new Set([
  "logToFile",
  "retry",
  "taskCache",
  "timeout",
]);

/** Properties common to tasks that have no effect. */
export const IGNORED_TASK_PROPERTIES: ReadonlySet<string> = new Set(["assets", "version", "workerGroup"]);

/** Properties of triggers. */
export const UNSUPPORTED_TRIGGER_PROPERTIES: ReadonlySet<string> = new Set([
  "allowConcurrent",
  "conditions",
  "inputs",
  "labels",
  "logLevel",
  "responseCode",
  "responseContentType",
  "returnOutputs",
  "stopAfter",
  "wait",
  "when",
]);

/** Properties of triggers that have no effect. */
export const IGNORED_TRIGGER_PROPERTIES: ReadonlySet<string> = new Set(["version", "workerGroup"]);

/** Types of inputs and outputs. */
export const UNSUPPORTED_INPUT_TYPES: ReadonlySet<string> = new Set(["SECRET"]);

/** Types of tasks, below `core.` where they begin with a dot. */
const TASK_TYPES = [
  ".flow.Sequential .flow.Parallel .flow.If .flow.Switch .flow.ForEach .flow.EachSequential .flow.EachParallel .flow.Dag",
  ".flow.AllowFailure .flow.Pause .flow.LoopUntil .flow.WaitFor .flow.WorkingDirectory .flow.Subflow .flow.ForEachItem",
  ".flow.Template .flow.Loop .flow.Sleep",
  ".log.PurgeLogs .log.Fetch .debug.Echo",
  ".execution.Fail .execution.Assert .execution.Exit .execution.Labels .execution.SetVariables .execution.UnsetVariables",
  ".execution.Count .execution.Resume .execution.PurgeExecutions",
  ".output.OutputValues .trigger.Toggle .templating.TemplatedTask .http.Request .http.Download",
  ".kv.Set .kv.Get .kv.Delete .kv.GetKeys .kv.PurgeKV .state.Set .state.Get .state.Delete",
  ".namespace.UploadFiles .namespace.DownloadFiles .namespace.DeleteFiles",
  ".storage.LocalFiles .storage.Write .storage.Concat .storage.Split .storage.Size .storage.Delete .storage.Reverse",
  ".storage.DeduplicateItems .storage.FilterItems .storage.PurgeCurrentExecutionFiles",
  ".tasks.flows.Sequential .tasks.flows.Parallel .tasks.flows.If .tasks.flows.Switch .tasks.flows.EachSequential",
  ".tasks.flows.EachParallel .tasks.flows.Dag .tasks.flows.AllowFailure .tasks.flows.Pause .tasks.flows.WorkingDirectory",
  ".tasks.flows.Subflow .tasks.flows.Flow .tasks.flows.ForEachItem .tasks.flows.Template .tasks.flows.WaitFor",
  ".tasks.debugs.Echo .tasks.executions.Fail .tasks.executions.Labels .tasks.executions.Counts .tasks.executions.Resume",
  ".tasks.storages.Concat .tasks.storages.Split .tasks.storages.Size .tasks.storages.Delete .tasks.storages.Reverse",
  ".tasks.states.Set .tasks.states.Get .tasks.states.Delete .tasks.scripts.Bash .tasks.scripts.Node .tasks.scripts.Python",
  "scripts.shell.Commands scripts.shell.Script scripts.python.Commands scripts.python.Script scripts.node.Commands",
  "scripts.node.Script fs.http.Request fs.http.Download",
];

/** Types of tasks. A type that the task catalog knows is never looked up here. */
export const UNSUPPORTED_TASK_TYPES: ReadonlySet<string> = new Set(typeNames(TASK_TYPES));

/** Types of triggers. */
export const UNSUPPORTED_TRIGGER_TYPES: ReadonlySet<string> = new Set(typeNames([
  ".trigger.Schedule .trigger.ScheduleOnDates .trigger.Flow .http.Trigger",
  ".models.triggers.types.Schedule .models.triggers.types.Flow",
]));

function typeNames(lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(" ")).map((name) => name.startsWith(".") ? `core${name}` : name);
}
