/** Runs loops over the whole server, and reads what comes of their passes. */
import type { JsonObject } from "../../../src/base/json.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import type { Effect, ExecutionResponse, Harness } from "../../support/harness.ts";

const CORE = "io.kestra.plugin.core";

/** A flow; `$.` stands for the core types, `EFFECT` for the harness's task. */
export function flow(body: string, id = "l"): string {
  const text = body.trim().replaceAll("$.", `${CORE}.`).replaceAll("EFFECT", "io.svc.plugin.harness.Effect");
  return `id: ${id}\nnamespace: demo\n${text}\n`;
}

/** Lets everything happen that needs no time. */
export async function untilQuiet(app: Harness, turns = 60): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await settle();
  await app.advance(0);
}

/** Saves the flow `l` with this body, starts it, and gives what comes of it. */
export async function run(app: Harness, body: string, turns = 60): Promise<ExecutionResponse> {
  await app.save(flow(body));
  const { id } = await app.start("l");
  await untilQuiet(app, turns);
  return await app.execution(id);
}

/** The executions of the passes, in the order of their ids. */
export async function passesOf(app: Harness, query = ""): Promise<ExecutionResponse[]> {
  const { results } = await app.page(`/executions/search?filters[kind][EQUALS]=LOOP&size=1000${query}`);
  return await Promise.all(results.map(({ id }) => id).sort().map((id) => app.execution(id)));
}

/** Outputs of the first task run of that task. */
export function outputsOf({ taskRunList }: ExecutionResponse, taskId: string): JsonObject {
  return (taskRunList.find((each) => each.taskId === taskId)?.outputs ?? {}) as JsonObject;
}

/** The states of the execution and of its task runs. */
export function linesOf({ taskRunList, state }: ExecutionResponse): string {
  return `${state.current}: ${
    taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`).join(", ")
  }`;
}

/** Ends as its name says. */
export const NAMED: Effect = ({ name }) => ({
  state: name === "bad" ? "FAILED" : name === "so" ? "WARNING" : "SUCCESS",
});
