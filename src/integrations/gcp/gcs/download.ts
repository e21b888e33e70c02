/** `gcp.gcs.Download`. */
import { dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { downloadObject, objectAddressOf } from "./objects.ts";

/** Outputs: `bucket`, `path` and `uri`. */
export const gcsDownload = defineTask({
  type: "gcp.gcs.Download",
  title: "Download a file from Google Cloud Storage",
  description: "Downloads an object of Google Cloud Storage.",
  properties: {
    ...CONNECTION,
    from: dynamicText("Address of the object, such as `gs://bucket/folder/file.csv`.", { required: true }),
    validateChecksum: dynamicProperty("boolean", "Has no effect.", { ignored: true }),
  },
  outputs: {
    bucket: { type: "string", description: "Bucket of the object." },
    path: { type: "string", description: "Name of the object." },
    uri: { type: "string", description: "Storage URI of the file." },
  },
  metrics: { "file.size": { type: "counter", description: "Bytes of the file." } },
  async run(context) {
    const address = objectAddressOf(String(context.properties.from), "from");
    const { uri, size } = await downloadObject(context, new GcpClient(context), { address, index: 1 });
    context.metric("file.size", size);
    return { bucket: address.bucket, path: address.name, uri };
  },
});
