/** Properties for input and output files of working directories. */
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  type PropertySchema,
  type PropertySchemas,
} from "../model/flows/schema.ts";

/** Schema of a list of texts. */
export function textList(description: string, further: Partial<PropertySchema> = {}): PropertySchema {
  return dynamicProperty("list", description, {
    items: { type: "string", description: "A text." },
    ...further,
  });
}

const NAMESPACE_FILES: PropertySchemas = Object.freeze({
  enabled: dynamicFlag(true, "Whether namespace files are copied."),
  include: textList("Globs of the files to copy; default is all.", { orText: true }),
  exclude: textList("Globs of the files not to copy.", { orText: true }),
  namespaces: textList("Namespaces whose files are copied, in this order; default is that of the flow."),
  ifExists: dynamicChoice(
    ["OVERWRITE", "FAIL", "WARN", "IGNORE"],
    "OVERWRITE",
    "What happens if a file of that name exists.",
  ),
  folderPerNamespace: dynamicFlag(
    false,
    "Whether the files of each namespace are copied into a separate folder.",
  ),
});

/** `inputFiles`, `outputFiles` and `namespaceFiles`. */
export const FILE_PROPERTIES: PropertySchemas = Object.freeze({
  inputFiles: dynamicProperty(
    "map",
    "Files to create, by relative name: a storage URI is fetched, any other text is the content.",
    { orText: true },
  ),
  outputFiles: textList("Globs of the files to store, relative to the working directory.", { orText: true }),
  namespaceFiles: dynamicProperty("object", "Which namespace files are copied into the working directory.", {
    properties: NAMESPACE_FILES,
  }),
});

/** The output of `outputFiles`. */
export const OUTPUT_FILES: PropertySchema = {
  type: "map",
  items: { type: "string", description: "Storage URI of the file." },
  description: "Storage URIs of the stored files, by name.",
};
