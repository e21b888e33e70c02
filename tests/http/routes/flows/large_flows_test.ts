/** Lists of flows with large sources: they are read while the client reads the response. */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import type { Selector, Store } from "../../../../src/store/store.ts";
import { Harness } from "../../../support/harness.ts";
import type { MemoryStore } from "../../../support/fakes/memory_store.ts";
import { yaml } from "../../../support/flows/request_bodies.ts";

const FLOWS = 40;

function source(id: string, text: string): string {
  return `id: ${id}\nnamespace: demo\ndescription: ${text}\ntasks:\n  - id: a\n` +
    "    type: io.svc.plugin.core.debug.Return\n    format: a\n";
}

/** Counts the lists of the parts of revisions. */
function counting(store: MemoryStore, counts: { lists: number }): Store {
  return new Proxy<Store>(store, {
    get(target, name) {
      const member = Reflect.get(target, name);
      if (typeof member !== "function") return member;
      return (...args: unknown[]) => {
        const prefix = name === "list" && (args[0] as Selector & { prefix?: unknown[] }).prefix;
        if (prefix && prefix[1] === "fr") counts.lists++;
        return Reflect.apply(member, target, args);
      };
    },
  });
}

async function startWithFlows(counts: { lists: number }): Promise<Harness> {
  const server = await Harness.start({ wrap: (store) => counting(store, counts) });
  for (let n = 0; n < FLOWS; n++) await server.save(source(`f${n}`, "d".repeat(200_000)));
  return await server.restart();
}

Deno.test("lists of flows are read while the client reads them, and are complete", async () => {
  const counts = { lists: 0 };
  await using server = await startWithFlows(counts);
  for (
    const [path, count] of [
      ["/flows/search?size=1000", (body: JsonObject) => (body.results as unknown[]).length],
      ["/flows/source?size=1000", (body: JsonObject) => (body.results as unknown[]).length],
      ["/flows/demo", (body: JsonObject) => (body as unknown as unknown[]).length],
      ["/executions/namespaces/demo/flows", (body: JsonObject) => (body as unknown as unknown[]).length],
    ] as const
  ) {
    assertEquals([path, count(await server.json("GET", path) as JsonObject)], [path, FLOWS]);
    if (path.startsWith("/flows/source")) continue; // It reads all sources first.
    counts.lists = 0;
    const response = await server.open("GET", path);
    await response.body?.cancel();
    assertEquals(counts.lists < FLOWS, true, path);
  }
  const csv = await (await server.request("GET", "/flows/export/by-query/csv")).text();
  assertEquals(csv.trimEnd().split("\r\n").length, FLOWS + 1);
});

Deno.test("GET /flows/:namespace/:flowId/revisions returns all revisions, and those of a deletion on request", async () => {
  await using server = await Harness.start();
  const texts = Array.from(
    { length: 12 },
    (_, n) => source("many", "abcdefghijkl".charAt(n).repeat(150_000)),
  );
  for (const [n, text] of texts.entries()) {
    await server.json(n === 0 ? "POST" : "PUT", n === 0 ? "/flows" : "/flows/demo/many", yaml(text));
  }
  const revisions = await server.json("GET", "/flows/demo/many/revisions") as unknown as JsonObject[];
  assertEquals(revisions.map(({ revision }) => Number(revision)), texts.map((_, n) => n + 1));
  assertEquals(revisions.every(({ source }, n) => source === texts[n]), true);
  await server.json("DELETE", "/flows/demo/many");
  assertEquals(
    (await server.json("GET", "/flows/demo/many/revisions") as unknown as JsonObject[]).length,
    12,
  );
  const all = await server.json(
    "GET",
    "/flows/demo/many/revisions?allowDeleted=true",
  ) as unknown as JsonObject[];
  assertEquals(all.length, 13);
});

/** Text that hardly compresses, in lines. */
function noise(length: number): string {
  let seed = 1, text = "";
  while (text.length < length) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += seed.toString(36);
  }
  return text.slice(0, length).replace(/.{76}/g, "$&\n      ");
}

/** A flow with so many triggers. */
function triggered(count: number, trigger: string): string {
  const triggers = Array.from(
    { length: count },
    (_, n) => `  - {id: t${n}, ${trigger.replace("$", `${n}`)}}\n`,
  );
  return `id: many\nnamespace: demo\ntasks:\n${ONE_TASK}triggers:\n${triggers.join("")}`;
}

Deno.test("POST /flows saves as many triggers as a commit takes, and says that more are too many", async () => {
  await using server = await Harness.start();
  const schedule = "type: io.svc.plugin.core.trigger.Schedule, cron: '@daily'";
  const response = await server.request("POST", "/flows", yaml(triggered(330, schedule)));
  const { message } = await response.json();
  assertEquals([response.status, message], [
    422,
    "Invalid entity: flow.triggers: its 330 triggers and the 0 that it removes are too many for one save; " +
    "save some of them in another flow",
  ]);
  await server.save(triggered(320, schedule));
  await server.json("DELETE", "/flows/demo/many");
  await server.save(triggered(480, "type: io.svc.plugin.core.trigger.Webhook, key: k$_0123456789abcdef"));
});

const ONE_TASK = "  - {id: t0, type: io.svc.plugin.core.debug.Return, format: a}\n";
/** Members of flows of nearly 512 KiB, of which the source and its parsed form together have more than a commit. */
const LARGE: readonly (readonly [name: string, members: string])[] = [
  [
    "many tasks",
    `tasks:\n${Array.from({ length: 7_500 }, (_, n) => ONE_TASK.replace("t0", `t${n}`)).join("")}`,
  ],
  ["a long text", `tasks:\n${ONE_TASK}variables:\n  text: |\n      ${noise(470_000)}\n`],
];

for (const [name, members] of LARGE) {
  Deno.test(`POST /flows saves a source of nearly 512 KiB with ${name}`, async () => {
    const server = await Harness.start();
    const given = `id: large\nnamespace: demo\n${members}`;
    assertEquals(given.length > 450_000 && given.length <= 512 * 1024, true);
    await server.save(given);
    await using restarted = await server.restart();
    const { source, revision } = await restarted.json("GET", "/flows/demo/large?source=true") as JsonObject;
    assertEquals([source === given, revision], [true, 1]);
  });
}
