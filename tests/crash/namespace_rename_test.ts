/**
 * The server dies, or its database fails, at every single commit of the rename of a namespace: after the next boot either
 * everything is under the old name or everything is under the new one, and what is stored agrees at every moment.
 */
import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { checkStore } from "../../src/store/check/check.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { MemoryStore } from "../support/fakes/memory_store.ts";
import { contentOf, fillNamespace } from "../support/flows/namespace_scene.ts";
import { json } from "../support/flows/request_bodies.ts";
import { Harness } from "../support/harness.ts";
import { type Cut, MortalStore } from "./mortal_store.ts";

const NEW = "brand.new";
const PHASE_MS = 5_000;
const MAX_TURNS = 100_000;

interface Ending {
  readonly before: JsonObject;
  readonly old: JsonObject;
  readonly renamed: JsonObject;
  /** What the client heard; `undefined`: nothing. */
  readonly status: number | undefined;
  /** Commits of the rename, and of the boot after it. */
  readonly commits: readonly [number, number];
}

/** Renames the namespace in a first life, and boots a second one; both may be cut. */
async function play(first?: Cut, second?: Cut): Promise<Ending> {
  const clock = new FakeClock();
  const memory = new MemoryStore(clock);
  const store = new MortalStore(memory);
  const app = await Harness.start({ wrap: () => store }, memory, clock);
  await fillNamespace(app);
  const before = await contentOf(app, "old");
  store.arm(first);
  const renaming = rename(app);
  await untilOver(clock, store, renaming);
  // A rename that the database has refused in the middle continues by itself.
  for (let phase = 0; phase < 3 && !store.isDead; phase++) await clock.advance(PHASE_MS);
  const { commits } = store;
  const status = store.isDead ? undefined : await renaming;
  if (!store.isDead) await store.stop(app);
  const again = await boot(memory, clock, second);
  const last = await boot(again.memory, again.clock);
  const { app: end } = last;
  assert(end);
  const ending = { before, old: await contentOf(end, "old"), renamed: await contentOf(end, NEW), status };
  await end[Symbol.asyncDispose]();
  await checkStored(last.memory);
  return { ...ending, commits: [commits, again.commits] };
}

async function rename(app: Harness): Promise<number> {
  const response = await app.open("POST", "/namespaces/old/rename", json({ id: NEW }));
  await response.body?.cancel();
  return response.status;
}

/** Waits until work has ended, or the server is dead. */
async function untilOver(clock: FakeClock, store: MortalStore, work: Promise<unknown>): Promise<void> {
  let isOver = false;
  void work.then(() => isOver = true);
  for (let turn = 0; turn < MAX_TURNS && !isOver && !store.isDead; turn++) await clock.advance(1);
}

/** Starts a server on what an earlier one left. */
async function boot(left: MemoryStore, at: FakeClock, cut?: Cut) {
  await checkStored(left);
  const clock = new FakeClock(at.now());
  const memory = left.reopen(clock);
  const store = new MortalStore(memory);
  store.arm(cut);
  const starting = Harness.start({ wrap: () => store }, memory, clock);
  await untilOver(clock, store, starting);
  const app = store.isDead ? undefined : await starting;
  const { commits } = store;
  if (app && cut) await store.stop(app);
  return { app, memory, clock, commits };
}

/** Whatever the moment of a crash, what is stored agrees. */
async function checkStored(store: MemoryStore): Promise<void> {
  const { findings } = await checkStore(store.reopen(new FakeClock()));
  assertEquals(findings.list().filter(({ severity }) => severity !== "leftover"), []);
}

/** All is under exactly one of the names, and under the new one if the client was told so. */
function check({ before, old, renamed, status }: Ending, ...where: readonly unknown[]): boolean {
  const isRenamed = renamed.file === before.file;
  const message = where.join(" ");
  assertEquals(isRenamed ? renamed : old, before, message);
  const gone = isRenamed ? old : renamed;
  assertEquals([gone.pairs, gone.child, gone.sub, gone.large, gone.largeFile], [
    "[]",
    "404",
    "404",
    "404",
    "false",
  ], message);
  if (status === 200) assert(isRenamed, message);
  return isRenamed;
}

Deno.test("rename of a namespace: a crash at any write leaves it under exactly one name", async () => {
  const uncut = await play();
  assertEquals([uncut.status, check(uncut, "uncut")], [200, true]);
  const [commits] = uncut.commits;
  assert(commits > 8, String(commits));
  const outcomes = new Set<boolean>();
  for (const mode of ["die_before", "die_after", "refuse", "lose_response", "refuse_then_die"] as const) {
    for (let at = 1; at <= commits; at++) outcomes.add(check(await play({ at, mode }), mode, at));
  }
  assertEquals(outcomes, new Set([true, false]));
});

Deno.test("rename of a namespace: a second crash while the boot finishes it changes nothing", async () => {
  const { commits: [commits] } = await play();
  let cuts = 0;
  for (let first = 3; first <= commits; first += 3) {
    const { commits: [, booted] } = await play({ at: first, mode: "die_after" });
    for (let second = 1; second <= booted; second++) {
      for (const mode of ["die_before", "die_after"] as const) {
        assert(
          check(await play({ at: first, mode: "die_after" }, { at: second, mode }), first, mode, second),
        );
        cuts++;
      }
    }
  }
  assert(cuts > 20, String(cuts));
});
