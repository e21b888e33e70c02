/** Properties, names and opening of stored files. */
import { dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import type { OpenedFile } from "../../model/ports/storage.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { openAny } from "../local_files.ts";

/** Property: the file that a task reads. */
export const FROM: PropertySchema = dynamicText("Storage URI of the file.", { required: true });

/** Output: the file that a task writes. */
export const WRITTEN_URI: PropertySchema = Object.freeze({
  type: "string",
  description: "Storage URI of the new file.",
});

/** Output: storage URIs. */
export function uriList(description: string): PropertySchema {
  return { type: "list", items: { type: "string", description: "A storage URI." }, description };
}

/** Opens the file of a storage URI. @throws Error it does not exist or access is not allowed */
export async function openFile(context: RunContext, uri: string): Promise<OpenedFile> {
  return await openAny(context, uri.trim());
}

/** The extension of a file name with its dot; `""` if it does not exist. */
export function extensionOf(uri: string): string {
  const name = uri.slice(uri.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? "" : name.slice(dot).replace(/[^\w.-]/g, "");
}

/** The name for a new file from an extension, with or without its dot. */
export function nameEnding(extension: string | undefined): string {
  if (extension === undefined || extension === "") return "";
  return extension.startsWith(".") ? extension : `.${extension}`;
}
