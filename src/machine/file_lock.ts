/** Locks of files and folders between processes. */
import type { Clock } from "../base/time/clock.ts";

/** Wait for a lock on runtimes without `tryLock`. */
const LOCK_WAIT_MS = 250;

/**
 * Locks it for this process until it is closed; false if another process has locked it. Runtimes before 2.7 have no `tryLock`:
 * a lock that takes longer than {@link LOCK_WAIT_MS} counts as held.
 */
export async function tryLock(file: Deno.FsFile, clock: Clock): Promise<boolean> {
  if (typeof file.tryLock === "function") return await file.tryLock(true);
  const { promise: waited, resolve } = Promise.withResolvers<boolean>();
  const cancel = clock.setTimer(LOCK_WAIT_MS, () => resolve(false));
  try {
    return await Promise.race([file.lock(true).then(() => true), waited]);
  } finally {
    cancel();
  }
}
