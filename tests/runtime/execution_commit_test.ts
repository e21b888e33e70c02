/** The commit of a slice: what it contains, and what remains if the database refuses it. */
import { assertEquals, assertRejects } from "@std/assert";
import { DomainError } from "../../src/model/errors.ts";
import type { Announcement } from "../../src/model/triggers/announcement.ts";
import { type CommitDeps, commitExecution, type Committed } from "../../src/runtime/execution_commit.ts";
import { KeptShapes } from "../../src/runtime/live/kept_shapes.ts";
import type { LiveExecution } from "../../src/runtime/live/live_execution.ts";
import { Slots } from "../../src/runtime/live/slots.ts";
import type { Entry } from "../../src/store/committer.ts";
import type { Mutation } from "../../src/store/store.ts";
import { idOf, liveExecution } from "./live_support.ts";

/** A text with the names in place of execution ids. */
function nameOf(text: string): string {
  return text.replace(/A0+/g, "");
}

/** A committer that keeps its entries; `during` runs while an entry is being written, and may refuse it. */
class Commits {
  readonly entries: Entry[] = [];
  readonly announced: (readonly Announcement[])[] = [];
  readonly committed: [id: string, Committed][] = [];
  readonly shapes = new KeptShapes();
  readonly slots = new Slots();
  during: () => void = () => {};
  /** Name of an execution whose large values cannot be written. */
  unwritable = "";

  async run(live: LiveExecution, files: readonly Mutation[] = []): Promise<boolean> {
    const committed = ({ execution }: LiveExecution, what: Committed) =>
      void this.committed.push([nameOf(execution.id), what]);
    return await commitExecution(live, this.#deps(), { files, committed });
  }

  /** Keys of the mutations of an entry. */
  keys(entry = 0): string[] {
    return this.entries[entry]?.mutations.map(({ type, key }) => `${type} ${nameOf(key.join("/"))}`) ?? [];
  }

  #deps(): CommitDeps {
    const records = {
      prepare: (execution: LiveExecution["execution"]): Mutation[] | Promise<Mutation[]> => {
        const { tenant, id, newLogs } = execution;
        execution.logCount += newLogs.length;
        execution.newLogs = [];
        if (nameOf(id) === this.unwritable) return Promise.reject(new DomainError("storage_full", "full"));
        return [{ type: "set", key: [tenant, "x", id], value: new Uint8Array([1]) }];
      },
    };
    const commit = async (entry: Entry) => {
      await Promise.resolve();
      this.during();
      this.entries.push(entry);
      entry.committed?.();
    };
    const reactions = {
      announcementsOf: () => [],
      announced: (announcements: readonly Announcement[]) => void this.announced.push(announcements),
    };
    const { shapes, slots } = this;
    return { committer: { commit }, records, reactions, shapes, slots } as unknown as CommitDeps;
  }
}

function changed(name = "x"): LiveExecution {
  const live = liveExecution({}, name);
  live.isDirty = true;
  live.isBeforeFirstCommit = true;
  return live;
}

/** Adds one of each thing that a commit contains besides the record. */
function addAll(live: LiveExecution, name: string): void {
  live.timerChanges.push({ type: "set", name: "start", dueAt: 5 });
  live.messages.push({ targetId: "parent", name, event: { type: "kill_asked" } });
  live.receivedKeys.push(["main", "received", name]);
  live.extras.push({ type: "delete", key: ["main", "extra", name] });
}

Deno.test("commitExecution() writes the record alone if nothing else has changed", async () => {
  const commits = new Commits();
  const live = changed();
  assertEquals(await commits.run(live), true);
  assertEquals(commits.keys(), ["set main/x/x"]);
  assertEquals([live.isDirty, live.isBeforeFirstCommit, live.isListed], [false, false, false]);
  assertEquals([commits.committed.map(([id]) => id), commits.announced], [["x"], [[]]]);
});

Deno.test("commitExecution() writes files first and the record last", async () => {
  const commits = new Commits();
  const live = changed();
  addAll(live, "m");
  await commits.run(live, [{ type: "delete", key: ["main", "file"] }]);
  assertEquals(commits.keys(), [
    "delete main/file",
    "set ob/main/parent/x/m",
    "delete main/received/m",
    "set tm/5/main/x/start",
    "delete main/extra/m",
    "set main/x/x",
  ]);
  assertEquals([live.messages, live.timerChanges, live.receivedKeys, live.extras], [[], [], [], []]);
  assertEquals(commits.committed[0]?.[1].messages.map(({ name }) => name), ["m"]);
});

Deno.test("commitExecution() keeps everything for the next commit if the database refuses", async () => {
  const commits = new Commits();
  const live = changed();
  addAll(live, "first");
  live.execution.touched.add(3);
  commits.during = () => {
    addAll(live, "second");
    throw new DomainError("unavailable", "refused");
  };
  await assertRejects(() => commits.run(live), DomainError, "refused");
  assertEquals([live.isDirty, live.isBeforeFirstCommit, commits.committed.length], [true, true, 0]);
  assertEquals(live.messages.map(({ name }) => name), ["first", "second"]);
  assertEquals(live.extras.map(({ key }) => key[2]), ["first", "second"]);
  assertEquals([[...live.execution.touched], live.form.hasPages], [[3], false]);
});

Deno.test("commitExecution() leaves what changes during the commit to the next one", async () => {
  const commits = new Commits();
  const live = changed();
  addAll(live, "first");
  commits.during = () => addAll(live, "second");
  await commits.run(live);
  assertEquals(live.messages.map(({ name }) => name), ["second"]);
});

Deno.test("commitExecution() commits all members of the group in one entry, the leader first", async () => {
  const commits = new Commits();
  const leader = changed("leader");
  leader.members.push(changed("a"), changed("b"));
  await commits.run(leader);
  assertEquals(commits.keys(), ["set main/x/leader", "set main/x/a", "set main/x/b"]);
  assertEquals(commits.committed.map(([id]) => id), ["leader", "a", "b"]);
  assertEquals(leader.members, []);
});

Deno.test("commitExecution() keeps each log line once, however often a member cannot be prepared", async () => {
  const commits = new Commits();
  commits.unwritable = "leader";
  const [leader, member] = [changed("leader"), changed("a")];
  const line = {
    level: "INFO",
    message: "hello",
  } as unknown as LiveExecution["execution"]["newLogs"][number];
  for (const live of [leader, member]) live.execution.newLogs.push(line);
  leader.members.push(member);
  for (let n = 0; n < 3; n++) await assertRejects(() => commits.run(leader), DomainError, "full");
  assertEquals(
    [leader, member].map(({ execution }) => [execution.newLogs, execution.logCount]),
    [[[line], 0], [[line], 0]],
  );
});

Deno.test("commitExecution() leaves out members that were deleted", async () => {
  const commits = new Commits();
  const leader = changed("leader");
  const deleted = changed("a");
  deleted.isDropped = true;
  leader.members.push(deleted, changed("b"));
  await commits.run(leader);
  assertEquals(commits.keys(), ["set main/x/leader", "set main/x/b"]);
});

Deno.test("commitExecution() of a deleted execution writes nothing", async () => {
  const commits = new Commits();
  const live = changed();
  live.isDropped = true;
  assertEquals([await commits.run(live), commits.entries.length, live.isDirty], [false, 0, true]);
});

Deno.test("commitExecution() stores the row of an execution that is not live, and lists a live one", async () => {
  const commits = new Commits();
  const dormant = changed("dormant");
  await commits.run(dormant);
  const live = changed("live");
  live.awaiting = 1;
  await commits.run(live);
  const [first, second] = commits.entries.map(({ facts }) => facts);
  assertEquals([first?.rows?.length, first?.liveness], [1, undefined]);
  assertEquals([second?.rows, second?.liveness], [undefined, [{
    tenant: "main",
    id: idOf("live"),
    live: true,
  }]]);
  assertEquals([live.isListed, live.row !== undefined, dormant.row], [true, true, undefined]);
});
