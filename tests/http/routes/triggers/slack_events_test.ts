/** Calls of an app of Slack: signature, the question for the address, events. */
import { createHmac } from "node:crypto";
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { executionsOf, triggeredFlow } from "../../../support/flows/triggers.ts";

const PATH = "/executions/webhook/demo/w/key-of-sixteen-chars";
const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const EVENT = { type: "event_callback", event_id: "Ev1", event: { type: "app_mention", text: "hi" } };

async function startWith(type: string, signingSecret = SECRET): Promise<Harness> {
  const app = await Harness.start({ secrets: new Map([["SLACK", btoa(SECRET)]]) });
  const trigger = { type: `io.kestra.plugin.${type}`, key: "key-of-sixteen-chars", signingSecret };
  await app.save(triggeredFlow("w", trigger, {}));
  return app;
}

/** A call as Slack sends it. */
async function call(app: Harness, body: JsonObject, { secret = SECRET, ageMs = 0, separator = ":" } = {}) {
  const time = String(Math.floor((app.clock.now() - ageMs) / 1000));
  const text = JSON.stringify(body);
  const hmac = createHmac("sha256", secret).update(`v0${separator}${time}${separator}${text}`).digest("hex");
  return await app.request("POST", PATH, {
    body: text,
    headers: {
      "content-type": "application/json",
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${hmac}`,
    },
  });
}

for (const type of ["slack.app.core.Trigger", "slack.app.Trigger"]) {
  Deno.test(`POST webhook of ${type} starts an execution for an event`, async () => {
    await using app = await startWith(type, "{{ secret('SLACK') }}");
    const response = await call(app, EVENT);
    assertEquals(response.status, 200);
    await response.body?.cancel();
    const executions = await executionsOf(app, "w");
    assertEquals(executions.map(({ trigger }) => trigger?.body), [EVENT]);
  });
}

Deno.test("POST webhook of an app of Slack returns its challenge, and starts nothing", async () => {
  await using app = await startWith("slack.app.core.Trigger");
  const response = await call(app, { type: "url_verification", challenge: "c-1", token: "t" });
  assertEquals([response.status, await response.json()], [200, { challenge: "c-1" }]);
  assertEquals(await executionsOf(app, "w"), []);
});

const REFUSED = [
  ["with another secret", { secret: "other" }],
  ["that is old", { ageMs: 301_000 }],
  ["signed in another form", { separator: "." }],
] as const;

for (const [name, options] of REFUSED) {
  Deno.test(`POST webhook of an app of Slack refuses a call ${name}, also a question`, async () => {
    await using app = await startWith("slack.app.core.Trigger");
    for (const body of [EVENT, { type: "url_verification", challenge: "c-1" }]) {
      const response = await call(app, body, options);
      assertEquals(response.status, 403);
      await response.body?.cancel();
    }
    assertEquals(await executionsOf(app, "w"), []);
  });
}

Deno.test("POST webhook without Slack takes a question as any other call", async () => {
  await using app = await Harness.start();
  const trigger = { type: "io.kestra.plugin.core.trigger.Webhook", key: "key-of-sixteen-chars" };
  await app.save(triggeredFlow("w", trigger, {}));
  const response = await call(app, { type: "url_verification", challenge: "c-1" });
  await response.body?.cancel();
  assertEquals((await executionsOf(app, "w")).length, 1);
});
