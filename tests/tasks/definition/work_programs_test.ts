/** Machine of defined types. */
import { assertEquals, assertRejects } from "@std/assert";
import type { ProcessCommand, ProcessPolicy, ProcessPort } from "../../../src/model/ports/processes.ts";
import type { TaskPorts } from "../../../src/model/ports/task_ports.ts";
import { runProgram } from "../../../src/tasks/definition/work_programs.ts";
import { ATTEMPT } from "../../support/processes/scripts.ts";

function run(mode: ProcessPolicy["mode"], lines: readonly string[], { isMissing = false, reason = "" } = {}) {
  const commands: ProcessCommand[] = [];
  const processes: Pick<ProcessPort, "policy" | "findProgram" | "run"> = {
    policy: { mode, reason: "this server has several tenants" },
    findProgram: () => Promise.resolve(isMissing ? undefined : { path: "/bin/duck", version: "" }),
    async run(_attempt, command) {
      commands.push(command);
      for (const text of lines) await command.onLine({ text, isError: false });
      return { exitCode: 1, ...reason !== "" && { reason } };
    },
  };
  const signal = new AbortController().signal;
  const ports = { processes } as unknown as TaskPorts;
  const command = { command: ["duck", "-v"], env: { TOKEN: "t" }, wayOut: "install it" };
  const ended = runProgram({ ...ATTEMPT, files: {}, ports, signal }, "/work", command);
  return { ended, commands };
}

Deno.test("runProgram() runs a process in the directory, and gives its output", async () => {
  const { ended, commands } = run("process", ["one", "two"]);
  assertEquals(await ended, { exitCode: 1, output: "one\ntwo\n" });
  const [{ command, workingDirectory, env, place } = assertCalled()] = commands;
  assertEquals([command, workingDirectory, [...env], place], [
    ["duck", "-v"],
    "/work",
    [["TOKEN", "t"]],
    { type: "process" },
  ]);
});

function assertCalled(): never {
  throw new Error("No process was started");
}

Deno.test("runProgram() keeps the end of a long output, and the limit that ended the program", async () => {
  const line = "x".repeat(1_000);
  const { output } = await run("process", [...Array(100).fill(line), "last"], { reason: "Too much memory" })
    .ended;
  assertEquals([output.length <= 33_000, output.endsWith("x\nlast\nToo much memory")], [true, true]);
});

Deno.test("runProgram() names what is missing, and where scripts must run in containers", async () => {
  await assertRejects(
    () => run("process", [], { isMissing: true }).ended,
    Error,
    'Cannot run "duck": this program is missing on the PATH of scripts; install it',
  );
  await assertRejects(
    () => run("container", []).ended,
    Error,
    'Cannot run "duck": it would be a process of this machine, and this server has several tenants',
  );
});
