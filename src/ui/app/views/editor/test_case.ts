/** The test case of a flow: kept in this browser, and written from the flow and its last run at first. */
import { get, urlOf } from "../../api/client.ts";
import type { FlowRow } from "../../api/flow_entities.ts";
import { apiPath } from "../../core/places.ts";
import type { FlowGraph } from "../../kit/graph_layout.ts";
import { isDeclaredTask } from "../../kit/graph_tasks.ts";
import type { LastRun } from "./last_run.ts";

/** Longer outputs are left to the person. */
const MAX_OUTPUT_CHARS = 2_000;

/** The path of the tests of a flow. */
export function testPath({ namespace, id }: FlowRow): string {
  return `${apiPath("flows", namespace, id)}/test`;
}

/** The test case that was written last, or a new one. @throws ApiError */
export async function readTestCase(flow: FlowRow, run: LastRun): Promise<string> {
  const kept = keptTestCase(flow);
  if (kept?.trim()) return kept;
  return testCaseOf(flow, await get<FlowGraph>(`${apiPath("flows", flow.namespace, flow.id)}/graph`), run);
}

/** Keeps a test case; an empty one is written anew next time. */
export function keepTestCase(flow: FlowRow, source: string): void {
  try {
    localStorage.setItem(keyOf(flow), source);
  } catch {
    // Without storage it lasts until the panel is closed.
  }
}

function keptTestCase(flow: FlowRow): string | undefined {
  try {
    return localStorage.getItem(keyOf(flow)) ?? undefined;
  } catch {
    return undefined;
  }
}

function keyOf(flow: FlowRow): string {
  return `sluice.test ${urlOf(testPath(flow))}`;
}

/** A fixture for each task without others in it, with the outputs of the last run, and the defaults of the inputs. */
export function testCaseOf({ inputs = [] }: FlowRow, { nodes }: FlowGraph, { taskRuns }: LastRun): string {
  const tasks = nodes.filter(isDeclaredTask);
  const leaves = tasks.filter(({ uid }) => !tasks.some((other) => other.uid.startsWith(`${uid}.`)));
  const lines = leaves.flatMap(({ task }) => {
    const outputs = JSON.stringify(taskRuns.get(task?.id ?? "")?.[0]?.outputs ?? {});
    return [`    - id: ${task?.id}`, `      outputs: ${outputs.length > MAX_OUTPUT_CHARS ? "{}" : outputs}`];
  });
  return [
    "fixtures:",
    ...inputs.length > 0 ? ["  inputs:"] : [],
    ...inputs.map(({ id, defaults }) =>
      `    ${id}: ${defaults === undefined ? "" : JSON.stringify(defaults)}`
    ),
    "  tasks:",
    ...lines,
    "assertions:",
    '  - value: "{{ execution.state }}"',
    "    equalTo: SUCCESS",
    "",
  ].join("\n");
}
