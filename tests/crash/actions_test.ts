/** The server dies, or its database fails, at every commit of an action: what a client that asks again gets is the same. */
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { FakeClock, settle } from "../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness, statesOf } from "../support/harness.ts";
import { type Cut, CUT_MODES, MortalStore } from "./mortal_store.ts";

const WORK = `  - {id: a, type: io.svc.plugin.core.debug.Return, format: a}
  - {id: b, type: ${EFFECT_TYPE}}
  - {id: c, type: io.svc.plugin.core.debug.Return, format: c}
`;
const PAUSE = "  - {id: hold, type: io.svc.plugin.core.flow.Pause}\n";
const LIMIT = "concurrency:\n  limit: 1\n";

interface Row {
  readonly action: string;
  readonly method?: string;
  readonly tasks: string;
  readonly more?: string;
  /** Executions that are started; the action is done to the last. */
  readonly count?: number;
  /** The states of that execution in the end; absent when it is gone. */
  readonly states?: string;
  /** States of all executions in the end, oldest first. */
  readonly all: readonly string[];
}

const RESTARTED = "CREATED RUNNING FAILED RESTARTED RUNNING SUCCESS";
const ROWS: readonly Row[] = [
  { action: "restart", tasks: WORK, states: RESTARTED, all: ["SUCCESS"] },
  { action: "restart", tasks: WORK, more: LIMIT, states: RESTARTED, all: ["SUCCESS"] },
  {
    action: "change-status?status=WARNING",
    tasks: WORK,
    states: "CREATED RUNNING FAILED WARNING",
    all: ["WARNING"],
  },
  {
    action: "resume",
    tasks: PAUSE,
    states: "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS",
    all: ["SUCCESS"],
  },
  {
    action: "force-run",
    tasks: PAUSE,
    states: "CREATED RUNNING PAUSED RESTARTED RUNNING SUCCESS",
    all: ["SUCCESS"],
  },
  { action: "kill", tasks: PAUSE, states: "CREATED RUNNING PAUSED KILLING KILLED", all: ["KILLED"] },
  {
    action: "unqueue",
    tasks: PAUSE,
    more: LIMIT,
    count: 2,
    states: "CREATED QUEUED RUNNING PAUSED",
    all: ["PAUSED", "PAUSED"],
  },
  {
    action: "kill",
    tasks: PAUSE,
    more: LIMIT,
    count: 2,
    states: "CREATED QUEUED KILLED",
    all: ["PAUSED", "KILLED"],
  },
  { action: "", method: "DELETE", tasks: PAUSE, more: LIMIT, count: 2, all: ["PAUSED"] },
];
for (const row of ROWS) {
  const { action, method = "POST", more = "" } = row;
  Deno.test(`every write of ${method} /executions/:id/${action}${more && " with a limit"} may be cut`, async () => {
    for (const mode of CUT_MODES) {
      for (let at = 1; at <= 4; at++) await play(row, { at, mode });
    }
  });
}

async function play(row: Row, cut: Cut): Promise<void> {
  const where = `${row.action} ${cut.at} ${cut.mode}`;
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const store = new MortalStore(memory);
  let isBetter = false;
  const effect = () => ({ state: isBetter ? "SUCCESS" as const : "FAILED" as const, outputs: {} });
  const first = await Harness.start({ wrap: () => store, effect }, memory, clock);
  await first.save(`id: story\nnamespace: demo\n${row.more ?? ""}tasks:\n${row.tasks}`);
  let id: unknown;
  for (let i = 0; i < (row.count ?? 1); i++) {
    id = (await first.start("story")).id;
    await clock.advance(10);
  }
  isBetter = true;
  store.arm(cut);
  void act(first, row, id).catch(() => {}); // No answer is heard when the process is gone.
  await clock.advance(5_000);
  if (!store.isDead) await store.stop(first);
  const later = new FakeClock(clock.now());
  const next = await Harness.start({ effect }, memory.reopen(later), later);
  await settle();
  const status = await act(next, row, id);
  assert(status < 500, `${where}: ${status}`);
  await later.advance(1_000);
  await check(next, row, id, where);
  await next[Symbol.asyncDispose]();
}

async function act(server: Harness, { action, method = "POST" }: Row, id: unknown): Promise<number> {
  const response = await server.request(method, `/executions/${id}${action && "/"}${action}`);
  await response.body?.cancel();
  return response.status;
}

async function check(server: Harness, row: Row, id: unknown, where: string): Promise<void> {
  const { results } = await server.json("GET", "/executions/search?sort=id:asc") as { results: JsonObject[] };
  const found = results as unknown as ExecutionResponse[];
  assertEquals(found.map(({ state }) => state.current), row.all, where);
  if (row.states === undefined) return;
  const execution = await server.execution(String(id));
  assertEquals(statesOf(execution), row.states, where);
  const tries = execution.taskRunList.find(({ taskId }) => taskId === "b")?.attempts ?? [];
  const ends = tries.map(({ state }) => state.current).filter((state) => state !== "RESUBMITTED");
  assertEquals(ends.length <= 2, true, `${where}: ${ends}`);
}
