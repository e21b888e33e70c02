/** How tasks name stored files. */
import type { PropertySchema } from "../../model/flows/schema.ts";

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
