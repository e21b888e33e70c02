import { assertEquals } from "@std/assert";
import type { LogLine } from "../../src/model/executions/execution.ts";
import type { Platform } from "../../src/server/platform.ts";
import type { Services } from "../../src/server/services.ts";
import { createTaskPorts } from "../../src/server/task_ports.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";

Deno.test("the log port reads a piece of a log when the lines before it are taken", async () => {
  const calls: string[] = [];
  const records = {
    outline: (_tenant: string, id: string) =>
      Promise.resolve({ execution: { id, kind: "NORMAL", taskRuns: [] } }),
    async *logLines() {
      for (const name of ["a", "b"]) {
        calls.push(`read ${name}`);
        const lineOf = (level: LogLine["level"]): LogLine => ({ at: 0, level, message: `${name} ${level}` });
        yield await Promise.resolve([lineOf("INFO"), lineOf("WARN"), lineOf("ERROR")]);
      }
    },
  };
  const { logs } = createTaskPorts(
    { records } as unknown as Services,
    { server: {} } as Platform,
    new FakeClock(),
  );
  const entries = await logs.entries("main", { executionId: "e", minLevel: "WARN" });
  for await (const { message } of entries ?? []) calls.push(`take ${message}`);
  assertEquals(calls, [
    ...["read a", "take a WARN", "take a ERROR"],
    ...["read b", "take b WARN", "take b ERROR"],
  ]);
});
