/** Properties that select namespace files. */
import type { JsonValue } from "../../base/json.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { compileNamespaceGlobs } from "../../model/namespaces/glob.ts";
import { readTexts } from "../local_files.ts";

/** Schema of `files`: one or several globs. */
export function fileGlobs(description: string, further: Partial<PropertySchema> = {}): PropertySchema {
  return dynamicText(description, { orList: true, ...further });
}

/** `namespace` of the files. */
export const FILES_NAMESPACE: PropertySchema = dynamicText("Namespace of the files.", { required: true });

/** Output: URIs of files by path. */
export const NAMESPACE_FILE_URIS: PropertySchema = {
  type: "map",
  items: { type: "string", description: "URI of the file." },
  description: "URIs of the files, by path.",
};

/** Sorted paths of the files of a namespace that match a glob. */
export async function matchingFiles(
  context: RunContext,
  namespace: string,
  globs: JsonValue | undefined,
): Promise<string[]> {
  const isMatch = compileNamespaceGlobs(readTexts(globs, "Globs of files"));
  return (await context.ports.namespaceFiles.list(context, namespace)).filter(isMatch);
}
