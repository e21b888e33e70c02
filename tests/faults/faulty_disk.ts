/** A folder whose reads and writes fail when a test says so, for a server that is started with its environment. */
import { withTempDir } from "../support/temp_dir.ts";

/** What the disk answers to reads and writes, as error numbers of Linux; 0 for none. */
export interface DiskFault {
  readonly reads: number;
  readonly writes: number;
}

/** Error numbers of Linux. */
export const EIO = 5;
export const ENOSPC = 28;
export const EROFS = 30;

const SOURCE = new URL("./disk_faults.c", import.meta.url).pathname;

const SKIPPED = "Tests of faulty disks are skipped: there is no gcc\n";

/** A folder and the fault of its files. */
export interface FaultyDisk {
  /** The data directory; does not exist yet. */
  readonly dataDir: string;
  /** For the process that uses the folder. */
  readonly env: Readonly<Record<string, string>>;
  /** Sets the fault; it holds until the next one. */
  set(fault: Partial<DiskFault>): void;
}

/** Whether this machine can build and load the library of faults. Says so if not. */
export const CAN_FAIL_DISKS: boolean = await isCompilerPresent();

async function isCompilerPresent(): Promise<boolean> {
  if (Deno.build.os !== "linux") return false;
  const found = await new Deno.Command("gcc", { args: ["--version"], stdout: "null", stderr: "null" })
    .output()
    .then(({ success }) => success, () => false);
  if (!found) Deno.stderr.writeSync(new TextEncoder().encode(SKIPPED));
  return found;
}

/** Builds the library in a temporary folder and calls `use`. */
export async function withFaultyDisk(use: (disk: FaultyDisk) => Promise<void>): Promise<void> {
  await withTempDir(async (root) => {
    const folder = await Deno.realPath(root);
    const library = `${folder}/disk_faults.so`;
    const control = `${folder}/fault`;
    const args = ["-shared", "-fPIC", "-O1", "-o", library, SOURCE, "-ldl"];
    const { success, stderr } = await new Deno.Command("gcc", { args }).output();
    if (!success) throw new Error(`Cannot build "${SOURCE}": ${new TextDecoder().decode(stderr)}`);
    const set = ({ reads = 0, writes = 0 }: Partial<DiskFault>) =>
      Deno.writeTextFileSync(control, `${reads} ${writes}`.padEnd(8));
    set({});
    const dataDir = `${folder}/data`;
    const env = { LD_PRELOAD: library, DISK_FAULTS: control, DISK_FAULTS_FOLDER: dataDir };
    await use({ dataDir, env, set });
  });
}
