/** Compares an ended scenario with what its file expects. */
import { assert, assertEquals } from "@std/assert";
import { targetOf } from "./web.ts";
import { executionsOf, type Played } from "./play.ts";
import type { Expectation, UserFlow } from "./user_flow.ts";

/** Checks each member of the expectation. @throws AssertionError */
export async function checkExpectation(flow: UserFlow, expect: Expectation, played: Played): Promise<void> {
  const { execution, log } = played;
  const details = `${flow.name}\n${log.join("\n")}`;
  assertEquals(execution.state.current, expect.state ?? "SUCCESS", details);
  checkMembers(execution.outputs, expect.outputs, details);
  checkTasks(expect, played, details);
  for (const part of expect.log ?? []) {
    assert(log.some((line) => line.includes(part)), `no line "${part}": ${details}`);
  }
  for (const part of expect.noLog ?? []) {
    assert(!log.some((line) => line.includes(part)), `a line "${part}": ${details}`);
  }
  if (expect.labels) {
    const labels = execution.labels as { key: string; value: string }[];
    checkMembers(Object.fromEntries(labels.map(({ key, value }) => [key, value])), expect.labels, details);
  }
  checkRequests(expect, played, details);
  await checkStored(flow, expect, played);
}

function checkTasks({ tasks = {}, taskOutputs = {} }: Expectation, played: Played, details: string): void {
  const { taskRunList } = played.execution;
  for (const [id, states] of Object.entries(tasks)) {
    const runs = taskRunList.filter(({ taskId }) => taskId === id);
    assertEquals(runs.map(({ state }) => state.current).join(" "), states, `task ${id} of ${details}`);
  }
  for (const [id, outputs] of Object.entries(taskOutputs)) {
    checkMembers(taskRunList.findLast(({ taskId }) => taskId === id)?.outputs, outputs, details);
  }
}

function checkRequests({ sent = [], sentCount = {} }: Expectation, { requests }: Played, details: string) {
  const targets = requests.map(({ head }) => targetOf(head));
  for (const expected of sent) {
    const [, target = "", part = ""] = /^(\S+ \S+?)(?:: (.*))?$/s.exec(expected) ?? [];
    const isSent = requests.some(({ head, body }) => targetOf(head) === target && body.includes(part));
    assert(isSent, `"${expected}" is not among ${JSON.stringify(requests)}: ${details}`);
  }
  for (const [target, count] of Object.entries(sentCount)) {
    assertEquals(targets.filter((each) => each === target).length, count, `${target} of ${details}`);
  }
}

async function checkStored(flow: UserFlow, expect: Expectation, played: Played): Promise<void> {
  const { app, execution, namespace } = played;
  for (const [name, content] of Object.entries(expect.files ?? {})) {
    const uri = String((execution.outputs as Record<string, unknown>)[name]);
    const path = `/executions/${execution.id}/file?path=${encodeURIComponent(uri)}`;
    assertEquals(await (await app.request("GET", path)).text(), content, `output ${name} of ${flow.name}`);
  }
  for (const [key, value] of Object.entries(expect.kv ?? {})) {
    const pair = await app.json("GET", `/namespaces/${namespace}/kv/${key}`) as { value: unknown };
    assertEquals(plainNumbers(pair.value), value, `pair ${key} of ${flow.name}`);
  }
  for (const [path, content] of Object.entries(expect.namespaceFiles ?? {})) {
    const query = `path=${encodeURIComponent(`/${path}`)}`;
    const response = await app.request("GET", `/namespaces/${namespace}/files?${query}`);
    assertEquals(await response.text(), content, `file ${path} of ${flow.name}`);
  }
  for (const [id, states] of Object.entries(expect.executions ?? {})) {
    const other = flow.flows.find((each) => each.id === id) ?? { id, namespace };
    const current = (await executionsOf(app, other)).map(({ state }) => state.current);
    assertEquals(current.join(" "), states, `executions of ${id} of ${flow.name}`);
  }
  await checkMetrics(expect, played);
}

async function checkMetrics({ metrics = {} }: Expectation, { app, execution }: Played): Promise<void> {
  if (Object.keys(metrics).length === 0) return;
  const { results } = await app.page<{ name: string; value: number }>(`/metrics/${execution.id}?size=100`);
  for (const [name, sum] of Object.entries(metrics)) {
    const values = results.filter((metric) => metric.name === name).map(({ value }) => Number(value));
    assertEquals(values.reduce((total, value) => total + value, 0), sum, `metric ${name}`);
  }
}

/** Members that are not expected are ignored, in maps of any depth. */
function checkMembers(actual: unknown, expected: unknown, details: string): void {
  if (expected === undefined) return;
  if (typeof expected !== "object" || expected === null || Array.isArray(expected)) {
    return assertEquals(plainNumbers(actual), expected, details);
  }
  for (const [name, value] of Object.entries(expected)) {
    const member = (actual as Record<string, unknown> | undefined)?.[name];
    checkMembers(member, value, `"${name}" of ${details}`);
  }
}

/** Decimal numbers, which responses are read with, as numbers. */
function plainNumbers(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
