/** The processes that scripts of a crash run have started, found by what they have in their environment. */
import { MARK_VARIABLE } from "../flows/script_flows.ts";

/** Processes by number and start, so that a number that was given again is not taken for the same. */
export type Processes = ReadonlySet<string>;

/** After a crash a watchdog ends them at once; a machine that does much else may keep it waiting. */
const GRACE_MS = 60_000;
const POLL_MS = 20;

/** All that carry the mark now. */
export function markedProcesses(mark: string): Processes {
  const found = new Set<string>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const environment = readOf(name, "environ");
    if (environment.split("\0").includes(`${MARK_VARIABLE}=${mark}`)) {
      found.add(`${name} since ${startOf(name)}`);
    }
  }
  return found;
}

/** Those of `former` that are still alive once they have had time to end. */
export async function survivorsOf(former: Processes, mark: string, graceMs = GRACE_MS): Promise<string[]> {
  const deadline = Date.now() + graceMs;
  for (;;) {
    const now = former.size > 0 ? markedProcesses(mark) : new Set();
    const left = [...former].filter((each) => now.has(each));
    if (left.length === 0 || Date.now() >= deadline) return left;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** The start is the 22nd field; the second may hold blanks, but ends with a parenthesis. */
function startOf(pid: string): string {
  return readOf(pid, "stat").split(") ").at(-1)?.split(" ")[19] ?? "";
}

/** Empty for a process that is gone. */
function readOf(pid: string, file: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/${file}`);
  } catch {
    return ""; // It ended, or belongs to somebody else.
  }
}
