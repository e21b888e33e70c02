import { assertEquals, assertRejects } from "@std/assert";
import { GivenUpThreads } from "../../../src/machine/evaluators/given_up_threads.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const BUSY = { isIdle: false, waitMs: 2_000 };

/** Two threads are allowed, and have been given up while they computed. */
async function fullThreads() {
  const clock = new FakeClock();
  const threads = new GivenUpThreads(clock, 2);
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await threads.add(first.promise, BUSY);
  await threads.room("evaluate", 1_000);
  await threads.add(second.promise, BUSY);
  return { clock, threads, first };
}

Deno.test("GivenUpThreads.room() refuses a further thread while too many compute", async () => {
  const { clock, threads } = await fullThreads();
  const refusal = assertRejects(
    () => threads.room("evaluate", 12_000),
    Error,
    "Cannot evaluate: 2 evaluations that were stopped or took too long still compute, and cannot be ended",
  );
  await clock.advance(12_000);
  await refusal;
  assertEquals(clock.timerCount, 0);
});

Deno.test("GivenUpThreads.room() waits until a thread has exited", async () => {
  const { clock, threads, first } = await fullThreads();
  const room = threads.room("evaluate", 12_000);
  first.resolve();
  await room;
  assertEquals(clock.timerCount, 0);
});

Deno.test("GivenUpThreads.add() waits for a thread that computes nothing, but not for ever", async () => {
  const clock = new FakeClock();
  const threads = new GivenUpThreads(clock, 1);
  await threads.add(Promise.resolve(), { isIdle: true, waitMs: 2_000 });
  await threads.room("evaluate", 0);
  const late = threads.add(Promise.withResolvers<void>().promise, { isIdle: true, waitMs: 2_000 });
  await clock.advance(2_000);
  await late;
  await assertRejects(() => threads.room("evaluate", 0), Error, "Cannot evaluate: 1 evaluations");
});
