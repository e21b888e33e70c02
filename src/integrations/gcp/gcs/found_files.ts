/** Reads the files that a listing finds, and moves or deletes them. */
import type { JsonObject } from "../../../base/json.ts";
import { dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { optionalText, type WorkContext } from "../../../model/tasks/task_definition.ts";
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

/** Reads the files; `uri` of each object is then its storage URI. @throws Error MOVE without a folder */
export async function takeFoundFiles(
  context: WorkContext,
): Promise<{ readonly blobs: JsonObject[]; readonly outputFiles: JsonObject }> {
  const { properties } = context;
  const client = new GcpClient(context);
  const folder = optionalText(properties.moveDirectory);
  if (properties.action === "MOVE" && folder === undefined) {
    throw new Error("Missing moveDirectory: the action MOVE needs it");
  }
  const found = await listBlobs(client, properties, {
    filter: "FILES",
    maxCount: Number(properties.maxFiles),
  });
  const blobs: JsonObject[] = [];
  for (const [index, blob] of found.entries()) {
    const address = { bucket: String(blob.bucket), name: String(blob.name) };
    const { uri } = await downloadObject(context, client, { address, index });
    blobs.push({ ...blob, uri });
  }
  for (const { bucket, name } of found) {
    await handle(client, {
      address: { bucket: String(bucket), name: String(name) },
      action: properties.action,
      folder,
    });
  }
  return {
    blobs,
    outputFiles: Object.fromEntries(blobs.map(({ name, uri }) => [String(name), uri ?? null])),
  };
}

interface Handling {
  readonly address: ObjectAddress;
  readonly action: JsonObject[string] | undefined;
  readonly folder?: string;
}

async function handle(client: GcpClient, { address, action, folder }: Handling): Promise<void> {
  if (action === "MOVE" && folder !== undefined) {
    const target = addressOf(folder, "moveDirectory");
    const base = address.name.slice(address.name.lastIndexOf("/") + 1);
    const name = target.name === "" ? base : `${target.name.replace(/\/+$/, "")}/${base}`;
    await copyObject(client, address, { bucket: target.bucket, name });
  }
  if (action !== "NONE") await deleteObject(client, address);
}
