import { assertEquals } from "@std/assert";
import type { TriggerRenderer } from "../../../src/rendering/trigger_renderer.ts";
import { type CalledWebhook, WebhookGate } from "../../../src/services/webhooks/webhook_gate.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

function called(tenant: string, id: string): CalledWebhook {
  const flow = { tenant, namespace: "demo", id };
  return {
    plan: { flow },
    trigger: { id: "t", properties: { rateLimit: { calls: 1 } } },
  } as unknown as CalledWebhook;
}

Deno.test("calls of one tenant do not end the rate limits of another", () => {
  const gate = new WebhookGate({ clock: new FakeClock(), renderer: {} as TriggerRenderer });
  assertEquals(gate.excess(called("main", "w")), undefined);
  for (let n = 0; n < 10_001; n++) assertEquals(gate.excess(called("acme", `w${n}`)), undefined);
  assertEquals(gate.excess(called("main", "w"))?.code, "too_many_requests");
});

Deno.test("forget() drops the rate limits of a tenant, not those of others", () => {
  const gate = new WebhookGate({ clock: new FakeClock(), renderer: {} as TriggerRenderer });
  for (const tenant of ["main", "acme"]) gate.excess(called(tenant, "w"));
  gate.forget("acme");
  assertEquals(gate.excess(called("main", "w"))?.code, "too_many_requests");
  assertEquals(gate.excess(called("acme", "w")), undefined);
});
