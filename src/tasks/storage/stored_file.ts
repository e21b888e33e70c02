/** Stored files as tasks name, open and write them. */
import type { PropertySchema } from "../../model/flows/schema.ts";
import type { OpenedFile } from "../../model/ports/storage.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { openAny } from "../local_files.ts";

/** Storage URI of the one file that a task reads. */
export const FROM: PropertySchema = Object.freeze({
  type: "string",
  required: true,
  dynamic: true,
  description: "Storage URI of the file.",
});

/** Storage URI of the file that a task writes, as an output. */
export const WRITTEN_URI: PropertySchema = Object.freeze({
  type: "string",
  description: "Storage URI of the new file.",
});

/** How many items a task has read or left out, as an output. */
export function itemCount(description: string): PropertySchema {
  return { type: "integer", description };
}

/** Storage URIs, as an output. */
export function uriList(description: string): PropertySchema {
  return { type: "list", items: { type: "string", description: "A storage URI." }, description };
}

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
