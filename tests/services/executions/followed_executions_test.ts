import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { DomainError } from "../../../src/model/errors.ts";
import type { Execution } from "../../../src/model/executions/execution.ts";
import { FollowedExecutions } from "../../../src/services/executions/followed_executions.ts";
import { Changes } from "../../../src/store/changes.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const ACTOR = { tenant: "main", user: "" };
const ID = "AVbchewD0008aWJT9KjFyN";
const EXECUTION = { id: ID, history: [{ state: "RUNNING", at: 0 }] } as unknown as Execution;

function create() {
  const clock = new FakeClock();
  const changes = new Changes();
  const found = { reads: 0, error: undefined as Error | undefined };
  const read = () => {
    found.reads++;
    return found.error ? Promise.reject(found.error) : Promise.resolve({ execution: EXECUTION });
  };
  return { clock, changes, found, followed: new FollowedExecutions({ read, changes, clock }) };
}

Deno.test("read() reads once for all followers, and again after a change", async () => {
  const { changes, followed, found } = create();
  let told = 0;
  const followers = Array.from({ length: 100 }, () => followed.follow(ACTOR, ID, () => told++));
  const views = await Promise.all(followers.map(({ read }) => read()));
  assertEquals([found.reads, new Set(views).size], [1, 1]);
  changes.publish("main", ID);
  assertEquals(told, 100);
  await Promise.all(followers.map(({ read }) => read()));
  assertEquals(found.reads, 2);
});

Deno.test("read() reads again when the last view is too old", async () => {
  const { clock, followed, found } = create();
  using follower = followed.follow(ACTOR, ID, () => {});
  const first = await follower.read();
  await clock.advance(40);
  assertStrictEquals(await follower.read(), first);
  await clock.advance(20);
  assertEquals((await follower.read())?.now, clock.now());
  assertEquals(found.reads, 2);
});

Deno.test("read() returns nothing for an unknown execution, and does not keep failures", async () => {
  const { followed, found } = create();
  using follower = followed.follow(ACTOR, ID, () => {});
  found.error = new DomainError("unavailable", "Cannot read");
  await assertRejects(() => follower.read(), DomainError, "Cannot read");
  found.error = undefined;
  assertEquals((await follower.read())?.execution.id, ID);
  const { followed: others, found: missing } = create();
  missing.error = new DomainError("not_found", "Not Found");
  using other = others.follow(ACTOR, ID, () => {});
  assertEquals(await other.read(), undefined);
});

Deno.test("follow() keeps nothing once the last follower has left", async () => {
  const { changes, followed } = create();
  const followers = [1, 2].map(() => followed.follow(ACTOR, ID, () => {}));
  await Promise.all(followers.map(({ read }) => read()));
  for (const follower of followers) {
    follower[Symbol.dispose]();
    follower[Symbol.dispose]();
    assertEquals(followed.size, follower === followers[0] ? 1 : 0);
  }
  assertEquals(changes.size, 0);
});
