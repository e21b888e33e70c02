/** Actions on many executions, on a complete server. */
import { assert, assertEquals, assertMatch, assertObjectMatch, assertStringIncludes } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { settle } from "../../../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, Harness } from "../../../support/harness.ts";
import { json, yaml } from "../../../support/flows/request_bodies.ts";

const UNKNOWN_ID = "AVbbB83o000xXUY4wsF0c8";

const PAUSED = "id: paused\nnamespace: demo\ntasks:\n  - id: hold\n    type: io.svc.plugin.core.flow.Pause\n";
const ASKING =
  "id: asking\nnamespace: demo\ntasks:\n  - id: hold\n    type: io.svc.plugin.core.flow.Pause\n" +
  "    onResume:\n      - id: reason\n        type: STRING\n";
const NAPPING =
  "id: napping\nnamespace: demo\ntasks:\n  - id: nap\n    type: io.svc.plugin.core.flow.Sleep\n" +
  "    duration: PT1H\n";
const LIMITED = PAUSED.replace("id: paused", "id: limited") + "concurrency:\n  limit: 1\n";
const WORK = `id: work\nnamespace: demo\ntasks:\n  - id: b\n    type: ${EFFECT_TYPE}\n`;

/** Starts executions of a flow and lets them settle; returns their ids, oldest first. */
async function begin(server: Harness, source: string, count: number): Promise<string[]> {
  const flow = await server.save(source);
  const ids: string[] = [];
  for (let i = 0; i < count; i++) ids.push(String((await server.start(String(flow.id))).id));
  await settle();
  return ids;
}

async function states(server: Harness, ids: readonly string[]): Promise<string[]> {
  await settle();
  return await Promise.all(ids.map(async (id) => (await server.execution(id)).state.current));
}

interface Row {
  readonly flow: string;
  readonly method?: string;
  readonly path: string;
  readonly query?: string;
  /** States before and afterwards. */
  readonly from: string;
  readonly to: string;
}

/** Effects that fail at first, to have executions to restart. */
const ROWS: readonly Row[] = [
  { flow: WORK, path: "restart", from: "FAILED", to: "SUCCESS" },
  { flow: PAUSED, path: "resume", from: "PAUSED", to: "SUCCESS" },
  { flow: NAPPING, path: "pause", from: "RUNNING", to: "PAUSED" },
  { flow: NAPPING, method: "DELETE", path: "kill", from: "RUNNING", to: "KILLED" },
  { flow: NAPPING, path: "kill", from: "RUNNING", to: "KILLED" },
  { flow: WORK, path: "change-status", query: "newStatus=CANCELLED", from: "FAILED", to: "CANCELLED" },
  { flow: PAUSED, path: "force-run", from: "PAUSED", to: "SUCCESS" },
  { flow: NAPPING, path: "force-run", from: "RUNNING", to: "RUNNING" },
];
for (const { flow, method = "POST", path, query = "", from, to } of ROWS) {
  for (const way of ["by-ids", "by-query"]) {
    Deno.test(`${method} /executions/${path}/${way} takes executions from ${from} to ${to}`, async () => {
      let isBetter = false;
      await using server = await Harness.start({
        effect: () => ({ state: isBetter ? "SUCCESS" : "FAILED" }),
      });
      const ids = await begin(server, flow, 3);
      assertEquals(await states(server, ids), [from, from, from]);
      isBetter = true;
      const filter = way === "by-ids" ? "" : `&filters[state][EQUALS]=${from}`;
      const init = way === "by-ids" ? json(ids.slice(1)) : {};
      const answer = await server.json(
        method,
        `/executions/${path}/${way}?${query}${filter}`,
        init,
      ) as JsonObject;
      const count = way === "by-ids" ? 2 : 3;
      assertObjectMatch(answer, { count, totalItems: count });
      assertMatch(String(answer.operationId), /^[A-Z][0-9A-Za-z]{21}$/);
      assertEquals(await states(server, ids), [way === "by-ids" ? from : to, to, to]);
    });
  }
}

Deno.test("POST /executions/replay/by-ids begins new executions, of the latest revision on request", async () => {
  await using server = await Harness.start();
  const ids = await begin(server, WORK, 2);
  await server.json("PUT", "/flows/demo/work", yaml(`${WORK}description: new\n`));
  for (const [query, revision] of [["", 1], ["?latestRevision=true", 2]] as const) {
    assertObjectMatch(await server.json("POST", `/executions/replay/by-ids${query}`, json(ids)) as object, {
      count: 2,
    });
    await settle();
    const { results } = await server.page("/executions/search?size=2");
    assertEquals(results.map(({ flowRevision }) => flowRevision), [revision, revision]);
    assertEquals(results.map(({ parentId }) => parentId).sort(), ids);
  }
});

Deno.test("POST /executions/restart/by-ids makes new executions of the latest revision on request", async () => {
  await using server = await Harness.start({ effect: () => ({ state: "FAILED" }) });
  const [first, second] = await begin(server, WORK, 2);
  const restart = async (id: string | undefined) => {
    const answer = await server.json("POST", "/executions/restart/by-ids?latestRevision=true", json([id]));
    assertObjectMatch(answer as object, { count: 1, totalItems: 1 });
    await settle();
    const { results } = await server.page("/executions/search?sort=id:desc");
    return results.map(({ flowRevision, parentId }) => [flowRevision, parentId ?? null]);
  };
  assertEquals(await restart(first), [[1, null], [1, null]]);
  await server.json("PUT", "/flows/demo/work", yaml(`${WORK}description: new\n`));
  assertEquals(await restart(second), [[2, second], [1, null], [1, null]]);
});

Deno.test("POST /executions/restart/by-ids of a disabled flow says that it is disabled, not that the state is wrong", async () => {
  await using server = await Harness.start({ effect: () => ({ state: "FAILED" }) });
  const [id] = await begin(server, WORK, 1);
  await server.json("PUT", "/flows/demo/work", yaml(`${WORK}disabled: true\n`));
  const response = await server.request(
    "POST",
    "/executions/restart/by-ids?latestRevision=true",
    json([id]),
  );
  const { invalids } = await response.json();
  const told = (invalids as { message: string }[]).map(({ message }) => message);
  assertEquals(told, ['Illegal state: Cannot execute a disabled flow: "demo.work"']);
});

Deno.test("POST /executions/unqueue/by-ids lets queued executions run beyond the limit", async () => {
  await using server = await Harness.start();
  const ids = await begin(server, LIMITED, 4);
  assertEquals(await states(server, ids), ["PAUSED", "QUEUED", "QUEUED", "QUEUED"]);
  await server.json("POST", "/executions/unqueue/by-ids", json([ids[1]]));
  await server.json("POST", "/executions/unqueue/by-ids?state=CANCELLED", json([ids[2]]));
  assertEquals(await states(server, ids), ["PAUSED", "PAUSED", "CANCELLED", "QUEUED"]);
});

Deno.test("POST /executions/labels/by-ids and by-query merge labels", async () => {
  await using server = await Harness.start();
  const ids = await begin(server, WORK, 3);
  const body = { executionsId: ids.slice(0, 2), executionLabels: [{ key: "team", value: "blue" }] };
  assertObjectMatch(await server.json("POST", "/executions/labels/by-ids", json(body)) as object, {
    count: 2,
  });
  const sent = json([{ key: "env", value: "prod" }]);
  const query = "?filters[labels][EQUALS][team]=blue";
  assertObjectMatch(await server.json("POST", `/executions/labels/by-query${query}`, sent) as object, {
    count: 2,
  });
  const found = await server.json("GET", "/executions/search?labels=env:prod&labels=team:blue") as JsonObject;
  assertEquals(found.total, 2);
});

Deno.test("POST /executions/labels/by-ids and by-query take system labels only as the executions have them", async () => {
  await using server = await Harness.start();
  const [first = "", second = ""] = await begin(server, WORK, 2);
  const send = async (ids: readonly string[], value: string) => {
    const labels = [{ key: "team", value: "blue" }, { key: "system.correlationId", value }];
    const body = json({ executionsId: ids, executionLabels: labels });
    const response = await server.request("POST", "/executions/labels/by-ids", body);
    return [response.status, String((await response.json()).message)] as const;
  };
  const [status, message] = await send([first, second], first);
  assertEquals(status, 422);
  assertStringIncludes(
    message,
    `System labels can only be set by Kestra itself, offending label: system.correlationId=${first}`,
  );
  const found = await server.json("GET", "/executions/search?labels=team:blue") as JsonObject;
  assertEquals(found.total, 0);
  assertEquals((await send([first, UNKNOWN_ID, "no-id"], first))[0], 400);
  assertEquals((await send([first], first))[0], 200);
  const path = "/executions/labels/by-query?flowId=work";
  const refused = await server.request("POST", path, json([{ key: "system.x", value: "v" }]));
  assertEquals(refused.status, 422);
  await refused.body?.cancel();
});

Deno.test("DELETE /executions/by-ids refuses what runs unless it is included", async () => {
  await using server = await Harness.start();
  const [ended = ""] = await begin(server, WORK, 1);
  const [paused = ""] = await begin(server, PAUSED, 1);
  const refused = await server.request("DELETE", "/executions/by-ids", json([ended, paused]));
  assertEquals(refused.status, 400);
  assertStringIncludes(await refused.text(), "it has not ended");
  const all = await server.json(
    "DELETE",
    "/executions/by-ids?includeNonTerminated=true",
    json([ended, paused]),
  );
  assertObjectMatch(all as object, { count: 2, totalItems: 2 });
  for (const id of [ended, paused]) {
    const response = await server.request("GET", `/executions/${id}`);
    await response.body?.cancel();
    assertEquals(response.status, 404);
  }
});

Deno.test("DELETE /executions/by-query deletes ended executions of a deleted flow revision", async () => {
  await using server = await Harness.start();
  const [id = ""] = await begin(server, WORK, 1);
  const { namespace, flowId } = await server.execution(id);
  await server.json("PUT", `/flows/${namespace}/${flowId}`, yaml(`${WORK}description: later\n`));
  await server.json("DELETE", `/flows/${namespace}/${flowId}/revisions?revisions=1`);
  const deleted = await server.json("DELETE", `/executions/by-query?flowId=${flowId}`);
  assertObjectMatch(deleted as object, { count: 1, totalItems: 1 });
});

/** Requests, and what is said of an execution that sleeps, and of one that has ended. */
const REFUSALS: readonly (readonly [method: string, path: string, running?: string, ended?: string])[] = [
  ["POST", "/executions/restart/by-ids", "execution not in state FAILED", "execution not in state FAILED"],
  ["POST", "/executions/pause/by-ids", undefined, "execution not in state RUNNING"],
  ["POST", "/executions/resume/by-ids", "execution not in state PAUSED", "execution not in state PAUSED"],
  ["POST", "/executions/unqueue/by-ids", "execution not in state QUEUED", "execution not in state QUEUED"],
  ["POST", "/executions/change-status/by-ids?newStatus=FAILED", "execution not in a terminated state"],
  ["POST", "/executions/replay/by-ids"],
  ["POST", "/executions/force-run/by-ids", undefined, "execution in a terminated state"],
  ["DELETE", "/executions/kill/by-ids", undefined, "execution already finished"],
  ["DELETE", "/executions/by-ids", 'Cannot delete execution "'],
];
for (const [method, path, running = "", ended = ""] of REFUSALS) {
  Deno.test(`${method} ${path} with one bad id refuses all, and says which`, async () => {
    await using server = await Harness.start();
    const ids = [...await begin(server, NAPPING, 1), ...await begin(server, WORK, 1)];
    const before = await states(server, ids);
    const response = await server.request(method, path, json([...ids, UNKNOWN_ID, "no-id"]));
    assertEquals(response.status, 400);
    const { message, invalids } = await response.json();
    assertStringIncludes(message, "Invalid bulk");
    const told = new Map(
      (invalids as { message: string; invalidValue: string; propertyPath: string }[]).map((invalid) =>
        [invalid.invalidValue, invalid.message] as const
      ),
    );
    for (const id of [UNKNOWN_ID, "no-id"]) {
      assertEquals(told.get(id), `execution not found; Not Found: execution "${id}" does not exist`);
    }
    for (const [index, reason] of [running, ended].entries()) {
      assertEquals((told.get(ids[index] ?? "") ?? "").startsWith(reason), true, told.get(ids[index] ?? ""));
      assertEquals(told.has(ids[index] ?? ""), reason !== "");
    }
    assertEquals(await states(server, ids), before);
  });
}

Deno.test("POST /executions/resume/by-ids of pauses that ask for values is refused", async () => {
  await using server = await Harness.start();
  const ids = await begin(server, ASKING, 2);
  const response = await server.request("POST", "/executions/resume/by-ids", json(ids));
  assertEquals(response.status, 400);
  assertStringIncludes(await response.text(), "missing required input");
});

Deno.test("POST /executions/kill/by-query with an invalid filter returns 400 and does nothing", async () => {
  await using server = await Harness.start();
  const ids = await begin(server, NAPPING, 1);
  const response = await server.request("DELETE", "/executions/kill/by-query?filters[sate][EQUALS]=RUNNING");
  await response.body?.cancel();
  assertEquals([response.status, await states(server, ids)], [400, ["RUNNING"]]);
});

const BODIES: readonly (readonly [string, RequestInit, number])[] = [
  ["no body", {}, 422],
  ["an object", json({ ids: [] }), 422],
  ["numbers", json([1]), 422],
  ["no ids", json([]), 200],
];
for (const [what, init, status] of BODIES) {
  Deno.test(`POST /executions/restart/by-ids with ${what} returns ${status}`, async () => {
    await using server = await Harness.start();
    const response = await server.request("POST", "/executions/restart/by-ids", init);
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("DELETE /executions/kill/by-query works through pages of executions while other requests are served", async () => {
  await using server = await Harness.start();
  const ids = await begin(server, NAPPING, 2_100);
  const killing = server.json("DELETE", "/executions/kill/by-query?state=RUNNING");
  const { id } = await server.start("napping");
  assertEquals((await server.execution(id)).state.current, "RUNNING");
  let isDone = false;
  void killing.finally(() => isDone = true);
  // A scan waits for its share of the time while executions start.
  for (let waits = 0; !isDone && waits < 100; waits++) await server.advance(100);
  const { count, totalItems } = await killing as JsonObject;
  assert(Number(count) >= ids.length && count === totalItems, `${count} of ${totalItems}`);
  assertEquals(new Set(await states(server, ids)), new Set(["KILLED"]));
});

for (const path of ["/executions/restart/by-ids", "/executions/labels/by-ids", "/flows/disable/by-ids"]) {
  Deno.test(`POST ${path} refuses more than 100,000 ids`, async () => {
    await using server = await Harness.start();
    const things = path.startsWith("/flows") ? "flows" : "executions";
    const ids = Array.from({ length: 100_001 }, () => things === "flows" ? { namespace: "a", id: "b" } : "x");
    const body = path.includes("labels") ? { executionsId: ids, executionLabels: [] } : ids;
    const response = await server.request("POST", path, json(body));
    assertEquals(response.status, 422);
    const reason = `a request names at most 100,000 ${things}, but received 100001`;
    assertStringIncludes(
      (await response.json()).message,
      `${reason}: send several requests, or select by filters`,
    );
  });
}
