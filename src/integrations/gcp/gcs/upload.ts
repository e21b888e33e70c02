/** `gcp.gcs.Upload`. https://cloud.google.com/storage/docs/performing-resumable-uploads */
import { dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { uploadFile } from "../resumable_upload.ts";
import { objectAddressOf, uriOf } from "./objects.ts";

/** Output: `uri`. */
export const gcsUpload = defineTask({
  type: "gcp.gcs.Upload",
  title: "Upload a file to Google Cloud Storage",
  description: "Uploads a file to an object of Google Cloud Storage, which it creates or replaces.",
  properties: {
    ...CONNECTION,
    from: dynamicText("Storage URI of the file.", { required: true }),
    to: dynamicText("Address of the object, such as `gs://bucket/folder/file.csv`.", { required: true }),
    contentType: dynamicText("Content type of the object."),
    contentEncoding: dynamicText("Content encoding of the object."),
    contentDisposition: dynamicText("Content disposition of the object."),
    cacheControl: dynamicText("Cache control of the object."),
    metadata: dynamicProperty("map", "Metadata of the object."),
  },
  outputs: { uri: { type: "string", description: "Address of the object." } },
  metrics: { "file.size": { type: "counter", description: "Bytes of the file." } },
  examples: [{
    title: "Upload the file of another task",
    yaml: `id: upload
type: io.svc.plugin.gcp.gcs.Upload
serviceAccount: "{{ secret('GCP_KEY') }}"
from: "{{ outputs.extract.uri }}"
to: gs://my-bucket/data.csv`,
  }],
  async run(context) {
    const { from, to, contentType, contentEncoding, contentDisposition, cacheControl, metadata } =
      context.properties;
    const address = objectAddressOf(String(to), "to");
    const body = await context.bodyOf(String(from).trim());
    await uploadFile(new GcpClient(context), {
      api: "storage",
      path: `/upload/storage/v1/b/${encodeURIComponent(address.bucket)}/o`,
      query: { uploadType: "resumable", name: address.name },
      json: { contentType, contentEncoding, contentDisposition, cacheControl, metadata },
      operation: `upload "${uriOf(address)}"`,
      isRepeatable: true,
    }, body);
    context.metric("file.size", body.size);
    return { uri: uriOf(address) };
  },
});
