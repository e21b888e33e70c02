/** The objects that a listing finds, which are read and moved or deleted. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
import type { FileSource } from "../../arrived_files.ts";
import { ACTION, MAX_FILES, OUTPUT_FILES } from "../../remote_files.ts";
import { CONNECTION, GcpClient } from "../client.ts";
import {
  addressOf,
  BLOBS,
  copyObject,
  deleteObject,
  downloadObject,
  listBlobs,
  LISTING,
  type ObjectAddress,
} from "./objects.ts";

/** Properties of the types that read files. */
export const FOUND_FILES: PropertySchemas = Object.freeze({
  ...CONNECTION,
  ...LISTING,
  action: ACTION,
  moveDirectory: dynamicText("Address of the folder that files are moved to, such as `gs://bucket/done/`."),
  maxFiles: MAX_FILES,
});

/** Outputs of these types. */
export const FOUND_FILES_OUTPUTS: PropertySchemas = Object.freeze({ ...BLOBS, outputFiles: OUTPUT_FILES });

/** The objects that the properties select. @throws Error MOVE without a folder */
export function foundObjects(context: WorkContext): FileSource<JsonObject> {
  const { properties } = context;
  const client = new GcpClient(context);
  const folder = optionalText(properties.moveDirectory);
  const isMove = properties.action === "MOVE";
  if (isMove && folder === undefined) {
    throw new Error("Missing moveDirectory: the action MOVE needs it");
  }
  return {
    list: async (maxCount) => {
      const found = await listBlobs(client, properties, { filter: "FILES", maxCount });
      if (isMove) { for (const blob of found) targetOf(addressOfBlob(blob), folder); }
      return found;
    },
    identify: ({ uri, generation, etag }) => [String(uri), `${generation} ${etag}`],
    store: async (found) => {
      const blobs: JsonObject[] = [];
      for (const [index, blob] of found.entries()) {
        const { uri } = await downloadObject(context, client, { address: addressOfBlob(blob), index });
        blobs.push({ ...blob, uri });
      }
      const outputFiles = Object.fromEntries(blobs.map(({ name, uri }) => [String(name), uri ?? null]));
      return { blobs, outputFiles };
    },
    finishing: (work) =>
      work(async (blob) => {
        const address = addressOfBlob(blob);
        if (isMove) await copyObject(client, address, targetOf(address, folder));
        await deleteObject(client, address);
      }),
  };
}

function addressOfBlob({ bucket, name }: JsonObject): ObjectAddress {
  return { bucket: String(bucket), name: String(name) };
}

/** @throws Error the object is there already: its deletion would delete the copy */
function targetOf({ bucket, name }: ObjectAddress, folder = ""): ObjectAddress {
  const target = addressOf(folder, "moveDirectory");
  const base = name.slice(name.lastIndexOf("/") + 1);
  const to = {
    bucket: target.bucket,
    name: target.name === "" ? base : `${target.name.replace(/(?<!\/)\/+$/, "")}/${base}`,
  };
  if (to.bucket === bucket && to.name === name) {
    throw new Error(`Invalid moveDirectory: "${name}" is there already`);
  }
  return to;
}
