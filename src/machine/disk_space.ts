/** Room of the file system of a path. */
import { statfs } from "node:fs/promises";
import type { DiskSpace } from "../model/server_metric.ts";

/** `undefined` if the system does not say, or without the permission `--allow-sys=statfs`. */
export async function readDiskSpace(path: string): Promise<DiskSpace | undefined> {
  try {
    const { blocks, bavail, bsize } = await statfs(path);
    return { totalBytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return undefined;
  }
}
