/** `gcp.gcs.Delete` and `gcp.gcs.DeleteList`. */
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { deleteObject, listBlobs, LISTING, objectAddressOf, uriOf } from "./objects.ts";

/** Outputs: `uri` and `deleted`. */
export const gcsDelete = defineTask({
  type: "gcp.gcs.Delete",
  title: "Delete a file of Google Cloud Storage",
  description: "Deletes an object of Google Cloud Storage.",
  properties: {
    ...CONNECTION,
    uri: dynamicText("Address of the object, such as `gs://bucket/folder/file.csv`.", { required: true }),
    errorOnMissing: dynamicFlag(false, "Whether a missing object is a failure."),
  },
  outputs: {
    uri: { type: "string", description: "Address of the object." },
    deleted: { type: "boolean", description: "Whether there was such an object." },
  },
  async run(context) {
    const address = objectAddressOf(String(context.properties.uri), "uri");
    const deleted = await deleteObject(new GcpClient(context), address);
    if (!deleted && context.properties.errorOnMissing === true) {
      throw new Error(`Cannot delete "${uriOf(address)}": there is no such object`);
    }
    return { uri: uriOf(address), deleted };
  },
});

/** Outputs: `count` and `size`. */
export const gcsDeleteList = defineTask({
  type: "gcp.gcs.DeleteList",
  title: "Delete files of Google Cloud Storage",
  description: "Deletes the objects of a folder of Google Cloud Storage.",
  properties: {
    ...CONNECTION,
    ...LISTING,
    errorOnEmpty: dynamicFlag(false, "Whether a listing without objects is a failure."),
    concurrent: dynamicProperty("integer", "Has no effect: objects are deleted one after the other.", {
      ignored: true,
    }),
  },
  outputs: {
    count: { type: "integer", description: "Number of deleted objects." },
    size: { type: "integer", description: "Bytes of the deleted objects." },
  },
  metrics: {
    count: { type: "counter", description: "Number of deleted objects." },
    size: { type: "counter", description: "Bytes of the deleted objects." },
  },
  async run(context) {
    const client = new GcpClient(context);
    const blobs = await listBlobs(client, context.properties, { filter: "FILES" });
    if (blobs.length === 0 && context.properties.errorOnEmpty === true) {
      throw new Error(`Cannot delete the objects of "${context.properties.from}": there are none`);
    }
    let [count, size] = [0, 0];
    for (const { bucket, name, size: bytes } of blobs) {
      if (!await deleteObject(client, { bucket: String(bucket), name: String(name) })) continue;
      count++;
      size += Number(bytes);
    }
    context.metric("count", count);
    context.metric("size", size);
    return { count, size };
  },
});
