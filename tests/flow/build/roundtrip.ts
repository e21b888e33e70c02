/** Invariants of any source: problems have positions within it, and the response of a saved flow saves to the same response. */
import { assert, assertEquals } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import {
  buildFlow,
  type Catalogs,
  type FlowProblem,
  flowResponse,
  parseFlowSource,
  problemsError,
  validateFlow,
} from "../../../src/flow/mod.ts";
import type { Flow } from "../../../src/model/flows/flow.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../../src/model/limits.ts";

/** @throws AssertionError a problem has no position, one outside the source, or is out of order */
export function assertPlaces(source: string, problems: readonly FlowProblem[]): void {
  const lines = source.split(/\r?\n/);
  for (const { range, path, message } of problems) {
    const line = lines[(range?.line ?? 0) - 1];
    assert(range && line !== undefined, `${path}: ${message} has no position`);
    const end = range.column - 1 + range.length;
    const isAtEnd = range.column === line.length + 1 && range.length === 1;
    const isInside = range.column >= 1 && range.length >= 1 && (end <= line.length || isAtEnd);
    assert(isInside, `${path}: ${message} at ${JSON.stringify(range)} of a line of ${line.length}`);
  }
  const places = problems.map(({ range }) => (range?.line ?? 0) * 1e7 + (range?.column ?? 0));
  assertEquals(places, [...places].sort((a, b) => a - b));
}

/** The flow of a source; `undefined` for one that has errors, whose problems are checked. @throws AssertionError */
export function saved(source: string, catalogs: Catalogs): Flow | undefined {
  const parsed = parseFlowSource(source);
  const problems = validateFlow(parsed, catalogs, { expressions: {} });
  assertPlaces(source, problems);
  if (!problems.some(({ severity }) => severity === "error")) {
    assert(parsed.document, "There is neither a document nor a problem");
    const identity = { tenant: "main", revision: 1, flowNo: 1, deleted: false, source };
    return buildFlow(parsed.document, identity, catalogs);
  }
  assert(problemsError(problems).message.length > 10);
  return undefined;
}

/** The text that clients get. */
export function responseText(flow: Flow): string {
  return stringifyJson(flowResponse(flow, { source: false }));
}

/** Saves a source, saves its response, and compares both responses. Returns the flow. @throws AssertionError */
export function assertRoundTrip(source: string, catalogs: Catalogs): Flow | undefined {
  const flow = saved(source, catalogs);
  const text = flow && responseText(flow);
  // The response has aliases expanded, so it may be too long to be saved.
  if (text === undefined || text.length > MAX_FLOW_SOURCE_BYTES) return flow;
  const again = saved(text, catalogs);
  assert(again, `The response cannot be saved: ${problemTexts(text, catalogs)}`);
  assertEquals(responseText(again), text);
  return flow;
}

function problemTexts(source: string, catalogs: Catalogs): string {
  const problems = validateFlow(parseFlowSource(source), catalogs);
  return problems.filter(({ severity }) => severity === "error").map(({ path, message }) =>
    `${path}: ${message}`
  )
    .join("; ");
}
