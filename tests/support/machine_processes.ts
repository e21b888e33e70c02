/** Processes of this machine, as tests of scripts look for them. */
import { setImmediate } from "node:timers";

/** Command lines of the sleeping processes whose seconds match. */
export async function sleepers(seconds: string): Promise<string[]> {
  return (await list("args")).filter((line) => new RegExp(`^sleep ${seconds}$`).test(line));
}

/** Numbers and states of the children of a process, such as `17 Z` for one that nobody has taken note of. */
export async function childrenOf(pid: number): Promise<string[]> {
  const lines = (await list("ppid,pid,stat")).map((line) => line.split(/ +/));
  return lines.filter(([parent]) => parent === String(pid)).map(([, child, state]) => `${child} ${state}`);
}

/** Numbers of the children of this process that have this variable in their environment. */
export function childrenWithVariable(variable: string): number[] {
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => name)
    .filter((name) => /^\d+$/.test(name) && fileOf(name, "environ").split("\0").includes(variable))
    .filter((name) => fileOf(name, "status").includes(`\nPPid:\t${Deno.pid}\n`))
    .map(Number);
}

/** Numbers of processes that have this argument, and a variable that begins so. */
export function processesWith(argument: string, variable: string): number[] {
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => name)
    .filter((name) => /^\d+$/.test(name) && fileOf(name, "cmdline").split("\0").includes(argument))
    .filter((name) => fileOf(name, "environ").split("\0").some((line) => line.startsWith(variable)))
    .map(Number);
}

/** Asks until it holds: what other processes do has no event here. */
export async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  for (let count = 0; count < 2_000; count++) {
    if (await holds()) return;
    await new Promise((resolve) => void setImmediate(resolve));
  }
  throw new Error("It does not come to hold");
}

async function list(columns: string): Promise<string[]> {
  const { stdout } = await new Deno.Command("ps", { args: ["-eo", columns] }).output();
  return new TextDecoder().decode(stdout).split("\n").map((line) => line.trim());
}

function fileOf(pid: string, name: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${name}`);
  } catch {
    return ""; // It ended, or belongs to somebody else.
  }
}
