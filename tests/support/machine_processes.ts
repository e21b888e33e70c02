/** Processes of this machine, for tests of scripts. */
import { setImmediate } from "node:timers";

/** Fraction of seconds that distinguishes the sleeping processes of this test file from all others of the machine. */
const FRACTION = String(crypto.getRandomValues(new Uint32Array(1))[0]).padStart(10, "0");
/** Limit of {@link until}: a loaded machine may need long. */
const UNTIL_MS = 60_000;

/** The command of a process that {@link sleepers} finds by these seconds. */
export function sleep(seconds: number): string {
  return `sleep ${seconds}.${FRACTION}`;
}

/** Command lines of the processes started by {@link sleep} whose seconds match. */
export async function sleepers(seconds: string): Promise<string[]> {
  const pattern = new RegExp(`^sleep ${seconds}\\.${FRACTION}$`);
  return (await list("args")).filter((line) => pattern.test(line));
}

/** Ids and states of the children of a process, such as `17 Z` for a zombie. */
export async function childrenOf(pid: number): Promise<string[]> {
  const lines = (await list("ppid,pid,stat")).map((line) => line.split(/ +/));
  return lines.filter(([parent]) => parent === String(pid)).map(([, child, state]) => `${child} ${state}`);
}

/** Ids of the children of this process that have this variable in their environment. */
export function childrenWithVariable(variable: string): number[] {
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => name)
    .filter((name) => /^\d+$/.test(name) && fileOf(name, "environ").split("\0").includes(variable))
    .filter((name) => fileOf(name, "status").includes(`\nPPid:\t${Deno.pid}\n`))
    .map(Number);
}

/** Ids of shells with this argument, and a variable that begins so; not of a `setsid` that has not become the shell yet. */
export function shellsWith(argument: string, variable: string): number[] {
  const isShell = ([program, ...args]: readonly string[]) => program === "/bin/sh" && args.includes(argument);
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => name)
    .filter((name) => /^\d+$/.test(name) && isShell(fileOf(name, "cmdline").split("\0")))
    .filter((name) => fileOf(name, "environ").split("\0").some((line) => line.startsWith(variable)))
    .map(Number);
}

/** Polls until it holds: other processes send no events. @throws Error it does not within 60 s */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + UNTIL_MS;
  while (performance.now() < end) {
    if (await holds()) return;
    await new Promise((resolve) => void setImmediate(resolve));
  }
  throw new Error(`The condition did not hold within ${UNTIL_MS} ms`);
}

async function list(columns: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", columns] }).output();
  return new TextDecoder().decode(stdout).split("\n").map((line) => line.trim());
}

function fileOf(pid: string, name: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch {
    return ""; // It ended, or belongs to another user.
  }
}
