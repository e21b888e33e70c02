/** What the system tells of a process. */

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;

/** Resident memory of a process, in bytes. @throws Error where there is no `/proc` */
export async function residentBytes(pid: number): Promise<number> {
  const [, kibibytes] = RESIDENT.exec(await Deno.readTextFile(`/proc/${pid}/status`)) ?? [];
  if (kibibytes === undefined) {
    throw new Error(`Cannot read the memory of process ${pid}: the system tells nothing`);
  }
  return Number(kibibytes) * 1024;
}
