/** The last uses of secrets, in a whole server. */
import { assertEquals } from "@std/assert";
import { json } from "../support/flows/request_bodies.ts";
import { Harness } from "../support/harness.ts";

const FLOW = `
id: report
namespace: demo.team
tasks:
  - id: read
    type: io.svc.plugin.core.debug.Return
    format: "{{ secret('TOKEN') | length }}"
triggers:
  - id: hook
    type: io.svc.plugin.core.trigger.Webhook
    key: "{{ secret('HOOK') }}"
`;

const MINUTE = 60_000;

/** The last use of each secret of `demo`, in the order of names. */
async function usesIn(app: Harness): Promise<unknown[]> {
  const { results } = await app.page("/namespaces/demo/secrets?sort=key:asc");
  return results.map(({ key, lastUsed, lastUsedBy }) => [key, lastUsed, lastUsedBy]);
}

async function started(): Promise<Harness> {
  const app = await Harness.start();
  for (const key of ["HOOK", "TOKEN"]) {
    await app.json("PUT", "/namespaces/demo/secrets", json({ key, value: "hidden" }));
  }
  await app.save(FLOW);
  return app;
}

Deno.test("GET /namespaces/:namespace/secrets shows the flow that used a secret in a task, or as the key of a trigger", async () => {
  await using app = await started();
  assertEquals(await usesIn(app), [["HOOK", undefined, undefined], ["TOKEN", undefined, undefined]]);
  await app.json("POST", "/executions/webhook/demo.team/report/hidden", json({}));
  const use = [new Date(app.clock.now()).toISOString(), "demo.team.report"];
  assertEquals(await usesIn(app), [["HOOK", ...use], ["TOKEN", ...use]]);
});

Deno.test("an expression that a person tries out on an execution is no use", async () => {
  await using app = await started();
  const { id } = await app.json("POST", "/executions/demo.team/report?wait=true") as { id: string };
  const before = await usesIn(app);
  await app.advance(MINUTE);
  const text = await app.json(
    "POST",
    `/executions/${id}/eval`,
    { body: "{{ secret('TOKEN') | length }}", headers: { "content-type": "text/plain" } },
  );
  assertEquals([(text as { result?: string }).result, await usesIn(app)], ["6", before]);
});

Deno.test("the last use is stored each minute and at an orderly stop; a crash loses the minute", async () => {
  const first = await started();
  await first.json("POST", "/executions/demo.team/report?wait=true");
  const crashed = await first.crash();
  assertEquals((await usesIn(crashed))[1], ["TOKEN", undefined, undefined]);
  await crashed.json("POST", "/executions/demo.team/report?wait=true");
  const inMinute = await usesIn(crashed);
  await crashed.advance(MINUTE);
  const second = await crashed.crash();
  assertEquals(await usesIn(second), inMinute);
  await second.json("POST", "/executions/demo.team/report?wait=true");
  const atStop = await usesIn(second);
  await using last = await second.restart();
  assertEquals(await usesIn(last), atStop);
});
