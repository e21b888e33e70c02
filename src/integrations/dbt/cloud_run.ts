/** Runs of jobs of dbt Cloud: waiting for their end, and what they leave. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, type PropertySchemas } from "../../model/flows/schema.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { pause } from "../http_calls.ts";
import { readWhole } from "../whole_file.ts";
import type { DbtCloud } from "./cloud_api.ts";
import { nodeCounters, nodeLine, nodeOutputs, NODES_OUTPUT, readRunResults } from "./run_results.ts";

const SUCCESS = 10;
/** Success, error, cancelled. */
const ENDED: ReadonlySet<number> = new Set([SUCCESS, 20, 30]);
const NOT_FOUND = 404;
/** Of the results of a run, which are read as a whole. */
const MAX_REPORT_BYTES = 128 * 1024 * 1024;

/** Properties of types that wait for a run. */
export const WAIT: PropertySchemas = Object.freeze({
  pollFrequency: dynamicProperty("duration", "Time between two reads of the state.", { default: "PT5S" }),
  maxDuration: dynamicProperty("duration", "Longest wait; then the task fails, and the run continues.", {
    default: "PT1H",
  }),
  parseRunResults: dynamicFlag(
    true,
    "Whether the results of `run_results.json` are reported as log lines, metrics and `nodes`.",
  ),
});

/** Outputs of an ended run. */
export const RUN_OUTPUTS: PropertySchemas = {
  runResults: { type: "string", description: "Storage URI of `run_results.json`, if the run has it." },
  manifest: { type: "string", description: "Storage URI of `manifest.json`, if the run has it." },
  nodes: NODES_OUTPUT,
};

/** Waits for the end of a run, logs its steps and stores its files. @throws Error it fails, is cancelled, or takes too long */
export async function endedRun(context: TaskContext, cloud: DbtCloud, runId: string): Promise<JsonObject> {
  const run = await waited(context, cloud, runId);
  if (run.status !== SUCCESS) {
    const words = optionalText(run.status_message);
    const state = optionalText(run.status_humanized) ?? String(run.status);
    throw new Error(`The run "${runId}" ended as ${state}${words === undefined ? "" : `: ${words}`}`);
  }
  const results = await artifact(context, cloud, { runId, name: "run_results.json" });
  const manifest = await artifact(context, cloud, { runId, name: "manifest.json" });
  const isReported = results !== undefined && context.properties.parseRunResults === true;
  return {
    ...results === undefined ? {} : { runResults: results.uri },
    ...manifest === undefined ? {} : { manifest: manifest.uri },
    ...isReported ? { nodes: await report(context, await reportText(results.path)) } : {},
  };
}

async function reportText(path: string): Promise<string> {
  const bytes = await readWhole(path, { name: "run_results.json", maxBytes: MAX_REPORT_BYTES });
  return new TextDecoder().decode(bytes);
}

async function waited(context: TaskContext, cloud: DbtCloud, runId: string): Promise<JsonObject> {
  const { properties, signal } = context;
  const pollMs = readDuration(properties.pollFrequency) ?? 5_000;
  let leftMs = readDuration(properties.maxDuration) ?? 3_600_000;
  const steps = new StepLog(context);
  for (;;) {
    const run = await cloud.read({
      path: `/runs/${encodeURIComponent(runId)}/?include_related=${encodeURIComponent('["run_steps"]')}`,
      operation: `read the run "${runId}"`,
    });
    const isEnded = ENDED.has(Number(run.status));
    steps.add(objectsOf(run.run_steps), isEnded);
    if (isEnded) return { ...run, status: Number(run.status) };
    if (leftMs <= 0) {
      throw new Error(
        `The run "${runId}" has not ended within ${String(properties.maxDuration)}; raise maxDuration`,
      );
    }
    await pause(Math.min(pollMs, leftMs), signal);
    leftMs -= pollMs;
  }
}

/** Logs what steps have printed since the last read. */
class StepLog {
  readonly #context: TaskContext;
  /** Characters that were logged, by the id of the step. */
  readonly #logged = new Map<string, number>();

  constructor(context: TaskContext) {
    this.#context = context;
  }

  add(steps: readonly JsonObject[], isEnded: boolean): void {
    for (const { id = null, name = null, logs } of steps) {
      if (typeof logs !== "string") continue;
      const known = this.#logged.get(String(id)) ?? 0;
      // The last line of a step that runs may not be complete yet.
      const end = isEnded ? logs.length : logs.lastIndexOf("\n") + 1 || known;
      for (const line of logs.slice(known, end).split("\n")) {
        if (line.trim() !== "") this.#context.log("INFO", `${name}: ${line}`);
      }
      this.#logged.set(String(id), Math.max(known, end));
    }
  }
}

/** A stored file of a run; `undefined` if it has none of that name: the steps of a job decide. */
async function artifact(
  context: TaskContext,
  cloud: DbtCloud,
  { runId, name }: { readonly runId: string; readonly name: string },
): Promise<{ readonly uri: string; readonly path: string } | undefined> {
  const { status, path } = await cloud.send({
    path: `/runs/${encodeURIComponent(runId)}/artifacts/${name}`,
    operation: `read "${name}" of the run "${runId}"`,
    saveTo: name,
    accepted: [NOT_FOUND],
  });
  if (status === NOT_FOUND || path === undefined) return undefined;
  return { uri: await context.storeFile(path), path };
}

async function report(context: TaskContext, text: string): Promise<JsonObject[]> {
  const nodes = await readRunResults(text);
  for (const node of nodes) {
    const { level, message } = nodeLine(node);
    context.log(level, message);
  }
  for (const [name, value] of nodeCounters(nodes)) context.metric(name, value);
  return nodeOutputs(nodes);
}

/** The id of a started run. @throws Error the response has none */
export function runIdOf(run: JsonObject): string {
  const id = isJsonObject(run) ? optionalText(run.id) : undefined;
  if (id !== undefined) return id;
  throw new Error("Cannot start the job: the response has no id of a run");
}
