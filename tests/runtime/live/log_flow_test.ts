/** Log lines of a long attempt: stored while it runs, and no more of them in memory than may wait. */
import { assertEquals } from "@std/assert";
import type { Execution, LogLine } from "../../../src/model/executions/execution.ts";
import { LogFlow } from "../../../src/runtime/live/log_flow.ts";
import { FakeClock, settle } from "../../support/fakes/fake_clock.ts";

const NEVER = new AbortController().signal;

/** An execution of which nothing but its new lines counts, and what is asked of its executor. */
class Writer {
  readonly clock = new FakeClock();
  readonly execution = { newLogs: [] as LogLine[] };
  readonly flow: LogFlow;
  wakes = 0;

  constructor() {
    const wake = () => void this.wakes++;
    this.flow = new LogFlow(this.execution as unknown as Execution, { clock: this.clock, wake });
  }

  write(count: number, message = "x"): void {
    for (let line = 0; line < count; line++) {
      this.execution.newLogs.push({ level: "INFO", at: 0, message });
      this.flow.added();
    }
  }

  /** What the executor does when the database has refused a commit. */
  putBack(): void {
    this.execution.newLogs = [...this.execution.newLogs];
  }

  commit(): void {
    this.execution.newLogs = [];
    this.flow.committed();
  }
}

Deno.test("LogFlow.added() stores few lines after half a second, once", async () => {
  const writer = new Writer();
  writer.write(3);
  await writer.clock.advance(499);
  assertEquals(writer.wakes, 0);
  await writer.clock.advance(1);
  assertEquals(writer.wakes, 1);
  writer.commit();
  await writer.clock.advance(10_000);
  assertEquals([writer.wakes, writer.clock.timerCount], [1, 0]);
});

const FULL: readonly (readonly [name: string, count: number, message: string])[] = [
  ["1,000 lines", 1_000, "x"],
  ["128 KiB", 13, "x".repeat(10_240)],
];

for (const [name, count, message] of FULL) {
  Deno.test(`LogFlow.room() waits for a commit at ${name}`, async () => {
    const writer = new Writer();
    writer.write(count - 1, message);
    assertEquals([writer.flow.room(NEVER), writer.wakes], [undefined, 0]);
    writer.write(1, message);
    let hasRoom = false;
    void writer.flow.room(NEVER)?.then(() => hasRoom = true);
    await settle();
    assertEquals([hasRoom, writer.wakes > 0], [false, true]);
    writer.putBack();
    const another = writer.flow.room(NEVER);
    await settle();
    assertEquals([hasRoom, another instanceof Promise], [false, true]);
    writer.commit();
    await settle();
    assertEquals([hasRoom, writer.flow.room(NEVER)], [true, undefined]);
  });
}

Deno.test("LogFlow.room() does not block an aborted writer", async () => {
  const writer = new Writer();
  const controller = new AbortController();
  writer.write(1_000);
  const room = writer.flow.room(controller.signal);
  controller.abort();
  await room;
  assertEquals(writer.flow.room(controller.signal), undefined);
});

Deno.test("LogFlow.cancelFlush() leaves no timer behind", () => {
  const writer = new Writer();
  writer.write(1);
  writer.flow.cancelFlush();
  assertEquals(writer.clock.timerCount, 0);
});
