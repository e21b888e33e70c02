/** `observability` of the types that use language models: accepted, so that flows of other servers can be saved. */
import type { PropertySchema } from "../../model/flows/schema.ts";

/** Traces are sent by the server itself, if it has an address for them. */
export const OBSERVABILITY: PropertySchema = Object.freeze({
  type: "any",
  ignored: true,
  description: "Export of traces to Langfuse.",
});
