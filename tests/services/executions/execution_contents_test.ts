/** The ERROR lines of an execution for its own expressions. */
import { assertEquals } from "@std/assert";
import type { Execution, LogLine } from "../../../src/model/executions/execution.ts";
import { ExecutionContents } from "../../../src/services/executions/execution_contents.ts";
import { Changes } from "../../../src/store/changes.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";

const KEY = { tenant: "main", id: "e" };

function lineOf(message: string): LogLine {
  return { at: 0, level: message.startsWith("error") ? "ERROR" : "INFO", message };
}

/** Errors of an execution with these counts; `commit` counts one more line as stored. */
function contentsOf(
  { stored, logCount, storedCount, fresh = [] }: {
    readonly stored: readonly (readonly string[])[];
    readonly logCount: number;
    readonly storedCount: number;
    readonly fresh?: readonly string[];
  },
) {
  const changes = new Changes();
  const calls: string[] = [];
  let now = storedCount;
  const records = {
    outline: () => Promise.resolve({ execution: { ...KEY, logCount: now } }),
    async *logLines() {
      for (const piece of stored) {
        calls.push(`read ${piece.join(" ")}`);
        yield await Promise.resolve(piece.map(lineOf));
      }
    },
  };
  const deps = { records, changes, clock: new FakeClock() };
  const contents = new ExecutionContents(
    deps as unknown as ConstructorParameters<typeof ExecutionContents>[0],
  );
  const execution = { ...KEY, kind: "NORMAL", logCount, newLogs: fresh.map(lineOf) } as unknown as Execution;
  const commit = () => {
    now++;
    changes.publish(KEY.tenant, KEY.id);
  };
  const errors = async () => (await contents.errors(execution)).map(({ message }) => message);
  return { errors, commit, calls };
}

Deno.test("ExecutionContents.errors() reads the stored lines once, also if it waits for several commits", async () => {
  const { errors, commit, calls } = contentsOf({
    ...{ stored: [["error 1", "info 1"], ["error 2"]], logCount: 3, storedCount: 0 },
    fresh: ["info 2", "error 3"],
  });
  const found = errors();
  for (let i = 0; i < 3; i++) {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    commit();
  }
  assertEquals(await found, ["error 1", "error 2", "error 3"]);
  assertEquals(calls, ["read error 1 info 1", "read error 2"]);
});

/** Stored lines in pieces, lines that the execution counts, lines that are stored by now, and the errors that it sees. */
const COUNTS = [
  [[["error 1"], ["error 2"]], 2, 2, ["error 1", "error 2"]],
  [[["error 1"], ["error 2", "error later"]], 2, 3, ["error 1", "error 2"]],
  [[["error 2"], ["error later"]], 2, 3, ["error 2"]],
  [[["error later"]], 0, 3, []],
  [[], 2, 2, []],
] as const;

for (const [stored, logCount, storedCount, expected] of COUNTS) {
  Deno.test(`ExecutionContents.errors() of ${JSON.stringify(stored)}, ${logCount} of ${storedCount} lines, are ${expected.length}`, async () => {
    assertEquals(await contentsOf({ stored, logCount, storedCount }).errors(), [...expected]);
  });
}
