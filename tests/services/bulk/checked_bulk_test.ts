/** What is kept of the refusals of a bulk action. */
import { assertEquals, assertRejects } from "@std/assert";
import { DomainError, notFound } from "../../../src/model/errors.ts";
import { checkAll, runChecked } from "../../../src/services/bulk/checked_bulk.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const COUNT = 10_000;
const ITEMS = Array.from({ length: COUNT }, (_, n) => n);

function options(calls: string[] = []) {
  const knownReason = (item: number) => {
    calls.push(`reason ${item}`);
    return `reason ${item}`;
  };
  return { clock: new FakeClock(), action: "test", subject: "flow", nameOf: String, knownReason } as const;
}

Deno.test("checkAll() counts all refusals, and makes reasons only for the first 1,000 in their order", async () => {
  const calls: string[] = [];
  const first = Promise.withResolvers<void>();
  const check = async (item: number) => {
    if (item === 0) await first.promise;
    if (item === COUNT - 1) first.resolve();
    return item % 2 === 0 ? notFound(String(item)) : undefined;
  };
  const error = await assertRejects(() => checkAll(ITEMS, { check }, options(calls)), DomainError);
  const expected = Array.from({ length: 1_000 }, (_, n) => 2 * n);
  assertEquals(error.items.map(({ path }) => path), expected.map(String));
  assertEquals(calls, expected.map((item) => `reason ${item}`));
  const start = "Invalid bulk test: 5000 of 10000 flows do not allow it, so nothing was done; 0: reason 0;";
  assertEquals(error.message, `${start} Not Found: 0`);
});

Deno.test("runChecked() counts what was changed, and throws a limit that lets none start", async () => {
  const check = () => Promise.resolve(undefined);
  const limit = () => new DomainError("quota_exceeded", "full");
  const run = (changed: number) => (item: number) =>
    item < changed ? Promise.resolve() : Promise.reject(item % 2 === 0 ? limit() : notFound("x"));
  assertEquals(await runChecked(ITEMS, { check, run: run(100) }, options()), 100);
  const error = await assertRejects(() => runChecked(ITEMS, { check, run: run(0) }, options()), DomainError);
  assertEquals(error.code, "quota_exceeded");
});
