import { assertEquals, assertMatch } from "@std/assert";
import { FAKE_START, settle } from "../../../support/fakes/fake_clock.ts";
import { effects, flowSource, logs, sleeps } from "../../../support/flows/flow_sources.ts";
import { restartGated } from "../../../support/fakes/gated_store.ts";
import { Harness } from "../../../support/harness.ts";
import { json } from "../../../support/flows/request_bodies.ts";
import { logFlow, search } from "../../log_flow.ts";

const SLOW = flowSource("slow", logs("before"), sleeps("wait", "PT1H"), logs("after", "after", "ERROR"));
const LONG = flowSource("long", effects("chatty"));

/** Flows `a` and `b` of two namespaces ran a second apart, and `slow` sleeps. */
async function startTalking(): Promise<Harness> {
  const server = await Harness.start();
  for (const [id, namespace] of [["a", "demo"], ["b", "demo.sub"], ["c", "system"]] as const) {
    await server.save(logFlow(id, namespace));
    await server.json("POST", `/executions/${namespace}/${id}`, {
      body: new URLSearchParams({ word: `w-${id}` }),
    });
    await server.advance(1_000);
  }
  await server.save(SLOW);
  await server.start("slow");
  await settle();
  return server;
}

const at = (seconds: number) => encodeURIComponent(new Date(FAKE_START + seconds * 1_000).toISOString());

const FOUND: readonly (readonly [query: string, messages: string])[] = [
  ["q=begins", "w-c begins, w-b begins, w-a begins"],
  ["q=BEGINS w", "w-c begins, w-b begins, w-a begins"],
  ["q=w-b ends", "w-b ends"],
  ["q=second", "w-c ends, w-b ends, w-a ends"],
  ["q=*&namespace=demo", "Waiting for PT1H, before, w-b ends, w-b begins, w-a ends, w-a begins"],
  ["filters[q][NOT_EQUALS]=*", ""],
  ["filters[q][NOT_EQUALS]=begins&minLevel=INFO&namespace=demo.sub", "w-b ends"],
  ["q=__proto__", ""],
  ["namespace=demo&flowId=a", "w-a ends, w-a begins"],
  ["filters[namespace][EQUALS]=demo", "Waiting for PT1H, before, w-a ends, w-a begins"],
  ["filters[namespace][IN]=demo.sub,system&filters[level][EQUALS]=WARN", "w-c ends, w-b ends"],
  ["filters[flowId][NOT_IN]=a,b,slow", "w-c ends, w-c begins"],
  ["filters[taskId][STARTS_WITH]=none", ""],
  ["filters[flowId][REGEX]=^[ab]$&minLevel=warn", "w-b ends, w-a ends"],
  ["scope=SYSTEM", "w-c ends, w-c begins"],
  ["scope=USER&minLevel=WARN", "w-b ends, w-a ends"],
  ["level=WARN&sort=timestamp:asc", "w-a ends, w-b ends, w-c ends"],
  ["minLevel=ERROR", ""],
  ["filters[level][NOT_EQUALS]=WARN&flowId=a", "w-a begins"],
  ["filters[level][IN]=INFO,ERROR&flowId=a", "w-a begins"],
  ["filters[level][LESS_THAN_OR_EQUAL_TO]=INFO&flowId=a", "w-a begins"],
  [`startDate=${at(1)}&endDate=${at(1)}`, "w-b ends, w-b begins"],
  [
    `startDate=${at(1)}&sort=timestamp:asc`,
    "w-b begins, w-b ends, w-c begins, w-c ends, before, Waiting for PT1H",
  ],
  [`endDate=${at(0)}`, "w-a ends, w-a begins"],
  [`filters[startDate][GREATER_THAN]=${at(1)}`, "Waiting for PT1H, before, w-c ends, w-c begins"],
  ["timeRange=PT1S", "Waiting for PT1H, before, w-c ends, w-c begins"],
  ["triggerId=none", ""],
  ["executionId=unknown", ""],
  [
    "filters[or][0][flowId][EQUALS]=a&filters[or][1][level][EQUALS]=WARN",
    "w-c ends, w-b ends, w-a ends, w-a begins",
  ],
  ["page=2&size=3", "w-c begins, w-b ends, w-b begins"],
  ["page=3&size=3", "w-a ends, w-a begins"],
  ["page=9&size=3", ""],
  ["sort=timestamp:asc&size=2", "w-a begins, w-a ends"],
  ["size=1&sort=timestamp:desc", "Waiting for PT1H"],
];
Deno.test("GET /logs/search finds lines of all executions by every filter, those that run included", async (t) => {
  await using server = await startTalking();
  for (const [query, messages] of FOUND) {
    await t.step(query, async () => {
      const { results } = await search(server, query);
      assertEquals(results.map(({ message }) => message).join(", "), messages);
    });
  }
});

Deno.test("GET /logs/search says how the page was chosen, and gives the cursor under both names", async () => {
  await using server = await startTalking();
  const first = await server.json("GET", "/logs/search?size=2") as Record<string, string>;
  assertEquals([first.type, first.nextCursor], ["OFFSET", first.cursor]);
  const next = await server.json("GET", `/logs/search?size=2&cursor=${first.nextCursor}`) as Record<
    string,
    string
  >;
  assertEquals(next.type, "CURSOR");
  const last = await server.json("GET", "/logs/search?size=100") as Record<string, string>;
  assertEquals([last.cursor, last.nextCursor], [undefined, undefined]);
});

const TOTALS: readonly (readonly [query: string, total: number])[] = [
  ["", 8],
  ["size=1", 8],
  ["page=9", 8],
  ["minLevel=WARN&size=1", 3],
  ["filters[level][IN]=TRACE", 0],
];
for (const [query, total] of TOTALS) {
  Deno.test(`GET /logs/search?${query} reports that ${total} lines match`, async () => {
    await using server = await startTalking();
    const page = await search(server, query);
    assertEquals([page.total, page.isTotalExact], [total, undefined]);
  });
}

Deno.test("GET /logs/search returns entries with their names", async () => {
  await using server = await startTalking();
  const { results: [entry] } = await search(server, "flowId=b&minLevel=WARN");
  assertMatch(entry?.executionId ?? "", /^\w{22}$/);
  assertEquals({ ...entry, executionId: "", taskRunId: "" }, {
    namespace: "demo.sub",
    flowId: "b",
    executionId: "",
    taskId: "second",
    taskRunId: "",
    attemptNumber: 0,
    timestamp: new Date(FAKE_START + 1_000).toISOString(),
    level: "WARN",
    lineNumber: 2,
    thread: "main",
    message: "w-b ends",
  } as never);
});

const REFUSED: readonly (readonly [query: string, status: number])[] = [
  ["page=0", 422],
  ["size=-1", 422],
  ["size=x", 422],
  ["sort=timestamp", 422],
  ["sort=level:asc", 422],
  [`startDate=${at(1)}&endDate=${at(0)}`, 422],
  [`startDate=${at(0)}&timeRange=PT1H`, 422],
  ["filters[labels][EQUALS]=a:b", 400],
  ["filters[nothing][EQUALS]=a", 400],
  ["filters[level][CONTAINS]=a", 400],
  ["filters[level][EQUALS]=LOUD", 400],
  ["minLevel=LOUD", 400],
  ["startDate=yesterday", 400],
  ["timeRange=long", 422],
  ["scope=OTHER", 400],
  ["filters[namespace][REGEX]=(a*)*", 400],
];
Deno.test("GET /logs/search refuses what it does not understand", async (t) => {
  await using server = await Harness.start();
  for (const [query, status] of REFUSED) {
    await t.step(query, async () => {
      const response = await server.request("GET", `/logs/search?${query}`);
      await response.body?.cancel();
      assertEquals(response.status, status);
    });
  }
});

Deno.test("GET /logs/search orders lines by their times, also those of a long execution", async () => {
  await using server = await startTalking();
  await server.advance(1_000);
  await server.start("a", { word: "late" });
  await server.advance(3_600_000);
  const newest = await search(server, "size=5");
  const oldest = await search(server, "size=9&sort=timestamp:asc");
  assertEquals(newest.results.map(({ message }) => message), [
    "after",
    "late ends",
    "late begins",
    "Waiting for PT1H",
    "before",
  ]);
  assertEquals(oldest.results.at(-1)?.message, "late begins");
});

Deno.test("GET /logs/search shows lines of other kinds only for their execution", async () => {
  await using server = await Harness.start();
  await server.save(logFlow("a"));
  const { id } = await server.start("a", {}, "?kind=TEST");
  await settle();
  assertEquals((await search(server, "")).total, 0);
  const { results } = await search(server, `executionId=${id}`);
  assertEquals(results.map(({ executionKind }) => executionKind), ["TEST", "TEST"]);
});

Deno.test("GET /logs/search of one tenant finds nothing of another", async () => {
  await using server = await startTalking();
  await server.json("POST", "/api/v1/tenants", json({ id: "acme" }));
  assertEquals(await server.json("GET", "/api/v1/acme/logs/search"), {
    results: [],
    total: 0,
    type: "OFFSET",
  });
});

Deno.test("GET /logs/search finds an execution and a task run by words of their ids", async () => {
  await using server = await startTalking();
  const { results: [entry] } = await search(server, "flowId=b&minLevel=WARN");
  const { executionId = "", taskRunId = "" } = entry ?? {};
  assertEquals((await search(server, `q=${executionId.slice(3)}`)).total, 2);
  assertEquals((await search(server, `q=${taskRunId}`)).total, 1);
});

const LEFT: readonly (readonly [query: string, messages: string])[] = [
  ["", ""],
  ["minLevel=WARN", "w begins"],
  ["level=WARN", "w begins"],
  ["q=ends", "w begins"],
  ["taskId=first", "w ends"],
  ["taskId=nothing", "w begins, w ends"],
  ["attempt=0", ""],
  ["attempt=1", "w begins, w ends"],
  ["filters[level][IN]=INFO", "w ends"],
];
for (const [query, messages] of LEFT) {
  Deno.test(`DELETE /logs/:executionId?${query} leaves ${messages || "nothing"}`, async () => {
    await using server = await Harness.start();
    await server.save(logFlow("a"));
    const { id } = await server.start("a", { word: "w" });
    await settle();
    await server.json("DELETE", `/logs/${id}?${query}`);
    const left = await server.json("GET", `/logs/${id}`) as { message: string }[];
    assertEquals(left.map(({ message }) => message).join(", "), messages);
    const total = messages === "" ? 0 : messages.split(", ").length;
    assertEquals((await search(server, "")).total, total);
    await using next = await server.crash();
    assertEquals((await search(next, "")).total, total);
  });
}

Deno.test("DELETE /logs/:executionId leaves a part of a long log", async () => {
  await using server = await Harness.start({
    effect: (_properties, context) => {
      for (let i = 0; i < 3_000; i++) {
        context.log(i % 3 === 0 ? "ERROR" : "INFO", `line ${i} ${"x".repeat(100)}`);
      }
      return { state: "SUCCESS", outputs: {} };
    },
  });
  const { id } = await server.run(LONG);
  const count = async (query: string) => (await search(server, query)).total;
  assertEquals([await count(""), await count("q=line 7")], [3_000, 813]);
  await server.json("DELETE", `/logs/${id}?minLevel=WARN`);
  assertEquals([await count(""), await count("minLevel=ERROR")], [2_000, 0]);
  await server.json("DELETE", `/logs/${id}`);
  assertEquals(await count(""), 0);
});

Deno.test("DELETE /logs/:namespace/:flowId deletes the entries of all that have ended", async () => {
  await using server = await startTalking();
  await server.json("DELETE", "/logs/demo/slow");
  await server.json("DELETE", "/logs/demo.sub/b?triggerId=other");
  await server.json("DELETE", "/logs/demo/__proto__");
  assertEquals((await search(server, "")).total, 8);
  await server.json("DELETE", "/logs/demo.sub/b");
  assertEquals((await search(server, "namespace=demo.sub")).total, 0);
  assertEquals((await search(server, "")).total, 6);
});

Deno.test("DELETE /logs/:namespace/:flowId takes several executions at the same time", async () => {
  const first = await Harness.start();
  await first.run(logFlow("a", "demo"), { word: "one" });
  await first.start("a", { word: "two" });
  await first.advance(10);
  const { app, store } = await restartGated(first);
  await using _ = app;
  store.holdsReads = true;
  const deleting = app.request("DELETE", "/logs/demo/a");
  await settle();
  assertEquals(store.waiting, 2);
  store.holdsReads = false;
  await store.letThrough();
  assertEquals((await deleting).status, 200);
  assertEquals((await search(app, "")).total, 0);
});
