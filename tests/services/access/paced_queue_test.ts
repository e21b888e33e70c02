import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import {
  MAX_QUEUED_READS,
  MAX_QUEUED_READS_PER_CALLER,
  MAX_QUEUED_READS_PER_TENANT,
} from "../../../src/model/limits.ts";
import { PacedQueue } from "../../../src/services/access/paced_queue.ts";
import { Pace } from "../../../src/store/catalog/pace.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

function queue(): PacedQueue {
  return new PacedQueue(new Pace(new FakeClock(), () => false));
}

/** Callers in the order in which their reads ran; a read that holds the queue comes before all of them. */
async function served(callers: readonly string[]): Promise<string> {
  const reads = queue();
  const order: string[] = [];
  const held = Promise.withResolvers<void>();
  const running = [
    reads.run({ tenant: "z", user: "z" }, () => held.promise),
    ...callers.map((caller) => {
      const [tenant = "", user = ""] = caller.split("/");
      return reads.run({ tenant, user }, async () => void order.push(await Promise.resolve(caller)));
    }),
  ];
  held.resolve();
  await Promise.all(running);
  return order.join(" ");
}

for (
  const [rule, callers, order] of [
    ["one caller in the order of its calls", ["a/x", "a/x"], "a/x a/x"],
    ["tenants in turn", ["a/x", "a/x", "a/x", "b/y", "b/y"], "a/x b/y a/x b/y a/x"],
    ["callers of a tenant in turn", ["a/x", "a/x", "a/x", "a/y", "a/y"], "a/x a/x a/y a/x a/y"],
    ["a tenant of many callers as one of one", ["a/w", "a/x", "a/y", "b/z", "b/z"], "a/w b/z a/x b/z a/y"],
  ] as const
) {
  Deno.test(`PacedQueue.run() serves ${rule}`, async () => assertEquals(await served(callers), order));
}

Deno.test("PacedQueue.run() goes on after a read that fails", async () => {
  const reads = queue(), actor = { tenant: "a", user: "x" };
  await assertRejects(() => reads.run(actor, () => Promise.reject(new Error("no"))), Error, "no");
  assertEquals(await reads.run(actor, () => Promise.resolve(1)), 1);
});

Deno.test("PacedQueue.run() forgets a read when its client disconnects", async () => {
  const reads = queue(), actor = { tenant: "a", user: "x" };
  const held = Promise.withResolvers<void>();
  const gone = new AbortController();
  const first = reads.run(actor, () => held.promise);
  // One waits for its caller's turn, the other one for that of its tenant.
  const waiting = [actor, { tenant: "b", user: "y" }].map((each) => {
    const unexpected = () => Promise.reject(new Error("It was read"));
    return assertRejects(
      () => reads.run(each, unexpected, gone.signal),
      DomainError,
      "the client has disconnected",
    );
  });
  gone.abort();
  await Promise.all(waiting);
  held.resolve();
  await first;
  for (const each of [actor, { tenant: "b", user: "y" }]) {
    assertEquals(await reads.run(each, () => Promise.resolve(1)), 1);
  }
});

for (
  const [whom, bound, code] of [
    ["a caller", MAX_QUEUED_READS_PER_CALLER, "too_many_requests"],
    ["a tenant", MAX_QUEUED_READS_PER_TENANT, "too_many_requests"],
    ["the server", MAX_QUEUED_READS, "unavailable"],
  ] as const
) {
  Deno.test(`PacedQueue.run() refuses what ${whom} has too many of`, async () => {
    const reads = queue();
    const held = Promise.withResolvers<void>();
    const actorAt = (i: number) => ({
      tenant: whom === "the server" ? `t${i}` : "t",
      user: whom === "a caller" ? "x" : `u${i}`,
    });
    const running = Array.from({ length: bound }, (_, i) => reads.run(actorAt(i), () => held.promise));
    const refusal = await assertRejects(
      () => reads.run(actorAt(bound), () => Promise.resolve()),
      DomainError,
    );
    assertEquals([refusal.code, refusal.retryAfter], [code, 10]);
    held.resolve();
    await Promise.all(running);
    await reads.run(actorAt(bound), () => Promise.resolve());
  });
}
