import { assertEquals, assertThrows } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import { CallerLimits } from "../../../src/services/access/caller_limits.ts";

const limits = () => new CallerLimits("request", { all: 6, perTenant: 4, perCaller: 2 });
const anna = { tenant: "one", user: "anna" };
const ben = { tenant: "one", user: "ben" };

function refusal(of: CallerLimits, holder?: { readonly tenant: string; readonly user?: string }) {
  const { code, message, retryAfter } = assertThrows(() => of.take(holder), DomainError);
  return [code, message, retryAfter];
}

Deno.test("CallerLimits.take() refuses what a user has too many of, also in another tenant", () => {
  const of = limits();
  of.take(anna);
  const last = of.take(anna);
  const refused = ["too_many_requests", 'Cannot open another request: the user "anna" has 2', 10];
  assertEquals(refusal(of, anna), refused);
  assertEquals(refusal(of, { ...anna, tenant: "two" }), refused);
  of.take(ben);
  last[Symbol.dispose]();
  of.take(anna);
});

Deno.test("CallerLimits.take() refuses what a tenant has too many of, with and without users", () => {
  const of = limits();
  for (const holder of [anna, ben, { tenant: "one" }, { tenant: "one" }]) of.take(holder);
  const refused = ["too_many_requests", 'Cannot open another request: the tenant "one" has 4', 10];
  assertEquals(refusal(of, { tenant: "one" }), refused);
  assertEquals(refusal(of, anna), refused);
  of.take({ tenant: "two" });
});

Deno.test("CallerLimits.take() refuses what all have too many of; anonymous callers have this bound only", () => {
  const of = limits();
  const taken = Array.from({ length: 5 }, () => of.take({ tenant: "one", user: "anonymous" }));
  of.take();
  const refused = ["unavailable", "Cannot open another request: 6 are open", 10];
  for (const holder of [undefined, anna, { tenant: "two", user: "anonymous" }]) {
    assertEquals(refusal(of, holder), refused);
  }
  taken[0]?.[Symbol.dispose]();
  of.take(anna);
});
