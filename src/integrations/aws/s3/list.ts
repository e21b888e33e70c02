/** `List` of `aws.s3` and `minio`. */
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask, type TaskDefinition } from "../../../model/tasks/task_definition.ts";
import { BUCKET, OWNER, type S3Flavor } from "./flavor.ts";
import { listObjects, S3Client } from "./objects.ts";

/** Properties of the types that list objects. */
export const LISTING: PropertySchemas = Object.freeze({
  ...OWNER,
  bucket: BUCKET,
  prefix: dynamicText("Beginning of the keys."),
  delimiter: dynamicText("Character that ends the names of folders; with it only the first level is listed."),
  marker: dynamicText("Key after which the listing begins."),
  regexp: dynamicText("Regular expression that the whole key must match."),
  filter: dynamicChoice(
    ["FILES", "DIRECTORY", "BOTH"],
    "BOTH",
    "Whether objects, folders or both are listed.",
  ),
  maxKeys: dynamicProperty("integer", "Keys of each page that is read.", {
    default: 1000,
    minimum: 1,
    maximum: 1000,
  }),
  encodingType: dynamicText("Has no effect.", { ignored: true }),
});

/** Output: objects. */
export const OBJECTS: PropertySchemas = Object.freeze({
  objects: {
    type: "list",
    description: "The objects, with `uri`, `key`, `size`, `etag` and `lastModified`.",
    items: { type: "map", description: "An object." },
  },
});

/** The type of a server. Output: `objects`. */
export function s3List({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineTask({
    type: `${prefix}.List`,
    title: `List files of ${name}`,
    description: `Lists the objects of a bucket of ${name}.`,
    properties: { ...connection, ...LISTING },
    outputs: OBJECTS,
    metrics: { size: { type: "counter", description: "Number of entries." } },
    async run(context) {
      const filter = context.properties.filter as "FILES" | "DIRECTORY" | "BOTH";
      const objects = await listObjects(new S3Client(context), context.properties, { filter });
      context.metric("size", objects.length);
      return { objects };
    },
  });
}
