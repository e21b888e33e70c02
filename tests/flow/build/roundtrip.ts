/** What must hold of any source: problems lie in it, and what is answered can be saved and is answered again. */
import { assert, assertEquals } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import {
  buildFlow,
  type Catalogs,
  type FlowProblem,
  flowResponse,
  hasErrors,
  parseFlowSource,
  problemsError,
  validateFlow,
} from "../../../src/flow/mod.ts";
import type { Flow } from "../../../src/model/flows/flow.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../../src/model/limits.ts";

/** @throws AssertionError when a problem has no place, or one outside the source; when they are out of order */
export function assertPlaces(source: string, problems: readonly FlowProblem[]): void {
  const lines = source.split(/\r?\n/);
  for (const { range, path, message } of problems) {
    const line = lines[(range?.line ?? 0) - 1];
    assert(range && line !== undefined, `${path}: ${message} has no place`);
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
  if (!hasErrors(problems)) {
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

/** Saves a source, saves its answer, and compares both answers. Gives the flow. @throws AssertionError */
export function assertRoundTrip(source: string, catalogs: Catalogs): Flow | undefined {
  const flow = saved(source, catalogs);
  const text = flow && responseText(flow);
  // Aliases are written out in the answer, which may then be too long to be saved.
  if (text === undefined || text.length > MAX_FLOW_SOURCE_BYTES) return flow;
  const again = saved(text, catalogs);
  assert(again, `The answer cannot be saved: ${problemTexts(text, catalogs)}`);
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
