/** Delta streams of executions, on a complete server. */
import { assert, assertEquals, assertObjectMatch } from "@std/assert";
import { settle } from "../../support/fakes/fake_clock.ts";
import { Harness } from "../../support/harness.ts";
import { EventReader, type ReceivedEvent } from "../event_reader.ts";

const FLOW = `id: long
namespace: demo
tasks:
  - id: a
    type: io.svc.plugin.core.flow.Sleep
    duration: PT1S
  - id: b
    type: io.svc.plugin.core.flow.Sleep
    duration: PT1S
  - id: hold
    type: io.svc.plugin.core.flow.Pause
  - id: each
    type: io.svc.plugin.core.flow.ForEach
    values: [1, 2]
    tasks:
      - id: nap
        type: io.svc.plugin.core.flow.Sleep
        duration: PT10S
`;
const LOOP = `id: loop
namespace: demo
tasks:
  - id: until
    type: io.svc.plugin.core.flow.LoopUntil
    condition: "{{ outputs.until.iterationCount >= 3 }}"
    checkFrequency:
      interval: PT10S
    tasks:
      - id: a
        type: io.svc.plugin.core.debug.Return
        format: a
`;

async function follow(server: Harness, id: unknown, lastEventId?: string): Promise<EventReader> {
  const headers: HeadersInit = lastEventId === undefined ? {} : { "last-event-id": lastEventId };
  const reader = new EventReader(
    await server.request("GET", `/executions/${id}/follow?format=delta`, { headers }),
  );
  await settle();
  return reader;
}

/** What a client knows after these events. */
function replay(events: readonly ReceivedEvent[]) {
  // deno-lint-ignore no-explicit-any -- what came is looked at by its members
  const known: any = {};
  // deno-lint-ignore no-explicit-any -- as above
  let taskRuns = new Map<string, any>();
  for (const { data } of events) {
    Object.assign(known, data.execution, data.changed);
    const changed = data.execution?.taskRunList ?? data.taskRuns ?? [];
    for (const taskRun of changed) taskRuns.set(taskRun.id, taskRun);
    for (const id of data.removed ?? []) taskRuns.delete(id);
    if (data.taskRunIds) taskRuns = new Map([...taskRuns].filter(([id]) => data.taskRunIds.includes(id)));
  }
  return { state: known.state.current, taskRuns: [...taskRuns.values()].map(describe) };
}

// deno-lint-ignore no-explicit-any -- as above
function describe({ id, state, outputs }: any): string {
  return `${id} ${state.current} ${JSON.stringify(outputs)}`;
}

async function truth(server: Harness, id: unknown) {
  const { state, taskRunList } = await server.execution(String(id));
  return { state: state.current, taskRuns: taskRunList.map(describe) };
}

Deno.test("GET /executions/:id/follow?format=delta sends all, then only what changed, until the end", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const { id } = await server.start("long");
  await server.advance(2_500);
  await using reader = await follow(server, id);
  assertEquals(reader.events.length, 1);
  assertObjectMatch(reader.events[0]?.data.execution, { id, waiting: { reason: "PAUSED" } });
  await server.request("POST", `/executions/${id}/resume`);
  await server.advance(100);
  const [, second] = reader.events;
  assertEquals(Object.keys(second?.data), ["changed", "taskRuns"]);
  assertEquals(Object.keys(second?.data.changed), ["state", "waiting"]);
  assertEquals(second?.data.taskRuns.map(({ taskId }: { taskId: string }) => taskId), [
    "hold",
    "each",
    "nap",
  ]);
  await server.advance(30_000);
  assertEquals([reader.isEnded, reader.events.at(-1)?.data.end], [true, true]);
  assertEquals(replay(reader.events), await truth(server, id));
  const ids = reader.events.map((event) => Number(event.id));
  assertEquals(ids, ids.toSorted((one, other) => one - other));
});

Deno.test("GET /executions/:id/follow?format=delta continues from Last-Event-ID with what has changed since", async () => {
  await using server = await Harness.start();
  await server.save(FLOW);
  const { id } = await server.start("long");
  await server.advance(2_500);
  await using first = await follow(server, id);
  await first.leave();
  await server.advance(1_000);
  await server.request("POST", `/executions/${id}/resume`);
  await server.advance(12_000);
  await using second = await follow(server, id, first.events.at(-1)?.id);
  const [event] = second.events;
  assertEquals(event?.data.execution, undefined);
  const told = event?.data.taskRuns.map(({ taskId }: { taskId: string }) => taskId) as string[];
  assert(told.includes("hold") && !told.includes("a"), told.join());
  assertEquals(replay([...first.events, ...second.events]), await truth(server, id));
});

Deno.test("GET /executions/:id/follow?format=delta reports removed task runs, also after a reconnect", async () => {
  await using server = await Harness.start();
  await server.save(LOOP);
  const { id } = await server.start("loop");
  await settle();
  await using stays = await follow(server, id);
  await using leaves = await follow(server, id);
  await leaves.leave();
  await server.advance(11_000);
  assertEquals(replay(stays.events), await truth(server, id));
  await using back = await follow(server, id, leaves.events.at(-1)?.id);
  assertEquals(replay([...leaves.events, ...back.events]), await truth(server, id));
  await server.advance(30_000);
  assertEquals(replay(stays.events), await truth(server, id));
});

Deno.test("GET /executions/:id/follow?format=delta of an ended execution sends all of it and ends", async () => {
  await using server = await Harness.start();
  await server.save(FLOW.replace(/ {2}- id: hold[\s\S]*/, ""));
  const { id } = await server.start("long");
  await server.advance(2_500);
  await using reader = await follow(server, id, "nonsense");
  await settle();
  assertEquals([reader.events.length, reader.isEnded, reader.events[0]?.data.end], [1, true, true]);
});

Deno.test("GET /executions/:id/follow continues through a pause and begins again after a restart", async () => {
  await using server = await Harness.start({ effect: () => ({ state: "FAILED" }) });
  await server.save(
    FLOW.replace(/ {2}- id: each[\s\S]*/, "  - id: last\n    type: io.svc.plugin.harness.Effect\n"),
  );
  const { id } = await server.start("long");
  await server.advance(2_500);
  const path = `/executions/${id}/follow`;
  await using reader = new EventReader(await server.request("GET", path));
  await server.advance(1_000);
  assertEquals([reader.ids, reader.isEnded], ["start progress", false]);
  await server.request("POST", `/executions/${id}/resume`);
  await server.advance(1_000);
  assertEquals([reader.ids.split(" ").at(-1), reader.isEnded], ["end", true]);
  await server.json("POST", `/executions/${id}/restart`);
  await server.advance(1_000);
  await using again = new EventReader(await server.request("GET", path));
  await settle();
  assertEquals(again.ids, "end");
});
