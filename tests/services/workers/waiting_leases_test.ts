/** The order in which attempts that wait are offered, and how many of them are looked at. */
import { assertEquals } from "@std/assert";
import type { Lease } from "../../../src/services/workers/lease.ts";
import { WaitingLeases } from "../../../src/services/workers/waiting_leases.ts";

const GROUP = "gpu";

/** Attempts that wait, of the tenants in this order. */
function waitingOf(tenants: readonly string[]) {
  let reads = 0;
  const waiting = new WaitingLeases();
  for (const [ordinal, tenant] of tenants.entries()) {
    const attempt = { ordinal, group: GROUP, context: { tenant, executionId: `e${ordinal}` } };
    const lease = {
      get attempt() {
        reads++;
        return attempt;
      },
    };
    waiting.add(lease as unknown as Lease);
  }
  reads = 0;
  return { waiting, reads: () => reads };
}

/** Ordinals of the attempts that were offered, of which those are accepted. */
function offered(waiting: WaitingLeases, accepted: readonly number[]): number[] {
  const ordinals: number[] = [];
  waiting.take(GROUP, ({ attempt: { ordinal } }) => {
    ordinals.push(ordinal);
    return accepted.includes(ordinal);
  });
  return ordinals;
}

Deno.test("WaitingLeases.take() offers attempts in order of arrival until one of each tenant is refused", () => {
  const { waiting } = waitingOf(["a", "b", "a", "a", "b"]);
  assertEquals(offered(waiting, [0, 1, 2]), [0, 1, 2, 3, 4]);
  assertEquals(offered(waiting, [4]), [3, 4]);
  assertEquals(offered(waiting, [3]), [3]);
  assertEquals([offered(waiting, []), waiting.groups()], [[], []]);
});

Deno.test("WaitingLeases.take() looks at one attempt of each tenant while none is accepted, however many wait", () => {
  const { waiting, reads } = waitingOf(Array.from({ length: 1_000 }, (_, n) => n % 2 === 0 ? "a" : "b"));
  assertEquals(offered(waiting, []), [0, 1]);
  assertEquals(reads(), 2);
});
