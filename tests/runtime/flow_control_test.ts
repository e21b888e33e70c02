/** The rules of flow control as rows of data, each run over the whole server. */
import { assert, assertEquals, assertGreaterOrEqual } from "@std/assert";
import { parseDuration } from "../../src/base/time/duration.ts";
import type { JsonObject } from "../../src/base/json.ts";
import type { RunContext } from "../../src/model/ports/run_context.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import type { Mutation } from "../../src/store/store.ts";
import { FaultyStore } from "../support/fakes/faulty_store.ts";
import {
  EFFECT_TYPE,
  type ExecutionResponse,
  Harness,
  statesOf,
  type TaskRunResponse,
} from "../support/harness.ts";
import { type Expectation, readRows, type Row } from "./flow_control_rows.ts";

const ROWS = await readRows();
const FLOW = "story";

for (const [file, rows] of ROWS) {
  for (const row of rows) {
    Deno.test(`flow control: ${file}: ${row.rule}`, async () => {
      await using app: Harness = await Harness.start({ effect });
      const id = await play(app, row);
      await check(app, await app.execution(id), row.expect);
    });
  }
}

Deno.test("flow control: every topic has its rows", () => {
  assertGreaterOrEqual([...ROWS.values()].flat().length, 120);
});

const isReceipt = ({ type, key }: Mutation) => type === "delete" && key[0] === "ob";
const LARGE = "x".repeat(100_000);

for (const crashes of [false, true]) {
  const when = crashes ? "after a crash before they arrive" : "at once";
  Deno.test(`flow control: Subflow: outputs of 100 KB arrive at the parent ${when}`, async () => {
    let losesMessages = false;
    let app: Harness = await Harness.start({
      effect: ({ name }) => ({ state: "SUCCESS", outputs: { value: LARGE.slice(Number(name)) } }),
      wrap: (memory) =>
        new FaultyStore(
          memory,
          (_, { mutations }) => losesMessages && mutations.some(isReceipt) ? "full" : "none",
        ),
    });
    const outputs = [{ id: "o", type: "STRING", value: "{{ outputs.t.value }}" }];
    await save(app, "child", { outputs, tasks: [{ id: "t", type: EFFECT_TYPE, name: "1" }] });
    const subflow = {
      id: "s",
      type: "io.kestra.plugin.core.flow.Subflow",
      namespace: "demo",
      flowId: "child",
    };
    await save(app, FLOW, { tasks: [subflow] });
    losesMessages = crashes;
    const { id } = await app.start(FLOW);
    await settle(200);
    losesMessages = false;
    if (crashes) app = await app.crash();
    await settle(200);
    const { state, taskRunList } = await app.execution(id);
    assertEquals(state.current, "SUCCESS");
    assertEquals(find(taskRunList, "s").outputs.outputs, { o: LARGE.slice(1) });
    await app[Symbol.asyncDispose]();
  });
}

async function play(
  app: Harness,
  { flow, others = {}, inputs, starts = 1, then = [] }: Row,
): Promise<string> {
  for (const [id, other] of Object.entries(others)) await save(app, id, other);
  await save(app, FLOW, flow);
  let id = "";
  for (let n = 0; n < starts; n++) {
    id = String((await app.start(FLOW, inputs)).id);
    await settle();
    await app.clock.advance(1);
  }
  for (const deed of then) await act(app, id, deed);
  return id;
}

async function save(app: Harness, id: string, flow: Row["flow"]): Promise<void> {
  await app.save(JSON.stringify({ id, namespace: "demo", ...flow }));
}

async function act(app: Harness, id: string, deed: string): Promise<void> {
  const [verb, argument = ""] = deed.split(" ");
  if (verb === "advance") return await app.advance(parseDuration(argument) ?? 0);
  const path = `/executions/${id}/${verb}`;
  const body = new FormData();
  const [name, value] = argument.split("=");
  if (name) body.set(name, value ?? "");
  await app.json(verb === "kill" ? "DELETE" : "POST", path, name ? { body } : {});
  await settle();
}

/** Does what its name says: `fail`, `fail 2` (the first two attempts), `warn`, `hang` (until it is interrupted), else nothing. */
async function effect(
  { name }: JsonObject,
  { attemptNumber, signal }: RunContext,
): Promise<AttemptOutcome> {
  const [what, times = "Infinity"] = String(name ?? "").split(" ");
  if (what === "fail" && attemptNumber <= Number(times)) throw new Error("it was to fail");
  if (what === "hang") await interrupted(signal);
  return { state: what === "warn" ? "WARNING" : "SUCCESS", outputs: { done: "yes", attempt: attemptNumber } };
}

async function interrupted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
  throw new Error("it was interrupted");
}

async function check(app: Harness, execution: ExecutionResponse, expected: Expectation): Promise<void> {
  const { taskRunList } = execution;
  const shown = JSON.stringify(taskRunList.map((taskRun) => `${nameOf(taskRun)} ${statesOf(taskRun)}`));
  if (expected.states) assertEquals(statesOf(execution), expected.states, shown);
  if (expected.count !== undefined) assertEquals(taskRunList.length, expected.count, shown);
  if (expected.runs) checkRuns(taskRunList, expected.runs);
  if (expected.order) assertEquals(taskRunList.map(nameOf), [...expected.order]);
  for (const [name, value] of Object.entries(expected.values ?? {})) {
    assertEquals(find(taskRunList, name).outputs.value, value, name);
  }
  for (const [name, outputs] of Object.entries(expected.taskOutputs ?? {})) {
    const actual = find(taskRunList, name).outputs;
    for (const member of Object.keys(outputs)) {
      assertEquals(actual[member], outputs[member], `${name}.${member}`);
    }
  }
  for (const [name, count] of Object.entries(expected.attempts ?? {})) {
    assertEquals(find(taskRunList, name).attempts?.length ?? 0, count, name);
  }
  for (const [name, parent] of Object.entries(expected.parents ?? {})) {
    const { parentTaskRunId } = find(taskRunList, name) as TaskRunResponse & { parentTaskRunId?: string };
    assertEquals(nameOf(taskRunList.find(({ id }) => id === parentTaskRunId)), parent, name);
  }
  await checkAround(app, execution, expected);
}

function checkRuns(taskRunList: readonly TaskRunResponse[], expected: readonly string[]): void {
  const names = new Map(expected.map((line) => [line.split(" ", 1)[0], line.split(" ").length > 2]));
  const lines = taskRunList.map((taskRun) => {
    const name = nameOf(taskRun);
    return `${name} ${names.get(name) ? statesOf(taskRun) : taskRun.state.current}`;
  });
  assertEquals(lines.sort(), [...expected].sort());
}

async function checkAround(app: Harness, execution: ExecutionResponse, expected: Expectation): Promise<void> {
  if (expected.outputs !== undefined) assertEquals(execution.outputs ?? null, expected.outputs);
  const labels = execution.labels as readonly { key: string; value: string }[];
  for (const [key, value] of Object.entries(expected.labels ?? {})) {
    assertEquals(labels.find((label) => label.key === key)?.value, value, key);
  }
  if (expected.logs) {
    const lines = await app.json("GET", `/logs/${execution.id}`) as { message: string }[];
    const text = lines.map(({ message }) => message).join("\n");
    for (const part of expected.logs) assert(text.includes(part), `"${part}" is not in ${text}`);
  }
  for (const [flowId, histories] of Object.entries(expected.executions ?? {})) {
    assertEquals((await historiesOf(app, flowId)).sort(), [...histories].sort(), flowId);
  }
}

async function historiesOf(app: Harness, flowId: string): Promise<string[]> {
  const { results } = await app.page(`/executions/search?flowId=${flowId}&size=100`);
  return await Promise.all(results.map(async ({ id }) => statesOf(await app.execution(id))));
}

/** `id`, or `id[value]`. */
function nameOf(taskRun: TaskRunResponse | undefined): string {
  const { taskId = "", value } = (taskRun ?? {}) as { taskId?: string; value?: string };
  return value === undefined ? taskId : `${taskId}[${value}]`;
}

function find(taskRunList: readonly TaskRunResponse[], name: string): TaskRunResponse {
  const found = taskRunList.find((taskRun) => nameOf(taskRun) === name);
  assert(found, `there is no task run ${name} among ${taskRunList.map(nameOf)}`);
  return found;
}
