import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import type { DurationForm } from "../../../src/base/time/duration.ts";
import { DomainError } from "../../../src/model/errors.ts";
import { executionBody } from "../../../src/model/executions/execution_body.ts";
import type { Execution } from "../../../src/model/executions/execution.ts";
import { FollowedExecutions } from "../../../src/services/executions/followed_executions.ts";
import { Changes } from "../../../src/store/changes.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { PassingClock } from "../../support/fakes/passing_clock.ts";

const ACTOR = { tenant: "main", user: "" };
const ID = "AVbchewD0008aWJT9KjFyN";
const EXECUTION = {
  id: ID,
  tenant: "main",
  history: [{ state: "RUNNING", at: 0 }],
  labels: [],
  taskRuns: [],
} as unknown as Execution;

function create(clock = new FakeClock()) {
  const changes = new Changes();
  const found = { reads: 0, error: undefined as Error | undefined, execution: EXECUTION };
  const read = () => {
    found.reads++;
    return found.error ? Promise.reject(found.error) : Promise.resolve({ execution: found.execution });
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

Deno.test("read() gives all followers the same bytes, one array for each form of durations", async () => {
  const { followed } = create();
  const followers = Array.from({ length: 10 }, () => followed.follow(ACTOR, ID, () => {}));
  const views = await Promise.all(followers.map(({ read }) => read()));
  const arrays = await Promise.all(views.flatMap((view) => [view?.bytes(), view?.bytes("seconds")]));
  assertEquals(new Set(arrays).size, 1);
  const [bytes, iso] = [await views[0]?.bytes(), await views[1]?.bytes("iso")];
  assertStrictEquals(await views[2]?.bytes("iso"), iso);
  const now = views[0]?.now ?? 0;
  const text = (durations?: DurationForm) => executionBody(EXECUTION, { now, durations, taskRuns: true });
  assertEquals([bytes, iso].map((each) => new TextDecoder().decode(each)), [text(), text("iso")]);
});

Deno.test("read() shares the view of a large execution longer, and keeps none that is too old", async () => {
  const { clock, followed, found } = create();
  const taskRuns = Array.from({ length: 1_000 }) as unknown as Execution["taskRuns"];
  found.execution = { ...EXECUTION, taskRuns };
  using follower = followed.follow(ACTOR, ID, () => {});
  await follower.read();
  assertEquals(clock.timerCount, 1);
  await clock.advance(149);
  await follower.read();
  assertEquals([found.reads, clock.timerCount], [1, 1]);
  await clock.advance(1);
  assertEquals(clock.timerCount, 0);
  await follower.read();
  assertEquals(found.reads, 2);
});

Deno.test("read() serves followers that wait for one view one after the other, with turns for others", async () => {
  const clock = new PassingClock();
  const { followed } = create(clock);
  const followers = Array.from({ length: 50 }, () => followed.follow(ACTOR, ID, () => {}));
  const served: number[] = [];
  await Promise.all(followers.map(async ({ read }, index) => {
    await read();
    served.push(index);
  }));
  assertEquals(served, followers.map((_, index) => index));
  assertEquals(clock.turns >= followers.length - 1, true, `${clock.turns} turns`);
});
