/** The removal of a tenant under load: nothing that ran for it reaches a tenant of the same id that is created later. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import type { AttemptOutcome } from "../../src/model/tasks/task_catalog.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { EFFECT_TYPE, Harness } from "../support/harness.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";
import { type Cut, MortalStore } from "../crash/mortal_store.ts";
import { withTempDir } from "../support/temp_dir.ts";

const TENANT = "/api/v1/acme";
const FLOW = `id: holds\nnamespace: demo\ntasks:\n  - id: a\n    type: ${EFFECT_TYPE}\n    name: a\n` +
  "  - id: b\n    type: io.svc.plugin.core.debug.Return\n    format: b\n";
const LISTS = ["executions/search", "flows/search", "triggers/search", "logs/search"];

const create = (server: Harness) => server.json("POST", "/api/v1/tenants", json({ id: "acme" }));
const remove = (server: Harness) => server.request("DELETE", "/api/v1/tenants/acme");

async function assertEmpty(server: Harness): Promise<void> {
  for (const list of LISTS) {
    assertEquals([list, (await server.page(`${TENANT}/${list}`)).total], [list, 0]);
  }
}

/** A form with one file whose content ends when `rest` resolves. */
function slowUpload(rest: Promise<void>): RequestInit {
  const head = '--x\r\ncontent-disposition: form-data; name="fileContent"; filename="a.txt"\r\n\r\n';
  const parts = [() => Promise.resolve(head + "y".repeat(200_000)), () => rest.then(() => "z\r\n--x--\r\n")];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const part = parts.shift();
      if (part) controller.enqueue(new TextEncoder().encode(await part()));
      else controller.close();
    },
  }, { highWaterMark: 0 });
  return { body, headers: { "content-type": "multipart/form-data; boundary=x" } };
}

Deno.test("an execution of a removed tenant ends with it, and the new tenant of that id is empty", async () => {
  const effect = Promise.withResolvers<AttemptOutcome>();
  await using server = await Harness.start({ effect: () => effect.promise });
  await create(server);
  await server.json("POST", `${TENANT}/flows`, yaml(FLOW));
  const { id } = await server.json("POST", `${TENANT}/executions/demo/holds`) as JsonObject;
  const waiting = server.request("POST", `${TENANT}/executions/demo/holds?wait=true`);
  await settle();
  assertEquals((await remove(server)).status, 204);
  assertEquals((await waiting).status, 404);
  await create(server);
  effect.resolve({ state: "SUCCESS", outputs: {} });
  await settle();
  await assertEmpty(server);
  assertEquals((await server.request("GET", `${TENANT}/executions/${id}`)).status, 404);
  await server.json("POST", `${TENANT}/flows`, yaml(FLOW));
  assertEquals((await server.page(`${TENANT}/flows/search`)).total, 1);
});

Deno.test("an upload to a removed tenant is refused and does not reach the new tenant of that id", async () => {
  await using server = await Harness.start();
  await create(server);
  const rest = Promise.withResolvers<void>();
  const upload = server.request(
    "POST",
    `${TENANT}/namespaces/demo/files?path=a.txt`,
    slowUpload(rest.promise),
  );
  await settle();
  assertEquals((await remove(server)).status, 204);
  await create(server);
  rest.resolve();
  const refused = await upload;
  assertEquals(refused.status, 404);
  assertStringIncludes((await refused.json()).message, 'there is no tenant "acme"');
  const files = await server.json("GET", `${TENANT}/namespaces/demo/files/directory`).catch(() => []);
  assertEquals(files as JsonValue, []);
});

Deno.test("an event stream of a removed tenant ends", async () => {
  const effect = Promise.withResolvers<AttemptOutcome>();
  await using server = await Harness.start({ effect: () => effect.promise });
  await create(server);
  await server.json("POST", `${TENANT}/flows`, yaml(FLOW));
  const { id } = await server.json("POST", `${TENANT}/executions/demo/holds`) as JsonObject;
  await settle();
  const stream = await server.request("GET", `${TENANT}/executions/${id}/follow`);
  const text = stream.text();
  await settle();
  assertEquals((await remove(server)).status, 204);
  await server.advance(1_000);
  assertStringIncludes(await text, "RUNNING");
  effect.resolve({ state: "SUCCESS", outputs: {} });
});

Deno.test("links and expressions of a tenant that was created after a removal have the id that callers use", async () => {
  await using server = await Harness.start();
  for (let round = 0; round < 2; round++) {
    await create(server);
    const flow =
      "id: links\nnamespace: demo\ntasks:\n  - id: a\n    type: io.svc.plugin.core.debug.Return\n" +
      '    format: "{{ flow.tenantId }}"\n';
    await server.json("POST", `${TENANT}/flows`, yaml(flow));
    const { url } = await server.json("POST", `${TENANT}/executions/demo/links`) as JsonObject;
    assertStringIncludes(String(url), "/ui/acme/executions/");
    await settle();
    const [found] = (await server.page(`${TENANT}/executions/search`)).results;
    const execution = await server.json("GET", `${TENANT}/executions/${found?.id}`) as JsonObject;
    assertStringIncludes(JSON.stringify(execution), '"value":"acme"');
    const page = await server.request("GET", new URL(String(url)).pathname);
    assertEquals([page.status, (await page.text()).includes("acme~")], [200, false]);
    const metrics = await (await server.request("GET", "/prometheus")).text();
    assertEquals(metrics.includes("acme~"), false);
    if (round === 0) await remove(server);
  }
});

/** Removes a tenant with a running execution, with a crash at `cut`; returns the commits and the server after a restart. */
async function removeWithCrash(cut: Cut | undefined): Promise<{ commits: number; next: Harness }> {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const mortal = new MortalStore(memory);
  const held = Promise.withResolvers<AttemptOutcome>();
  const server = await Harness.start({ wrap: () => mortal, effect: () => held.promise }, memory, clock);
  await create(server);
  await server.json("POST", `${TENANT}/flows`, yaml(FLOW));
  await server.json("POST", `${TENANT}/executions/demo/holds`);
  await settle();
  mortal.arm(cut);
  const removed = remove(server);
  await settle();
  if (!cut) assertEquals((await removed).status, 204);
  const { commits } = mortal;
  return { commits, next: await server.crash({}) };
}

Deno.test("a crash at any commit of the removal of a tenant leaves the tenant as it was, or nothing of it", async () => {
  const { commits, next } = await removeWithCrash(undefined);
  await next[Symbol.asyncDispose]();
  assert(commits > 3);
  for (const mode of ["die_before", "die_after"] as const) {
    for (let at = 1; at <= commits; at++) {
      await using next = (await removeWithCrash({ at, mode })).next;
      const isThere = next.assembly.services.tenants.has("acme");
      assertEquals(isThere, mode === "die_before" && at === 1, `${mode} ${at}`);
      if (isThere) {
        assertEquals((await next.page(`${TENANT}/executions/search`)).total, 1);
        continue;
      }
      assertEquals([next.store.count(["acme"]), next.store.count(["tenant"])], [0, 0], `${mode} ${at}`);
      await create(next);
      await assertEmpty(next);
    }
  }
});

Deno.test("the cache of the scripts of a removed tenant is removed", async () => {
  await withTempDir(async (dataDir) => {
    const cache = `${dataDir}/script-cache`;
    {
      await using server = await Harness.start({ dataDir });
      await create(server);
      for (const tenant of ["acme", "main"]) {
        await Deno.mkdir(`${cache}/${tenant}/files`, { recursive: true });
      }
      assertEquals((await remove(server)).status, 204);
    }
    assertEquals([...Deno.readDirSync(cache)].map(({ name }) => name), ["main"]);
  });
});
