/** Keys of passwords from a thread with a low priority: the same ones, and none is lost when the thread is. */
import { assertEquals, assertRejects } from "@std/assert";
import { Worker } from "node:worker_threads";
import { type DerivePasswordKey, passwordKey } from "../../src/base/crypto/password_key.ts";
import { systemClock } from "../../src/base/time/clock.ts";
import { PasswordThread } from "../../src/machine/password_thread.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

const IDLE_MS = 10_000;

const inputOf = (password: string) => ({
  password,
  salt: new Uint8Array(16).fill(password.length),
  work: { cost: 16, passes: 2 },
});

Deno.test("PasswordThread.derive() gives each caller the key that the thread of the server would give", async () => {
  using thread = new PasswordThread(systemClock);
  const inputs = ["pässword", "", "x".repeat(1_000)].map(inputOf);
  const keysOf = async (derive: DerivePasswordKey) =>
    (await Promise.all(inputs.map(derive))).map((key) => key.toHex());
  const keys = await keysOf(thread.derive);
  assertEquals(keys, await keysOf(passwordKey));
  assertEquals(new Set(keys).size, inputs.length);
});

Deno.test("PasswordThread ends its thread after a time without work, and starts another one", async () => {
  const clock = new FakeClock();
  using thread = new PasswordThread(clock);
  const { terminate } = Worker.prototype;
  let ended = 0;
  Worker.prototype.terminate = function () {
    ended++;
    return terminate.call(this);
  };
  try {
    for (const round of [1, 2]) {
      assertEquals((await thread.derive(inputOf("a"))).length, 32);
      await clock.advance(IDLE_MS - 1);
      assertEquals((await thread.derive(inputOf("b"))).length, 32);
      await clock.advance(IDLE_MS - 1);
      assertEquals(ended, round - 1);
      await clock.advance(1);
      assertEquals(ended, round);
    }
  } finally {
    Worker.prototype.terminate = terminate;
  }
});

Deno.test("PasswordThread.derive() needs no thread: keys that it has not derived are derived without it", async () => {
  const thread = new PasswordThread(systemClock);
  const under = thread.derive(inputOf("under way"));
  thread[Symbol.dispose]();
  assertEquals(await under, await passwordKey(inputOf("under way")));
  assertEquals(await thread.derive(inputOf("later")), await passwordKey(inputOf("later")));
});

Deno.test("PasswordThread.derive() reports what no thread can derive, and goes on", async () => {
  using thread = new PasswordThread(systemClock);
  const impossible = { ...inputOf("a"), work: { cost: 3, passes: 1 } };
  const [, key] = await Promise.all([
    assertRejects(() => thread.derive(impossible), RangeError, "scrypt"),
    thread.derive(inputOf("a")),
  ]);
  assertEquals(key.length, 32);
});
