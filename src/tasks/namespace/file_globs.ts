/** Which namespace files a task works on. */
import type { JsonValue } from "../../base/json.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { PropertySchema } from "../../model/flows/schema.ts";
import { compileNamespaceGlobs } from "../glob.ts";
import { readTexts } from "../local_files.ts";

/** `files`: one glob or several. */
export function fileGlobs(description: string, further: Partial<PropertySchema> = {}): PropertySchema {
  return {
    type: "string",
    dynamic: true,
    orList: true,
    ...further,
    description,
  };
}

/** `namespace` of the files. */
export const FILES_NAMESPACE: PropertySchema = Object.freeze({
  type: "string",
  dynamic: true,
  required: true,
  description: "Namespace of the files.",
});

/** Files by path, as an output. */
export const NAMESPACE_FILE_URIS: PropertySchema = {
  type: "map",
  items: { type: "string", description: "URI of the file." },
  description: "URIs of the files, by path.",
};

/** Paths of the files of a namespace that match one of the globs, in path order. */
export async function matchingFiles(
  context: RunContext,
  namespace: string,
  globs: JsonValue | undefined,
): Promise<string[]> {
  const isMeant = compileNamespaceGlobs(readTexts(globs, "Globs of files"));
  return (await context.ports.namespaceFiles.list(context, namespace)).filter(isMeant);
}
