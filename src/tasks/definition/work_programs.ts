/** Machine of this machine, for defined types. */
import type { RunContext } from "../../model/ports/run_context.ts";
import type { ProcessCommand } from "../../model/ports/processes.ts";
import type { ProgramCommand, ProgramEnd } from "../../model/tasks/machine_task.ts";
import type { FileOwner } from "../local_files.ts";

/** Of the output of a program, its end. */
const MAX_OUTPUT_CHARS = 32 * 1024;

/** Whose program it is, and where it runs. */
export type ProgramOwner = FileOwner & Pick<RunContext, "signal" | "workingDirectory">;

/** The directory that the work and its programs share. */
export async function workingDirectoryOf(
  { workingDirectory, ports }: ProgramOwner,
  ownDirectory: () => Promise<string>,
): Promise<string> {
  if (workingDirectory === undefined) return await ownDirectory();
  await ports.workingDirectories.whenFree(workingDirectory);
  return workingDirectory;
}

/** Checks that it can be a process of this machine. @throws Error the policy forbids it, or it is missing */
export async function checkProgram(
  owner: ProgramOwner,
  place: Pick<ProcessCommand, "env" | "workingDirectory" | "signal">,
  { command: [name = ""], wayOut }: Pick<ProgramCommand, "command" | "wayOut">,
): Promise<void> {
  const { processes } = owner.ports;
  const { mode, reason } = processes.policy;
  if (mode === "container") {
    throw new Error(`Cannot run "${name}": it would be a process of this machine, and ${reason}`);
  }
  if (!await processes.findProgram(owner, name, place)) {
    throw new Error(`Cannot run "${name}": this program is missing on the PATH of scripts; ${wayOut}`);
  }
}

/** Runs a program as a script runs. @throws Error the policy forbids it, or the program is missing */
export async function runProgram(
  owner: ProgramOwner,
  workingDirectory: string,
  { command, env = {}, wayOut }: ProgramCommand,
): Promise<ProgramEnd> {
  const { ports: { processes }, signal } = owner;
  const place = { env: new Map(Object.entries(env)), workingDirectory, signal };
  await checkProgram(owner, place, { command, wayOut });
  let output = "";
  const end = await processes.run(owner, {
    ...place,
    command,
    place: { type: "process" },
    onLine: ({ text }) => void (output = `${output}${text}\n`.slice(-MAX_OUTPUT_CHARS)),
  });
  return { exitCode: end.exitCode, output: end.reason === undefined ? output : `${output}${end.reason}` };
}
