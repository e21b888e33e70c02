/** Processes of this machine, as tests of scripts look for them. */

/** Bounds a wait for what never comes; a machine that does much else may keep a process waiting for long. */
const MAX_WAIT_MS = 120_000;
const POLL_MS = 5;

/** Seconds for a `sleep` of years by which its process is told from all others of the machine, also those of other test runs. */
export function ownSeconds(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return String(1_000_000_000 + number % 1_000_000_000);
}

/** Command lines of the processes that sleep for one of these seconds; what has not become `sleep` yet is none of them. */
export async function sleepers(...seconds: readonly string[]): Promise<string[]> {
  const wanted = new Set(seconds.map((each) => `sleep ${each}`));
  return (await list("args")).filter((line) => wanted.has(line));
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

/** True when the process ignores the signal of this number. */
export function isIgnoring(pid: number, signal: number): boolean {
  const [, mask = "0"] = /^SigIgn:\t([0-9a-f]+)$/m.exec(fileOf(String(pid), "status")) ?? [];
  return (BigInt(`0x${mask}`) >> BigInt(signal - 1) & 1n) === 1n;
}

/** True when nothing of the process is left, or only what its parent has not taken note of. */
export function hasEnded(pid: number): boolean {
  return isGone(pid) || /^State:\tZ/m.test(fileOf(String(pid), "status"));
}

/** True when the process has ended and its parent has taken note of it. */
export function isGone(pid: number): boolean {
  return fileOf(String(pid), "status") === "";
}

/** Program and arguments of a process; what starts another program has those of its own until it becomes it. */
export function commandOf(pid: number): string[] {
  return fileOf(String(pid), "cmdline").split("\0").slice(0, -1);
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
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!await holds()) {
    if (performance.now() > deadline) throw new Error("It does not come to hold");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
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
