/** Files of the directory of an attempt, by the paths that its code gives. */
import { normalizeFileName } from "../../model/namespaces/file_path.ts";
import { type FilePart, partSize } from "../../model/ports/storage.ts";
import { piecesOf } from "../local_files.ts";

/** A file of a directory that can be read several times. */
interface OwnFile {
  /** Bytes. */
  readonly size: number;
  /** The content from its beginning; each piece is overwritten by the next. */
  open(): AsyncIterable<Uint8Array>;
}

/** The name of a file within the directory. @throws Error it is elsewhere */
export function ownName(path: string, directory: string): string {
  if (path.startsWith(`${directory}/`)) return normalizeFileName(path.slice(directory.length + 1));
  throw new Error(`Cannot read "${path}": it is not in the directory of the attempt`);
}

/** A file of the directory, or a part of one. @throws Error it is elsewhere, or missing */
export async function openOwnFile(path: string, directory: string, part?: FilePart): Promise<OwnFile> {
  const name = ownName(path, directory);
  const { size } = await Deno.lstat(`${directory}/${name}`);
  return {
    size: partSize(size, part),
    open: () => piecesOf(directory, name, part),
  };
}
