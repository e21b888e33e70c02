/** What the system tells of a process. */

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;
const PEAK = /^VmHWM:\s+(\d+) kB$/m;
const WRITTEN = /^wchar: (\d+)$/m;
/** User and system time behind the name, which may hold anything but ends with the last parenthesis. */
const CPU = /\) \S+(?: \S+){10} (\d+) (\d+) /;
/** Units of these times a second: fixed by the interface of Linux. */
const TICKS_PER_SECOND = 100;

/** Resident memory of a process, in bytes. @throws Error where there is no `/proc` */
export async function residentBytes(pid: number): Promise<number> {
  return (await read(pid, "status", RESIDENT)) * 1024;
}

/** The most memory that a process has had resident, in bytes. @throws Error where there is no `/proc` */
export async function peakBytes(pid: number): Promise<number> {
  return (await read(pid, "status", PEAK)) * 1024;
}

/** Bytes that a process has written to files and connections. @throws Error where there is no `/proc` */
export function writtenBytes(pid: number): Promise<number> {
  return read(pid, "io", WRITTEN);
}

/** Time that the threads of a process have computed, in steps of 10 ms. @throws Error where there is no `/proc` */
export async function cpuMs(pid: number): Promise<number> {
  return (await read(pid, "stat", CPU)) * 1000 / TICKS_PER_SECOND;
}

/** The sum of the numbers that the pattern finds. */
async function read(pid: number, file: string, pattern: RegExp): Promise<number> {
  const found = pattern.exec(await Deno.readTextFile(`/proc/${pid}/${file}`));
  if (!found) throw new Error(`Cannot read the ${file} of process ${pid}: the system tells nothing`);
  return found.slice(1).reduce((sum, number) => sum + Number(number), 0);
}
