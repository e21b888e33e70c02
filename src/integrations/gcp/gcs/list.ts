/** `gcp.gcs.List`. */
import { dynamicChoice } from "../../../model/flows/schema.ts";
import { defineTask } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import { BLOBS, listBlobs, LISTING, type ListingOptions } from "./objects.ts";

/** Output: `blobs`. */
export const gcsList = defineTask({
  type: "gcp.gcs.List",
  title: "List files of Google Cloud Storage",
  description: "Lists the objects and folders of a folder of Google Cloud Storage.",
  properties: {
    ...CONNECTION,
    ...LISTING,
    filter: dynamicChoice(
      ["FILES", "DIRECTORY", "BOTH"],
      "BOTH",
      "Whether objects, folders or both are listed.",
    ),
  },
  outputs: BLOBS,
  metrics: { size: { type: "counter", description: "Number of entries." } },
  async run(context) {
    const filter = context.properties.filter as ListingOptions["filter"];
    const blobs = await listBlobs(new GcpClient(context), context.properties, { filter });
    context.metric("size", blobs.length);
    return { blobs };
  },
});
