import { assertEquals, assertStringIncludes } from "@std/assert";
import { Double, type JsonObject, type JsonValue } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { restartGated } from "../../../support/fakes/gated_store.ts";
import { Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const CORE = "io.kestra.plugin.core";
const DAY_MS = 86_400_000;
const flow = (id: string, namespace: string, tasks: string) =>
  `id: ${id}\nnamespace: ${namespace}\ntasks:\n${tasks}`;
const LOG = `  - {id: t, type: ${CORE}.log.Log, message: hello, level: WARN}\n`;
const GOOD = flow("good", "demo.team", LOG + `  - {id: u, type: ${CORE}.log.Log, message: again}\n`) +
  `triggers:\n  - {id: s, type: ${CORE}.trigger.Schedule, cron: "0 9 1 6 *"}\n`;
const BAD = flow("bad", "demo", `  - {id: f, type: ${CORE}.execution.Fail}\n`);
/** A window of three days: the first with three executions, the second with one. */
const WINDOW = { startDate: "2026-01-15T00:00:00Z", endDate: "2026-01-17T23:00:00Z" };

async function started(): Promise<Harness> {
  const server = await Harness.start();
  for (const source of [GOOD, BAD]) await server.save(source);
  for (const path of ["demo.team/good", "demo.team/good", "demo/bad"]) await run(server, path);
  server.clock.jump(DAY_MS);
  await run(server, "demo.team/good");
  return server;
}

async function run(server: Harness, path: string): Promise<void> {
  await server.json("POST", `/executions/${path}?wait=true`);
}

const post = (server: Harness, path: string, body: JsonValue = {}) =>
  server.json("POST", `/stats/${path}`, json(body));

/** The states with executions of each entry, and their number. */
function statesOf(entries: JsonValue): string[] {
  return (entries as JsonObject[]).map(({ executionCounts, duration }) => {
    const present = Object.entries(executionCounts as JsonObject).filter(([, count]) => count !== 0);
    return `${present.map((pair) => pair.join(" ")).join(" ")} of ${(duration as JsonObject).count}`;
  });
}

/** Members of the request, and the states of its first two days; the third has none. */
const DAILY: readonly (readonly [body: JsonObject, days: readonly string[]])[] = [
  [{}, ["SUCCESS 2 FAILED 1 of 3", "SUCCESS 1 of 1"]],
  [{ namespace: "demo.team" }, ["SUCCESS 2 of 2", "SUCCESS 1 of 1"]],
  [{ flowId: "bad" }, ["FAILED 1 of 1", " of 0"]],
  [{ state: ["FAILED", "KILLED"] }, ["FAILED 1 of 1", " of 0"]],
  [{ q: "good" }, ["SUCCESS 2 of 2", "SUCCESS 1 of 1"]],
  [{ scope: ["SYSTEM"] }, [" of 0", " of 0"]],
];
Deno.test("POST /stats/executions/daily counts the states of each day, days without executions included", async (test) => {
  await using server = await started();
  for (const [body, expected] of DAILY) {
    await test.step(JSON.stringify(body), async () => {
      assertEquals(statesOf(await post(server, "executions/daily", { ...WINDOW, ...body })), [
        ...expected,
        " of 0",
      ]);
    });
  }
  const [first] = await post(server, "executions/daily", WINDOW) as JsonObject[];
  assertEquals([first?.startDate, first?.groupBy], ["2026-01-15T00:00:00.000Z", "day"]);
  const zero = new Double(0);
  assertEquals(first?.duration, { min: zero, avg: zero, max: zero, sum: zero, count: 3 });
  assertEquals((first?.executionCounts as JsonObject).QUEUED, 0);
});

Deno.test("POST /stats/executions/daily writes durations as text for a caller that wants it", async () => {
  await using server = await started();
  const { headers, body } = json(WINDOW);
  const accept = { accept: "application/json;durations=iso" };
  const init = { headers: { ...headers as Record<string, string>, ...accept }, body };
  const [first] = await server.json("POST", "/stats/executions/daily", init) as JsonObject[];
  assertEquals(first?.duration, { min: "PT0S", avg: "PT0S", max: "PT0S", sum: "PT0S", count: 3 });
});

Deno.test("POST /stats/executions/daily shows the last 30 days without a window", async () => {
  await using server = await started();
  const entries = await post(server, "executions/daily") as JsonObject[];
  assertEquals([entries.length, entries[0]?.startDate], [31, "2025-12-17T00:00:00.000Z"]);
});

Deno.test("POST /stats/executions/daily/group-by-flow groups by namespace and flow", async () => {
  await using server = await started();
  const all = await post(server, "executions/daily/group-by-flow", WINDOW) as Record<string, JsonObject>;
  assertEquals(Object.keys(all), ["demo", "demo.team"]);
  assertEquals(statesOf(all.demo?.bad ?? []), ["FAILED 1 of 1", " of 0", " of 0"]);
  assertEquals(statesOf(all["demo.team"]?.good ?? []), ["SUCCESS 2 of 2", "SUCCESS 1 of 1", " of 0"]);
  const flows = [{ namespace: "demo", id: "bad" }, { namespace: "other", id: "good" }];
  const one = await post(server, "executions/daily/group-by-flow", { ...WINDOW, flows }) as JsonObject;
  assertEquals(Object.keys(one), ["demo"]);
  const byNamespace = { ...WINDOW, namespaceOnly: true };
  const namespaces = await post(server, "executions/daily/group-by-flow", byNamespace) as Record<
    string,
    JsonObject
  >;
  assertEquals(Object.values(namespaces).map((flows) => Object.keys(flows)), [["*"], ["*"]]);
});

Deno.test("POST /stats/executions/daily/group-by-namespace counts states, the largest total first", async () => {
  await using server = await started();
  const found = await post(server, "executions/daily/group-by-namespace", WINDOW) as Record<
    string,
    JsonObject
  >;
  assertEquals(Object.entries(found).map(([name, { total }]) => [name, total]), [["demo.team", 3], [
    "demo",
    1,
  ]]);
  assertEquals((found.demo?.counts as JsonObject).FAILED, 1);
});

Deno.test("POST /stats/executions/latest/group-by-flow lists the newest execution of each flow that has ended", async () => {
  await using server = await started();
  const newest = async (flow: string) =>
    (await server.page(`/executions/search?flowId=${flow}&size=1`)).results[0]?.id;
  const [good, bad] = [await newest("good"), await newest("bad")];
  const pause = flow("bad", "demo", `  - {id: p, type: ${CORE}.flow.Pause}\n`);
  await server.json("PUT", "/flows/demo/bad", yaml(pause));
  await server.start("bad");
  await server.save(pause.replace("id: bad", "id: paused"));
  await server.start("paused");
  const found = async (body: JsonValue) =>
    (await post(server, "executions/latest/group-by-flow", body) as JsonObject[]).map(({ id }) => id);
  assertEquals(await found({}), [good, bad]);
  const flows = [{ namespace: "demo", id: "bad" }, { namespace: "demo", id: "none" }];
  assertEquals(await found({ flows }), [bad]);
});

Deno.test("POST /stats/logs/daily counts the lines of each day by level", async () => {
  await using server = await started();
  const levels = async (body: JsonObject) =>
    (await post(server, "logs/daily", { ...WINDOW, ...body }) as JsonObject[]).map(({ counts }) =>
      Object.entries(counts as JsonObject).filter(([, count]) => count !== 0).map((pair) => pair.join(" "))
        .join(" ")
    );
  assertEquals(await levels({}), ["INFO 2 WARN 2 ERROR 1", "INFO 1 WARN 1", ""]);
  assertEquals(await levels({ logLevel: "WARN", namespace: "demo.team" }), ["WARN 2", "WARN 1", ""]);
});

Deno.test("POST /stats/taskruns/daily counts task runs", async () => {
  await using server = await started();
  assertEquals(statesOf(await post(server, "taskruns/daily", WINDOW)), [
    "SUCCESS 4 FAILED 1 of 5",
    "SUCCESS 2 of 2",
    " of 0",
  ]);
  const failed = { ...WINDOW, state: ["FAILED"] };
  assertEquals(statesOf(await post(server, "taskruns/daily", failed)), ["FAILED 1 of 1", " of 0", " of 0"]);
});

Deno.test("POST /stats/taskruns/daily reads several executions at the same time", async () => {
  const { app, store } = await restartGated(await started());
  await using _ = app;
  store.holdsReads = true;
  const response = post(app, "taskruns/daily", WINDOW);
  await settle();
  assertEquals(store.waiting, 4);
  store.holdsReads = false;
  await store.letThrough();
  assertEquals(statesOf(await response)[0], "SUCCESS 4 FAILED 1 of 5");
});

/** A query of task runs, their tasks and their number. */
const TASK_RUNS: readonly (readonly [query: string, tasks: string, total: number])[] = [
  ["", "u t f u t u t", 7],
  ["?size=2&page=2", "f u", 7],
  ["?state=FAILED", "f", 1],
  ["?state=FAILED&state=KILLED", "f", 1],
  ["?filters[state][NOT_IN]=SUCCESS,KILLED", "f", 1],
  ["?filters[state][NOT_EQUALS]=FAILED&size=1", "u", 6],
  ["?state=FAILED&filters[state][EQUALS]=SUCCESS", "", 0],
  ["?state=[SUCCESS,FAILED]&namespace=demo&flowId=bad", "f", 1],
  ["?filters[namespace][PREFIX]=demo.team&timeRange=PT1H", "u t", 2],
  ["?startDate=2026-01-14T00:00:00Z&endDate=2026-01-15T12:00:00Z&flowId=good", "u t u t", 4],
  ["?sort=taskRunList.taskId:asc&size=4", "f t t t", 7],
];
Deno.test("GET /taskruns/search finds task runs over all executions", async (test) => {
  await using server = await started();
  for (const [query, tasks, expected] of TASK_RUNS) {
    await test.step(query, async () => {
      const { results, total } = await server.page(`/taskruns/search${query}`);
      assertEquals([results.map(({ taskId }) => taskId).join(" "), total], [tasks, expected]);
    });
  }
  const { results } = await server.page(`/taskruns/search?size=1`);
  const [{ id, executionId } = {}] = results;
  const { taskRunList } = await server.json("GET", `/executions/${executionId}`) as JsonObject;
  assertEquals((taskRunList as JsonObject[]).find((taskRun) => taskRun.id === id), results[0]);
  assertEquals(await server.json("GET", "/taskruns/maxTaskRunSetting"), 10_000);
});

Deno.test("GET /usages/all and POST /stats/summary count what a tenant has", async () => {
  await using server = await started();
  const { flows, triggers, executions } = await server.json("GET", "/api/v1/usages/all") as Record<
    string,
    JsonObject
  >;
  assertEquals(flows, {
    count: 2,
    namespacesCount: 2,
    taskTypeCount: { [`${CORE}.execution.Fail`]: 1, [`${CORE}.log.Log`]: 2 },
    triggerTypeCount: { [`${CORE}.trigger.Schedule`]: 1 },
    taskRunnerTypeCount: {},
  });
  assertEquals(triggers, { count: 1 });
  assertEquals(statesOf(executions?.dailyExecutionsCount ?? []), [
    " of 0",
    "SUCCESS 2 FAILED 1 of 3",
    "SUCCESS 1 of 1",
  ]);
  assertEquals(await post(server, "summary"), { flows: 2, triggers: 1 });
  assertEquals(await post(server, "summary", { namespace: "demo.team" }), { flows: 1, triggers: 1 });
});

/** A request, its body, the status and what the message says. */
const REFUSED: readonly (readonly [path: string, body: JsonValue, status: number, says: string])[] = [
  ["executions/daily", [], 422, "must be an object"],
  ["executions/daily", { startDate: "today" }, 400, '"startDate" must be a date'],
  ["executions/daily", { state: [{}] }, 422, '"state" must be a text or a list of at most 100'],
  ["executions/daily", { state: Array(101).fill("FAILED") }, 422, "a list of at most 100 texts"],
  ["executions/daily", { q: ["x", "y"] }, 422, '"q" must be a text'],
  ["executions/daily", { state: ["GREEN"] }, 400, '"state" must be one of'],
  ["executions/daily", { startDate: "2027-01-01T00:00:00Z" }, 422, "Start date must be before End Date"],
  ["executions/daily/group-by-flow", { flows: 5 }, 422, '"flows" must be a list'],
  ["executions/daily/group-by-flow", { flows: [{ id: "x" }] }, 422, "must have a namespace and an id"],
  ["taskruns/daily", { state: ["GREEN"] }, 422, "the state must be one of"],
  ["logs/daily", { logLevel: "LOUD" }, 400, '"minLevel" must be one of'],
  ["summary", { namespace: 5 }, 422, '"namespace" must be a text'],
];
for (const [path, body, status, says] of REFUSED) {
  Deno.test(`POST /stats/${path} refuses ${JSON.stringify(body).slice(0, 80)}`, async () => {
    await using server = await Harness.start();
    const response = await server.request("POST", `/stats/${path}`, json(body));
    assertEquals(response.status, status);
    assertStringIncludes((await response.json()).message, says);
  });
}
