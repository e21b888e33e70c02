/** How a file is split into batches. */
import { dynamicText, type PropertySchema } from "../../model/flows/schema.ts";

/** Storage URI of the file. */
export const BATCHED_FILE: PropertySchema = Object.freeze({
  type: "string",
  required: true,
  dynamic: true,
  description: "Storage URI of the file to split.",
});

/** Its batches. */
export const BATCH: PropertySchema = {
  type: "object",
  dynamic: true,
  properties: {
    rows: { type: "integer", dynamic: true, default: 1, minimum: 1, description: "Lines in each batch." },
    bytes: dynamicText("Size of each batch, such as `10MB`, instead of `rows`."),
    partitions: {
      type: "integer",
      dynamic: true,
      minimum: 1,
      description: "Number of batches, instead of `rows`.",
    },
    regexPattern: dynamicText(
      "Regular expression with a group, instead of `rows`: the lines in which the group matches the same text are one batch.",
    ),
    separator: { type: "string", dynamic: true, default: "\n", description: "Text that ends an item." },
  },
  description: "How the file is split: by one of `rows`, `bytes`, `partitions` and `regexPattern`.",
};
