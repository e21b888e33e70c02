/** The file `run_results.json` of dbt. https://docs.getdbt.com/reference/artifacts/run-results-json */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import type { LogLevel } from "../../model/flows/flow.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import type { MetricDeclaration } from "../../model/flows/type_declaration.ts";

/** The result of a model, a test, a seed or a snapshot. */
interface NodeResult {
  /** Unique id, such as `model.shop.orders`. */
  readonly id: string;
  readonly status: string;
  readonly seconds?: number;
  readonly message?: string;
  /** Rows that fail a test. */
  readonly failures?: number;
  /** Values of {@link NODE_METRICS}, by name. */
  readonly counters: ReadonlyMap<string, number>;
}

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ["error", "ERROR"],
  ["fail", "ERROR"],
  ["runtime error", "ERROR"],
  ["runtime_error", "ERROR"],
  ["warn", "WARN"],
]);
const COUNTERS: ReadonlyMap<string, string> = new Map([
  ["rows_affected", "rows.affected"],
  ["bytes_processed", "bytes.processed"],
]);
/** Most nodes in outputs. */
const MAX_NODES = 1_000;
const MAX_MESSAGE_CHARS = 200;

/** Output: the results. */
export const NODES_OUTPUT: PropertySchema = {
  type: "list",
  items: { type: "map", description: "A node." },
  description:
    `What dbt has run, at most ${MAX_NODES} nodes: \`id\`, \`status\`, \`seconds\`, \`message\`, \`failures\` and \`rows\` of each.`,
};

/** Metrics of the results: sums over all nodes, since an attempt has a limited number of metrics. */
export const NODE_METRICS: Readonly<Record<string, MetricDeclaration>> = Object.freeze({
  "rows.affected": { type: "counter", description: "Rows that the nodes have changed." },
  "bytes.processed": { type: "counter", description: "Bytes that the nodes have read." },
});

/** The results in the text of the file, in its order. @throws Error it is no such file */
export async function readRunResults(text: string): Promise<NodeResult[]> {
  const file = await tryParseLongJson(text);
  if (isJsonObject(file)) return objectsOf(ownProperty(file, "results")).map(nodeOf);
  throw new Error('Cannot read "run_results.json": it is not JSON');
}

function nodeOf(result: JsonObject): NodeResult {
  const response = ownProperty(result, "adapter_response");
  return {
    id: String(result.unique_id ?? ""),
    status: String(result.status ?? ""),
    seconds: numberOf(result.execution_time),
    message: typeof result.message === "string" ? result.message.trim() || undefined : undefined,
    failures: numberOf(result.failures),
    counters: isJsonObject(response) ? countersOf(response) : new Map(),
  };
}

function countersOf(response: JsonObject): Map<string, number> {
  const counters = new Map<string, number>();
  for (const [name, counter] of COUNTERS) {
    const value = numberOf(ownProperty(response, name));
    // A negative number says that the database does not know.
    if (value !== undefined && value >= 0) counters.set(counter, value);
  }
  return counters;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const number = Number(value);
  return Number.isFinite(number) ? number : undefined;
}

/** A line for the log, such as `model.shop.orders: success in 0.52 s`. */
export function nodeLine({ id, status, seconds, message, failures }: NodeResult): {
  readonly level: LogLevel;
  readonly message: string;
} {
  const time = seconds === undefined ? "" : ` in ${seconds.toFixed(2)} s`;
  const failed = failures === undefined || failures === 0 ? "" : ` (failures: ${failures})`;
  const said = message === undefined ? "" : `: ${message}`;
  return { level: LEVELS.get(status) ?? "INFO", message: `${id}: ${status}${time}${failed}${said}` };
}

/** Values of {@link NODE_METRICS} that the results give. */
export function nodeCounters(nodes: readonly NodeResult[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { counters } of nodes) {
    for (const [name, value] of counters) sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return sums;
}

/** The results for {@link NODES_OUTPUT}. */
export function nodeOutputs(nodes: readonly NodeResult[]): JsonObject[] {
  return nodes.slice(0, MAX_NODES).map(({ id, status, seconds, message, failures, counters }) => ({
    id,
    status,
    ...seconds === undefined ? {} : { seconds },
    ...message === undefined ? {} : { message: message.slice(0, MAX_MESSAGE_CHARS) },
    ...failures === undefined ? {} : { failures },
    ...counters.has("rows.affected") ? { rows: counters.get("rows.affected") ?? 0 } : {},
  }));
}
