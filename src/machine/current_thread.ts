/** Priority and processor time of the thread that calls, for threads that compute for long. */
import { getPriority, setPriority } from "node:os";
import process from "node:process";
import { systemClock } from "../base/time/clock.ts";

/** Nice value: while processors are short, such a thread gets about a tenth of what an ordinary one gets. */
const LOW = 10;

/**
 * Lets the other threads of the server go first, so that requests are served while the calling thread works. Linux keeps a
 * priority for each thread, other systems for the process: without effect there, and without the permissions
 * `--allow-sys=getPriority,setPriority`.
 */
export function lowerThreadPriority(): void {
  if (Deno.build.os !== "linux") return;
  try {
    setPriority(Math.max(LOW, getPriority()));
  } catch {
    // Not allowed: the thread competes like the others.
  }
}

/** Milliseconds for which the thread has computed, in steps of the system. Where the run-time does not tell, those of a clock. */
export function threadCpuMs(): number {
  if (typeof process.threadCpuUsage !== "function") return systemClock.monotonicMs();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
