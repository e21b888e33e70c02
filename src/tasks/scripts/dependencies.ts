/** The packages that a script needs. */
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { textList } from "../file_properties.ts";

/** `dependencies` and what goes with it. */
export const DEPENDENCY_PROPERTIES: PropertySchemas = Object.freeze({
  dependencies: textList("Packages to install before the commands run.", { orText: true }),
  dependencyCacheEnabled: {
    type: "boolean",
    dynamic: true,
    default: true,
    description: "Whether tasks that need the same packages share them for a day.",
  },
});
