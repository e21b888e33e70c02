/** `Download`, `Downloads` and `Trigger` of `aws.s3` and `minio`. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskDefinition,
  type WorkContext,
} from "../../../model/tasks/task_definition.ts";
import { defineTrigger, type TriggerDefinition } from "../../../model/triggers/trigger_definition.ts";
import { type FileSource, pollFiles, takeFiles } from "../../arrived_files.ts";
import { ACTION, MAX_FILES, OUTPUT_FILES } from "../../remote_files.ts";
import { BUCKET, KEY, OWNER, type S3Flavor } from "./flavor.ts";
import { LISTING, OBJECTS } from "./list.ts";
import {
  copyObject,
  deleteObject,
  downloadObject,
  listObjects,
  type ObjectAddress,
  S3Client,
} from "./objects.ts";

const VALIDATE_CHECKSUM = dynamicProperty("boolean", "Has no effect.", { ignored: true });

/** The type of a server. Outputs: `bucket`, `key`, `uri` and what the response says of the object. */
export function s3Download({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineTask({
    type: `${prefix}.Download`,
    title: `Download a file from ${name}`,
    description: `Downloads an object of ${name}.`,
    properties: {
      ...connection,
      ...OWNER,
      bucket: BUCKET,
      key: KEY,
      versionId: dynamicText("Version of the object."),
      validateChecksum: VALIDATE_CHECKSUM,
    },
    outputs: {
      bucket: { type: "string", description: "The bucket." },
      key: { type: "string", description: "Key of the object." },
      uri: { type: "string", description: "Storage URI of the file." },
      contentLength: { type: "integer", description: "Bytes of the file." },
      contentType: { type: "string", description: "Content type of the object." },
      eTag: { type: "string", description: "ETag of the object." },
      versionId: { type: "string", description: "Version of the object." },
      metadata: { type: "map", description: "Metadata of the object." },
    },
    metrics: { "file.size": { type: "counter", description: "Bytes of the file." } },
    async run(context) {
      const { bucket, key, versionId } = context.properties;
      const address = { bucket: String(bucket), key: String(key) };
      const { uri, response: { size = 0, headers } } = await downloadObject(context, new S3Client(context), {
        address,
        index: 1,
        versionId: optionalText(versionId),
      });
      context.metric("file.size", size);
      const metadata = Object.entries(headers).flatMap(([header, value]) =>
        header.startsWith("x-amz-meta-") ? [[header.slice(11), value]] : []
      );
      return {
        ...address,
        uri,
        contentLength: size,
        contentType: headers["content-type"] ?? null,
        eTag: headers.etag?.replaceAll('"', "") ?? null,
        versionId: headers["x-amz-version-id"] ?? null,
        metadata: Object.fromEntries(metadata),
      };
    },
  });
}

const FOUND_FILES: PropertySchemas = Object.freeze({
  ...LISTING,
  action: ACTION,
  moveTo: dynamicProperty("object", "Where objects are moved to.", {
    properties: {
      bucket: dynamicText("Bucket; default is the same one."),
      key: dynamicText("Folder in the bucket."),
    },
  }),
  maxFiles: MAX_FILES,
});

const FOUND_FILES_OUTPUTS: PropertySchemas = Object.freeze({ ...OBJECTS, outputFiles: OUTPUT_FILES });

/** The type of a server. Outputs: `objects` and `outputFiles`. */
export function s3Downloads({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineTask({
    type: `${prefix}.Downloads`,
    title: `Download files from ${name}`,
    description: `Downloads the objects of a bucket of ${name}, and moves or deletes them.`,
    properties: { ...connection, ...FOUND_FILES, validateChecksum: VALIDATE_CHECKSUM },
    outputs: FOUND_FILES_OUTPUTS,
    run: async (context) => await takeFiles(context, foundObjects(context)),
  });
}

/** The trigger of a server: starts an execution when there are files. */
export function s3Trigger({ prefix, name, connection }: S3Flavor): TriggerDefinition {
  return defineTrigger({
    type: `${prefix}.Trigger`,
    title: `Start when files arrive in ${name}`,
    description:
      `Looks for objects in a bucket of ${name}. It downloads what it finds and starts one execution for all of it, then moves or deletes it.`,
    properties: { ...connection, ...FOUND_FILES },
    outputs: FOUND_FILES_OUTPUTS,
    poll: async (context) => await pollFiles(context, foundObjects(context)),
  });
}

/** The objects that the properties select. @throws Error MOVE without a target */
function foundObjects(context: WorkContext): FileSource<JsonObject> {
  const { properties } = context;
  const { action } = properties;
  const moveTo = isJsonObject(properties.moveTo) ? properties.moveTo : undefined;
  if (action === "MOVE" && !moveTo) throw new Error("Missing moveTo: the action MOVE needs it");
  const client = new S3Client(context);
  const bucket = String(properties.bucket);
  return {
    list: async (maxCount) => {
      const found = await listObjects(client, properties, { filter: "FILES", maxCount });
      if (moveTo) { for (const { key } of found) targetOf({ bucket, key: String(key) }, moveTo); }
      return found;
    },
    identify: ({ key, eTag, lastModified }) => [String(key), `${eTag} ${lastModified}`],
    store: async (found) => {
      const objects: JsonObject[] = [];
      for (const [index, object] of found.entries()) {
        const address = { bucket, key: String(object.key) };
        const { uri } = await downloadObject(context, client, { address, index });
        objects.push({ ...object, uri });
      }
      const outputFiles = Object.fromEntries(objects.map(({ key, uri }) => [String(key), uri ?? null]));
      return { objects, outputFiles };
    },
    finishing: (work) =>
      work(async ({ key }) => {
        const from = { bucket, key: String(key) };
        if (action === "MOVE" && moveTo) await copyObject(client, { from, to: targetOf(from, moveTo) });
        await deleteObject(client, from);
      }),
  };
}

/** @throws Error the object is there already: its deletion would delete the copy */
function targetOf(from: ObjectAddress, moveTo: JsonObject): ObjectAddress {
  const folder = optionalText(moveTo.key)?.replace(/(?<!\/)\/+$/, "");
  const base = from.key.slice(from.key.lastIndexOf("/") + 1);
  const to = {
    bucket: optionalText(moveTo.bucket) ?? from.bucket,
    key: folder === undefined ? base : `${folder}/${base}`,
  };
  if (to.bucket === from.bucket && to.key === from.key) {
    throw new Error(`Invalid moveTo: "${from.key}" is there already`);
  }
  return to;
}
