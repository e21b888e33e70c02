/** `gcp.gcs.Copy` and `gcp.gcs.Compose`. */
import type { JsonValue } from "../../../base/json.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import {
  copyObject,
  deleteObject,
  listBlobs,
  LISTING,
  type ObjectAddress,
  objectAddressOf,
  objectPath,
  uriOf,
} from "./objects.ts";

const OUTPUTS: PropertySchemas = Object.freeze({
  bucket: { type: "string", description: "Bucket of the new object." },
  path: { type: "string", description: "Name of the new object." },
  uri: { type: "string", description: "Address of the new object." },
});

/** Google composes an object of at most as many. */
const MAX_PARTS = 32;

function outputsOf(address: ObjectAddress) {
  return { bucket: address.bucket, path: address.name, uri: uriOf(address) };
}

/** Outputs: `bucket`, `path` and `uri`. */
export const gcsCopy = defineTask({
  type: "gcp.gcs.Copy",
  title: "Copy a file within Google Cloud Storage",
  description: "Copies an object to another one, and deletes the first one with `delete`.",
  properties: {
    ...CONNECTION,
    from: dynamicText("Address of the object to copy.", { required: true }),
    to: dynamicText("Address of the new object.", { required: true }),
    delete: dynamicFlag(false, "Whether the first object is deleted afterwards."),
  },
  outputs: OUTPUTS,
  async run(context) {
    const { from: fromText, to: toText, delete: isMove } = context.properties;
    const from = objectAddressOf(String(fromText), "from");
    const to = objectAddressOf(String(toText), "to");
    if (uriOf(from) === uriOf(to)) throw new Error(`Cannot copy "${uriOf(from)}": it is the target, too`);
    const client = new GcpClient(context);
    await copyObject(client, from, to);
    if (isMove === true) await deleteObject(client, from);
    return outputsOf(to);
  },
});

/** Outputs: `bucket`, `path` and `uri`. */
export const gcsCompose = defineTask({
  type: "gcp.gcs.Compose",
  title: "Join files within Google Cloud Storage",
  description: "Joins the objects of a folder, by name, to one object. Google joins at most 32.",
  properties: {
    ...CONNECTION,
    list: dynamicProperty("object", "The objects to join.", { required: true, properties: LISTING }),
    to: dynamicText("Address of the new object.", { required: true }),
    allowEmpty: dynamicFlag(
      false,
      "Whether nothing is written where there are no objects; else the task fails.",
    ),
  },
  outputs: OUTPUTS,
  async run(context) {
    const { list, to: toText, allowEmpty } = context.properties;
    const to = objectAddressOf(String(toText), "to");
    const client = new GcpClient(context);
    const blobs = await listBlobs(client, list as Record<string, JsonValue>, { filter: "FILES" });
    if (blobs.length === 0 && allowEmpty === true) return {};
    if (blobs.length === 0 || blobs.length > MAX_PARTS) {
      throw new Error(
        `Cannot compose "${uriOf(to)}": there are ${blobs.length} objects; from 1 to 32 can be joined`,
      );
    }
    await client.json({
      api: "storage",
      path: `${objectPath(to)}/compose`,
      json: { kind: "storage#composeRequest", sourceObjects: blobs.map(({ name }) => ({ name })) },
      isRepeatable: true,
      operation: `compose "${uriOf(to)}"`,
    });
    return outputsOf(to);
  },
});
