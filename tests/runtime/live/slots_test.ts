/** Concurrency limits: that of the latest revision counts, for who waits already too. */
import { assertEquals } from "@std/assert";
import type { Execution } from "../../../src/model/executions/execution.ts";
import { Slots } from "../../../src/runtime/live/slots.ts";
import { queuedKey, slotKey } from "../../../src/store/keys.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { type ExecutionResponse, Harness } from "../../support/harness.ts";
import { yaml } from "../../support/flows/request_bodies.ts";

function limited(concurrency: string, message = "1"): string {
  return `
id: limited
namespace: demo
${concurrency}
tasks:
  - {id: p, type: io.kestra.plugin.core.flow.Pause, description: "${message}"}
`;
}

async function update(app: Harness, source: string): Promise<void> {
  await app.json("PUT", "/flows/demo/limited", yaml(source));
  await settle();
}

async function states(app: Harness): Promise<string> {
  const { results } = await app.page<ExecutionResponse>("/executions/search?sort=id:asc");
  return results.map(({ state }) => state.current).join(" ");
}

async function startSome(app: Harness, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await app.start("limited");
    await app.advance(1);
  }
}

interface Case {
  readonly name: string;
  readonly next: string;
  readonly expected: string;
}

const CASES: readonly Case[] = [
  { name: "a higher one", next: "concurrency: {limit: 3}", expected: "PAUSED PAUSED PAUSED QUEUED" },
  { name: "none", next: "", expected: "PAUSED PAUSED PAUSED PAUSED" },
  { name: "the same", next: "concurrency: {limit: 1}", expected: "PAUSED QUEUED QUEUED QUEUED" },
];

for (const { name, next, expected } of CASES) {
  Deno.test(`setLimit(): ${name} holds for those who wait, also after a crash`, async () => {
    const first = await Harness.start();
    await first.save(limited("concurrency: {limit: 1}"));
    await startSome(first, 4);
    assertEquals(await states(first), "PAUSED QUEUED QUEUED QUEUED");
    await update(first, limited(next, "2"));
    assertEquals(await states(first), expected);
    await using second = await first.crash();
    await settle();
    assertEquals(await states(second), expected);
  });
}

Deno.test("setLimit(): a lower one lets those who run end, then counts", async () => {
  await using app = await Harness.start();
  await app.save(limited("concurrency: {limit: 2}"));
  await startSome(app, 3);
  const { results } = await app.page<ExecutionResponse>("/executions/search?sort=id:asc");
  await update(app, limited("concurrency: {limit: 1}", "2"));
  assertEquals(await states(app), "PAUSED PAUSED QUEUED");
  await app.json("POST", `/executions/${results[0]?.id}/resume`);
  await settle();
  assertEquals(await states(app), "SUCCESS PAUSED QUEUED");
  await app.json("POST", `/executions/${results[1]?.id}/resume`);
  await settle();
  assertEquals(await states(app), "SUCCESS SUCCESS PAUSED");
});

const LIMIT = { limit: 1, behavior: "QUEUE" } as const;

function execution(id: string, state: "QUEUED" | "RUNNING"): Execution {
  return {
    tenant: "main",
    namespace: "demo",
    flowId: "limited",
    id,
    history: [{ state, at: 0 }],
  } as Execution;
}

Deno.test("removalOf() removes what a commit in progress is storing", () => {
  const slots = new Slots();
  slots.admit(execution("a", "RUNNING"), LIMIT);
  slots.admit(execution("b", "QUEUED"), LIMIT);
  slots.changeOf(execution("b", "QUEUED"))?.committed();
  assertEquals(slots.grant(execution("a", "RUNNING"), 2), ["b"]);
  const granted = slots.changeOf(execution("b", "RUNNING"));
  assertEquals(granted?.mutations.map(({ type }) => type), ["delete", "set"]);
  const flow = { namespace: "demo", id: "limited" };
  assertEquals(slots.removalOf(execution("b", "QUEUED"))?.mutations, [
    { type: "delete", key: slotKey("main", flow, "b") },
    { type: "delete", key: queuedKey("main", flow, "b") },
  ]);
  assertEquals(slots.removalOf({ ...execution("c", "QUEUED"), flowId: "unlimited" }), undefined);
});
