/** The templates that ship with the server. Their sources are files of their own, which a compiled server contains. */
import approval from "./templates/approval.yaml" with { type: "text" };
import executionsOverview from "./templates/executions_overview.yaml" with { type: "text" };
import fileBatches from "./templates/file_batches.yaml" with { type: "text" };
import helloWorld from "./templates/hello_world.yaml" with { type: "text" };
import hourlyReport from "./templates/hourly_report.yaml" with { type: "text" };
import namespaceFiles from "./templates/namespace_files.yaml" with { type: "text" };
import paginatedImport from "./templates/paginated_import.yaml" with { type: "text" };
import parallelWithAlert from "./templates/parallel_with_alert.yaml" with { type: "text" };
import processBatch from "./templates/process_batch.yaml" with { type: "text" };
import retryAndAlert from "./templates/retry_and_alert.yaml" with { type: "text" };
import scriptWithMetrics from "./templates/script_with_metrics.yaml" with { type: "text" };
import stateBetweenRuns from "./templates/state_between_runs.yaml" with { type: "text" };
import subflowForEach from "./templates/subflow_for_each.yaml" with { type: "text" };
import webhookEvents from "./templates/webhook_events.yaml" with { type: "text" };

/** What a template is a source of. The API knows `app`, too; there are no templates of it. */
export const BLUEPRINT_KINDS = ["flow", "dashboard", "app"] as const;

/** One of {@link BLUEPRINT_KINDS}. */
export type BlueprintKind = typeof BLUEPRINT_KINDS[number];

/** Names of tags by their ids. */
export const TAG_NAMES: ReadonlyMap<string, string> = new Map([
  ["getting-started", "Getting started"],
  ["api", "APIs and HTTP"],
  ["data", "Data pipelines"],
  ["control-flow", "Control flow"],
  ["error-handling", "Errors and alerts"],
  ["files", "Files"],
  ["monitoring", "Monitoring"],
  ["people", "Approvals"],
  ["scripts", "Scripts"],
  ["triggers", "Triggers"],
]);

/** A template as declared here; its id is that of the flow or dashboard. */
export interface Template {
  readonly id: string;
  readonly kind: BlueprintKind;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** Ids of {@link TAG_NAMES}. */
  readonly tags: readonly string[];
  readonly source: string;
}

/** All templates, in the order of lists without a sort. */
export const TEMPLATES: readonly Template[] = [
  {
    id: "hello-world",
    kind: "flow",
    title: "Hello world",
    description: "The smallest flow that is useful: an input, a rendered text, a log line and an output.",
    tags: ["getting-started"],
    source: helloWorld,
  },
  {
    id: "paginated-import",
    kind: "flow",
    title: "Import all pages of an API",
    description:
      "Asks an API how many pages it has, reads four pages at a time, joins them to one file and keeps the " +
      "items that pass a filter. Change the condition of `keep_paid` to what your items need.",
    tags: ["data", "api", "control-flow"],
    source: paginatedImport,
  },
  {
    id: "parallel-with-alert",
    kind: "flow",
    title: "Checks in parallel, with an alert",
    description:
      "Runs tasks at the same time. When one fails, `errors` sends a message to a chat; `finally` cleans up in " +
      "any case.",
    tags: ["control-flow", "error-handling", "monitoring"],
    source: parallelWithAlert,
  },
  {
    id: "approval",
    kind: "flow",
    title: "Approval by a person",
    description:
      "Pauses until a person resumes the execution with a decision and a reason, then takes one of two ways. A " +
      "paused execution costs nothing, however long it waits.",
    tags: ["people", "control-flow"],
    source: approval,
  },
  {
    id: "hourly-report",
    kind: "flow",
    title: "Hourly schedule with backfill",
    description:
      "A schedule that works on the hour before its date, so that a backfill of past dates gives the same " +
      "results as the runs on time.",
    tags: ["triggers", "data"],
    source: hourlyReport,
  },
  {
    id: "webhook-events",
    kind: "flow",
    title: "Events from a webhook",
    description:
      "Takes events of another system and does what their type says. The key of the webhook is the secret " +
      "`WEBHOOK_KEY` of the namespace: set it before you save the flow's address elsewhere.",
    tags: ["triggers", "api", "control-flow"],
    source: webhookEvents,
  },
  {
    id: "subflow-for-each",
    kind: "flow",
    title: "A subflow for each item of a list",
    description:
      "Starts another flow for each item, three at a time, waits for all and collects their outputs. It starts " +
      "the flow of the template `hello-world`: save that one, too.",
    tags: ["control-flow"],
    source: subflowForEach,
  },
  {
    id: "file-batches",
    kind: "flow",
    title: "Batches of a file",
    description:
      "Splits a large file into batches of 100 lines and starts a flow for each. It starts the flow of the " +
      "template `process-batch`: save that one, too.",
    tags: ["files", "data", "control-flow"],
    source: fileBatches,
  },
  {
    id: "process-batch",
    kind: "flow",
    title: "Process a batch",
    description: "Takes a file and a number, as `file-batches` gives them. Put the work on a batch here.",
    tags: ["files", "data"],
    source: processBatch,
  },
  {
    id: "script-with-metrics",
    kind: "flow",
    title: "Script with outputs and metrics",
    description:
      "A shell script that gives back values, metrics and a file. An input reaches it as an environment " +
      "variable, so its text is never read as code. Scripts must be enabled on the server.",
    tags: ["scripts", "getting-started"],
    source: scriptWithMetrics,
  },
  {
    id: "state-between-runs",
    kind: "flow",
    title: "State between runs",
    description: "Keeps its position in the KV store, and continues there the next time.",
    tags: ["data"],
    source: stateBetweenRuns,
  },
  {
    id: "namespace-files",
    kind: "flow",
    title: "Process a file with namespace files",
    description:
      "Runs a program from the files of the namespace over an uploaded CSV file. Scripts must be enabled on the " +
      "server.",
    tags: ["files", "scripts", "data"],
    source: namespaceFiles,
  },
  {
    id: "retry-and-alert",
    kind: "flow",
    title: "Retry, time limit and alert",
    description:
      "Repeats an unreliable request with a growing wait, ends each attempt after 30 seconds, and sends an alert " +
      "when all failed.",
    tags: ["error-handling", "api", "monitoring"],
    source: retryAndAlert,
  },
  {
    id: "executions-overview",
    kind: "dashboard",
    title: "Overview of executions",
    description: "Executions over time by state, how they ended, and the flows that fail most.",
    tags: ["monitoring", "getting-started"],
    source: executionsOverview,
  },
];

/** When the templates were written; lists sort by it. */
export const PUBLISHED_AT = Date.UTC(2026, 10, 22);
