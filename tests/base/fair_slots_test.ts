import { assertEquals, assertRejects } from "@std/assert";
import { FairSlots } from "../../src/base/fair_slots.ts";
import { settle } from "../support/fakes/fake_clock.ts";

const NEVER = new AbortController().signal;

Deno.test("FairSlots.acquire() serves owners in turn", async () => {
  const slots = new FairSlots(2);
  const served: string[] = [];
  const releases: (() => void)[] = [];
  for (const owner of ["a", "a", "a", "a", "a", "b", "c", "b"]) {
    void slots.acquire(owner, NEVER).then((release) => {
      served.push(owner);
      if (release) releases.push(release);
    });
  }
  for (let count = 0; count < 8; count++) {
    await settle();
    releases.shift()?.();
  }
  assertEquals(served.join(""), "aaabcaba");
});

Deno.test("FairSlots.begin() keeps no slot for what cannot begin", async () => {
  const slots = new FairSlots(1);
  const { signal } = new AbortController();
  const refuse = () => {
    throw new Error("There is no process left");
  };
  await assertRejects(() => slots.begin("a", signal, refuse), Error, "no process left");
  assertEquals(await slots.begin("a", signal, () => "begun"), "begun");
});

Deno.test("FairSlots.acquire() returns nothing to those who gave up", async () => {
  const slots = new FairSlots(1);
  const release = await slots.acquire("a", NEVER);
  const controller = new AbortController();
  const waiting = slots.acquire("b", controller.signal);
  controller.abort();
  assertEquals(await waiting, undefined);
  const last = slots.acquire("c", NEVER);
  release?.();
  release?.();
  (await last)?.();
  (await slots.acquire("d", NEVER))?.();
  assertEquals(await slots.acquire("e", AbortSignal.abort()), undefined);
});
