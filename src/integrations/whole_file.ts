/** Files that are in memory as a whole. */
import { open } from "node:fs/promises";
import { checkWholeFile } from "../model/tasks/whole_files.ts";

/** The bytes of a file; `name` is what the user knows it by. @throws Error it has more than 100 MiB, or `maxBytes` */
export async function readWhole(
  path: string,
  { name, maxBytes }: { readonly name: string; readonly maxBytes?: number },
): Promise<Uint8Array<ArrayBuffer>> {
  await using file = await open(path);
  checkWholeFile(name, (await file.stat()).size, maxBytes);
  return await file.readFile();
}
