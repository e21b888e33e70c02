/** Which namespace files a task works on. */
import type { PropertySchema } from "../../model/schema.ts";

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
