import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { silentLogger } from "../../../src/base/log.ts";
import type { StoredBackup } from "../../../src/model/backup.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { BackupDownload, BackupPort, BackupRequest } from "../../../src/model/ports/backups.ts";
import { Backups, type BackupSchedule } from "../../../src/services/backups/backups.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const HOUR_MS = 3_600_000;

/** Backups in memory, each of which ends when the test says so. */
class FakeBackups implements BackupPort {
  stored: StoredBackup[] = [];
  isFull = false;
  lists = 0;
  #end: ((error?: Error) => void) | undefined;

  idOf(createdAt: number): string {
    return `b${createdAt}`;
  }

  check(): Promise<number> {
    return this.isFull
      ? Promise.reject(new DomainError("storage_full", "Cannot back up: full"))
      : Promise.resolve(100);
  }

  async create({ createdAt, origin, signal, progress }: BackupRequest): Promise<StoredBackup> {
    progress(40, 120);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#end = (error) => error ? reject(error) : resolve();
    signal.addEventListener("abort", () => reject(signal.reason));
    await promise;
    const stored = { id: this.idOf(createdAt), createdAt, origin, bytes: 120, hasKey: true, version: "1" };
    this.stored.unshift(stored);
    return stored;
  }

  end(error?: Error): void {
    this.#end?.(error);
  }

  list(): Promise<StoredBackup[]> {
    this.lists++;
    return Promise.resolve([...this.stored]);
  }

  find(id: string): Promise<StoredBackup | undefined> {
    return Promise.resolve(this.stored.find((each) => each.id === id));
  }

  open(): Promise<BackupDownload | undefined> {
    return Promise.resolve(undefined);
  }

  remove(id: string): Promise<boolean> {
    const before = this.stored.length;
    this.stored = this.stored.filter((each) => each.id !== id);
    return Promise.resolve(this.stored.length < before);
  }

  removeUnfinished(): Promise<void> {
    return Promise.resolve();
  }
}

function setUp(schedule?: BackupSchedule) {
  const clock = new FakeClock();
  const port = new FakeBackups();
  const backups = new Backups({ port, schedule, version: "1", clock, logger: silentLogger(clock) });
  const states = async () => (await backups.list()).map(({ state }) => state);
  const untilIdle = async () => {
    for (let turns = 0; turns < 100 && (await states())[0] === "RUNNING"; turns++) await Promise.resolve();
  };
  return { clock, port, backups, states, untilIdle };
}

Deno.test("start() runs one backup at a time, whose progress is listed, and lists it as complete", async () => {
  const { backups, port, states, untilIdle } = setUp();
  const { id } = await backups.start("MANUAL");
  await assertRejects(() => backups.start("MANUAL"), DomainError, "a backup is under way");
  const { state, bytes, totalBytes } = await backups.get(id);
  assertEquals([state, bytes, totalBytes], ["RUNNING", 40, 120]);
  port.end();
  await untilIdle();
  assertEquals(await states(), ["SUCCESS"]);
  const { lists } = port;
  assertEquals((await backups.get(id)).bytes, 120);
  assertEquals(port.lists, lists, "the others are not read");
  await backups.remove(id);
  await assertRejects(() => backups.get(id), DomainError, `there is no backup "${id}"`);
});

Deno.test("start() of two requests at once starts one", async () => {
  const { backups, port } = setUp();
  const results = await Promise.allSettled([backups.start("MANUAL"), backups.start("MANUAL")]);
  assertEquals(results.map(({ status }) => status), ["fulfilled", "rejected"]);
  port.end();
  await backups[Symbol.asyncDispose]();
});

Deno.test("a backup that fails is listed with its reason until the next one, or until it is deleted", async () => {
  const { backups, port, states, untilIdle } = setUp();
  const { id } = await backups.start("MANUAL");
  port.end(new Error("the disk fails"));
  await untilIdle();
  const { state, error } = await backups.get(id);
  assertEquals([state, error], ["FAILED", "Cannot back up: the disk fails"]);
  await backups.remove(id);
  assertEquals(await states(), []);
  port.isFull = true;
  const refusal = await assertRejects(() => backups.start("MANUAL"), DomainError);
  assertEquals(refusal.code, "storage_full");
});

Deno.test("remove() and the stop of the server end a backup that is under way", async () => {
  const { backups, states } = setUp();
  await backups.remove((await backups.start("MANUAL")).id);
  assertEquals(await states(), []);
  await backups.start("MANUAL");
  await backups[Symbol.asyncDispose]();
  assertEquals(await states(), []);
});

Deno.test("round() backs up when the last scheduled backup is old enough, and keeps so many of those", async () => {
  const { backups, port, clock, states, untilIdle } = setUp({ everyMs: 24 * HOUR_MS, keep: 2 });
  await backups.start("MANUAL");
  port.end();
  await untilIdle();
  await clock.advance(1);
  for (let day = 0; day < 4; day++) {
    await backups.round();
    assertEquals((await states())[0], "RUNNING");
    port.end();
    await untilIdle();
    await backups.round();
    await clock.advance(23 * HOUR_MS);
    await backups.round();
    assertEquals((await states())[0], "SUCCESS");
    await clock.advance(HOUR_MS);
  }
  assertEquals(port.stored.map(({ origin }) => origin), ["SCHEDULE", "SCHEDULE", "MANUAL"]);
});

Deno.test("round() does not count a backup that was made while the clock was ahead", async () => {
  const { backups, port, clock, states, untilIdle } = setUp({ everyMs: 24 * HOUR_MS, keep: 1 });
  const createdAt = clock.now() + 365 * 24 * HOUR_MS;
  const ahead = { id: "ahead", createdAt, origin: "SCHEDULE", bytes: 1, hasKey: true, version: "1" } as const;
  port.stored = [ahead];
  for (let day = 0; day < 2; day++) {
    await backups.round();
    assertEquals((await states())[0], "RUNNING");
    port.end();
    await untilIdle();
    await clock.advance(24 * HOUR_MS);
  }
  assertEquals(port.stored.map(({ id }) => id === "ahead"), [false, true]);
});

Deno.test("round() tries again after an hour when a backup has failed", async () => {
  const { backups, port, clock, states, untilIdle } = setUp({ everyMs: 24 * HOUR_MS, keep: 2 });
  await backups.round();
  port.end(new Error("the disk fails"));
  await untilIdle();
  await clock.advance(HOUR_MS - 1);
  await backups.round();
  assertEquals(await states(), ["FAILED"]);
  await clock.advance(1);
  await backups.round();
  assertEquals(await states(), ["RUNNING"]);
  await backups[Symbol.asyncDispose]();
});

Deno.test("without a file everything is refused, with the way to a backup", async () => {
  const clock = new FakeClock();
  const backups = new Backups({ version: "1", clock, logger: silentLogger(clock) });
  for (const call of [() => backups.start("MANUAL"), () => backups.list(), () => backups.remove("x")]) {
    const error = await assertRejects(call, DomainError);
    assertEquals(error.code, "conflict");
    assertStringIncludes(
      error.message,
      "back it up with the tools of that server, and keep the encryption key",
    );
  }
  await backups.round();
  await backups.tidy();
});
