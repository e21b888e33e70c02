/** Properties for input and output files of working directories. */
import { dynamicFlag, type PropertySchema, type PropertySchemas } from "../model/flows/schema.ts";

/** Schema of a list of texts. */
export function textList(description: string, further: Partial<PropertySchema> = {}): PropertySchema {
  return {
    type: "list",
    dynamic: true,
    items: { type: "string", description: "A text." },
    ...further,
    description,
  };
}

const NAMESPACE_FILES: PropertySchemas = Object.freeze({
  enabled: dynamicFlag(true, "Whether namespace files are copied."),
  include: textList("Globs of the files to copy; default is all.", { orText: true }),
  exclude: textList("Globs of the files not to copy.", { orText: true }),
  namespaces: textList("Namespaces whose files are copied, in this order; default is that of the flow."),
  ifExists: {
    type: "string",
    dynamic: true,
    values: ["OVERWRITE", "FAIL", "WARN", "IGNORE"],
    default: "OVERWRITE",
    description: "What happens if a file of that name exists.",
  },
  folderPerNamespace: dynamicFlag(
    false,
    "Whether the files of each namespace are copied into a separate folder.",
  ),
});

/** `inputFiles`, `outputFiles` and `namespaceFiles`. */
export const FILE_PROPERTIES: PropertySchemas = Object.freeze({
  inputFiles: {
    type: "map",
    dynamic: true,
    orText: true,
    description:
      "Files to create, by relative name: a storage URI is fetched, any other text is the content.",
  },
  outputFiles: textList("Globs of the files to store, relative to the working directory.", { orText: true }),
  namespaceFiles: {
    type: "object",
    dynamic: true,
    properties: NAMESPACE_FILES,
    description: "Which namespace files are copied into the working directory.",
  },
});

/** The output of `outputFiles`. */
export const OUTPUT_FILES: PropertySchema = {
  type: "map",
  items: { type: "string", description: "Storage URI of the file." },
  description: "Storage URIs of the stored files, by name.",
};
