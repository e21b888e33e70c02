/** Ended executions whose result is still awaited: neither retention nor a purge by age removes them. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { AttemptOutcome } from "../../../src/model/tasks/task_catalog.ts";
import { flow, outputsOf, untilQuiet } from "../../runtime/loops/loop_support.ts";
import { Harness, type HarnessOptions } from "../../support/harness.ts";

const HOUR = 3_600_000;
const SAY = flow("tasks: [{id: v, type: $.debug.Return, format: said}]", "say");
const LOOP = flow(
  `tasks: [{id: l, type: $.flow.Loop, values: [a, b, c, last], outputs: [{id: o, value: "{{ outputs.v.value }}"}], tasks: [
  {id: v, type: $.debug.Return, format: "{{ item.value }}"}, {id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
  "looping",
);
const LAST = `{id: e2, type: EFFECT, name: last}`;

/** Effects of the name `last` wait until they are let go; the first of the name `fails once` fails. */
function gate() {
  const open = Promise.withResolvers<AttemptOutcome>();
  let failures = 0;
  const effect: HarnessOptions["effect"] = ({ name }) => {
    if (name === "last") return open.promise;
    return { state: name === "fails once" && failures++ === 0 ? "FAILED" : "SUCCESS", outputs: {} };
  };
  return { effect, open: () => open.resolve({ state: "SUCCESS", outputs: {} }) };
}

/** The number of executions of each flow, passes of loops included. */
async function counts(app: Harness): Promise<Record<string, number>> {
  const all = "/executions/search?filters[kind][IN]=NORMAL,LOOP&size=1000";
  const { results } = await app.page<{ flowId: string }>(all);
  const found = Map.groupBy(results, ({ flowId }) => flowId);
  return Object.fromEntries([...found].map(([flowId, those]) => [flowId, those.length]).sort());
}

async function begin(app: Harness, flowId: string): Promise<string> {
  const { id } = await app.start(flowId);
  await untilQuiet(app);
  return String(id);
}

function mergedIn(outputs: JsonObject): unknown {
  return (outputs.outputs as JsonObject[]).map((pass) => (pass.outputs as JsonObject).o);
}

Deno.test("retention keeps the ended passes of a Loop until the Loop has merged them", async () => {
  const { effect, open } = gate();
  await using app = await Harness.start({ retention: { maxAgeMs: HOUR }, effect });
  for (const source of [LOOP, SAY]) await app.save(source);
  const id = await begin(app, "looping");
  await begin(app, "say");
  await app.advance(2 * HOUR);
  assertEquals(await counts(app), { looping: 5 });
  open();
  await untilQuiet(app);
  assertEquals(mergedIn(outputsOf(await app.execution(id), "l")), ["a", "b", "c", "last"]);
  await app.advance(61_000);
  assertEquals(await counts(app), { looping: 2 }, "what has ended within the hour");
  await app.advance(2 * HOUR);
  assertEquals(await counts(app), {});
});

/** Flows whose execution runs on after others that it started have ended, and what is left two hours later. */
const KEEPING: readonly (readonly [name: string, flows: readonly string[], left: Record<string, number>])[] =
  [
    [
      "the execution of a Subflow",
      [flow(`tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: say}, ${LAST}]`, "top")],
      { say: 1, top: 1 },
    ],
    [
      "what an ended pass has started",
      [flow(
        `tasks: [{id: l, type: $.flow.Loop, values: [a, last], tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: say},
        {id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
        "top",
      )],
      { say: 2, top: 3 },
    ],
    [
      "the executions of a ForEachItem",
      [flow(
        `tasks: [{id: w, type: $.storage.Write, content: "1\\n2\\n", extension: .txt}, {id: f, type: $.flow.ForEachItem,
        items: "{{ outputs.w.uri }}", batch: {rows: 1}, namespace: demo, flowId: say}, ${LAST}]`,
        "top",
      )],
      { say: 2, top: 1 },
    ],
    [
      "what a retried execution has started, while its successor runs",
      [flow(
        `retry: {type: constant, interval: PT1S, maxAttempts: 2, behavior: CREATE_NEW_EXECUTION}
tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: say}, {id: e, type: EFFECT, name: fails once}, ${LAST}]`,
        "top",
      )],
      { say: 2, top: 2 },
    ],
    [
      "nothing that a Subflow does not wait for",
      [flow(
        `tasks: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: say, wait: false}, ${LAST}]`,
        "top",
      )],
      { top: 1 },
    ],
  ];
for (const [name, flows, left] of KEEPING) {
  Deno.test(`retention keeps, for an execution under way, ${name}`, async () => {
    const { effect, open } = gate();
    await using app = await Harness.start({ retention: { maxAgeMs: HOUR }, effect });
    for (const source of [SAY, ...flows]) await app.save(source);
    await begin(app, "top");
    await app.advance(2 * HOUR);
    assertEquals(await counts(app), left);
    open();
    await untilQuiet(app);
    await app.advance(2 * HOUR);
    assertEquals(await counts(app), {});
  });
}

const AFTER = flow(
  `tasks: [{id: v, type: $.debug.Return, format: x}]
afterExecution: [{id: s, type: $.flow.Subflow, namespace: demo, flowId: waits}]`,
  "after",
);
const WAITS = flow(
  `tasks: [{id: first, type: $.flow.Subflow, namespace: demo, flowId: say}, {id: p, type: $.flow.Pause}]`,
  "waits",
);

/** An ended execution whose `afterExecution` awaits a paused one, which has started another; and that paused one. */
async function beginAfter(app: Harness): Promise<readonly [id: string, paused: string]> {
  for (const source of [SAY, WAITS, AFTER]) await app.save(source);
  const id = await begin(app, "after");
  assertEquals((await app.execution(id)).state.current, "SUCCESS");
  const { results: [paused] } = await app.page<{ id: string }>("/executions/search?flowId=waits");
  return [id, String(paused?.id)];
}

Deno.test("retention keeps an ended execution, and what it has started, while its afterExecution waits", async () => {
  await using app = await Harness.start({ retention: { maxAgeMs: HOUR } });
  const [id, paused] = await beginAfter(app);
  await app.advance(3 * HOUR);
  assertEquals(await counts(app), { after: 1, say: 1, waits: 1 });
  await app.json("POST", `/executions/${paused}/resume`);
  await untilQuiet(app);
  const { taskRunList } = await app.execution(id);
  assertEquals(taskRunList.map(({ state }) => state.current), ["SUCCESS", "SUCCESS"]);
  await app.advance(3 * HOUR);
  assertEquals(await counts(app), {});
});

Deno.test("PurgeExecutions keeps an ended execution while its afterExecution waits", async () => {
  await using app = await Harness.start();
  const [, paused] = await beginAfter(app);
  await app.save(
    flow(`tasks: [{id: p, type: $.execution.PurgeExecutions, endDate: "{{ now() }}"}]`, "purge"),
  );
  await app.advance(HOUR);
  await begin(app, "purge");
  assertEquals(await counts(app), { after: 1, purge: 1, say: 1, waits: 1 });
  await app.json("POST", `/executions/${paused}/resume`);
  await untilQuiet(app);
  await app.advance(1_000);
  await begin(app, "purge");
  assertEquals(await counts(app), { purge: 1 });
});

const ENDED_PASSES = "filters[kind][EQUALS]=LOOP&filters[state][EQUALS]=SUCCESS";

/** A server with a Loop that has three ended passes, and another ended execution; all of them ended an hour ago. */
async function withEndedPasses(effect: HarnessOptions["effect"]): Promise<{ app: Harness; loopId: string }> {
  const app = await Harness.start({ effect });
  for (const source of [LOOP, SAY]) await app.save(source);
  const loopId = await begin(app, "looping");
  await begin(app, "say");
  await app.advance(HOUR);
  return { app, loopId };
}

Deno.test("PurgeExecutions keeps the ended passes of a Loop until the Loop has ended", async () => {
  const { effect, open } = gate();
  const { app: server, loopId } = await withEndedPasses(effect);
  await using app = server;
  await app.save(
    flow(`tasks: [{id: p, type: $.execution.PurgeExecutions, endDate: "{{ now() }}"}]`, "purge"),
  );
  const purged = async () => outputsOf(await app.execution(await begin(app, "purge")), "p").executionsCount;
  assertEquals([await purged(), await counts(app)], [1, { looping: 5, purge: 1 }]);
  open();
  await untilQuiet(app);
  assertEquals(mergedIn(outputsOf(await app.execution(loopId), "l")), ["a", "b", "c", "last"]);
  await app.advance(1_000);
  assertEquals([await purged(), await counts(app)], [6, { purge: 1 }]);
});

Deno.test("PurgeStorage keeps the files of ended passes until the Loop has ended", async () => {
  const { effect, open } = gate();
  await using app = await Harness.start({ effect });
  await app.save(flow(
    `tasks: [{id: l, type: $.flow.Loop, values: [a, last], tasks: [{id: w, type: $.storage.Write, content: x},
      {id: e, type: EFFECT, name: "{{ item.value }}"}]}]`,
    "looping",
  ));
  await begin(app, "looping");
  await app.save(
    flow(`tasks: [{id: p, type: $.storage.PurgeStorage, dryRun: false, endDate: "{{ now() }}"}]`, "purge"),
  );
  const purged = async () => {
    await app.advance(1_000);
    return outputsOf(await app.execution(await begin(app, "purge")), "p").deletedFilesCount;
  };
  assertEquals(await purged(), 0);
  open();
  await untilQuiet(app);
  assertEquals(await purged(), 2);
});

Deno.test("DELETE /executions/by-query by age keeps the ended passes of a Loop until the Loop has ended", async () => {
  const { effect, open } = gate();
  const { app: server } = await withEndedPasses(effect);
  await using app = server;
  const old = `${ENDED_PASSES}&filters[endDate][LESS_THAN]=`;
  const deleted = async () => {
    const before = new Date(app.clock.now()).toISOString();
    const { count } = await app.json("DELETE", `/executions/by-query?${old}${before}`) as JsonObject;
    return count;
  };
  assertEquals([await deleted(), await counts(app)], [0, { looping: 5, say: 1 }]);
  open();
  await untilQuiet(app);
  await app.advance(1_000);
  assertEquals([await deleted(), await counts(app)], [4, { looping: 1, say: 1 }]);
});

const ASKED: readonly (readonly [what: string, request: (app: Harness) => Promise<unknown>, left: number])[] =
  [
    ["by its id", async (app) => {
      const { results } = await app.page(`/executions/search?${ENDED_PASSES}`);
      await app.request("DELETE", `/executions/${results[0]?.id}`);
    }, 4],
    ["by ids", async (app) => {
      const { results } = await app.page(`/executions/search?${ENDED_PASSES}`);
      const body = JSON.stringify(results.map(({ id }) => id));
      await app.json("DELETE", "/executions/by-ids", {
        body,
        headers: { "content-type": "application/json" },
      });
    }, 2],
    ["by a query without an age", (app) => app.json("DELETE", `/executions/by-query?${ENDED_PASSES}`), 2],
  ];
for (const [what, request, left] of ASKED) {
  Deno.test(`a person may delete an ended pass of a running Loop ${what}`, async () => {
    const { effect } = gate();
    const { app: server } = await withEndedPasses(effect);
    await using app = server;
    await request(app);
    assertEquals(await counts(app), { looping: left, say: 1 });
  });
}
