/** Opens the stored file that a task names. */
import type { OpenedFile } from "../../model/ports/storage.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { openAny } from "../local_files.ts";

/** The file of a storage URI, open. @throws Error it does not exist, or must not be read */
export async function openFile(context: RunContext, uri: string): Promise<OpenedFile> {
  return await openAny(context, uri.trim());
}

/** The ending of a file's name with its dot, decoded; `""` when it has none. */
export function extensionOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot).replace(/[^\w.-]/g, "");
}

/** A name for a new file: an ending as a user gave it, with a dot in front. */
export function nameEnding(extension: string | undefined): string {
  if (extension === undefined || extension === "") return "";
  return extension.startsWith(".") ? extension : `.${extension}`;
}
