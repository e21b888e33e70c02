/** `aws.s3.Upload` and `minio.Upload`. */
import { isJsonObject, type JsonObject, type JsonValue, tryParseJson } from "../../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { defineMachineTask, type MachineTaskContext } from "../../../model/tasks/machine_task.ts";
import { optionalText, type TaskDefinition } from "../../../model/tasks/task_definition.ts";
import { BUCKET, KEY, OWNER, type S3Flavor } from "./flavor.ts";
import { uploadFile } from "./multipart_upload.ts";
import { ownerHeaders, S3Client } from "./objects.ts";

/** Properties that are headers of the request, by their names. */
const HEADERS: ReadonlyMap<string, readonly [header: string, description: string]> = new Map([
  ["contentType", ["Content-Type", "Content type of the object."]],
  ["contentEncoding", ["Content-Encoding", "Content encoding of the object."]],
  ["contentDisposition", ["Content-Disposition", "Content disposition of the object."]],
  ["contentLanguage", ["Content-Language", "Content language of the object."]],
  ["cacheControl", ["Cache-Control", "Cache control of the object."]],
  ["expires", ["Expires", "Until when caches may keep the object."]],
  ["acl", ["x-amz-acl", "Canned access control list, such as `private`."]],
  ["storageClass", ["x-amz-storage-class", "Storage class, such as `STANDARD_IA`."]],
  ["serverSideEncryption", ["x-amz-server-side-encryption", "Encryption: `AES256` or `aws:kms`."]],
  ["kmsKeyId", ["x-amz-server-side-encryption-aws-kms-key-id", "Id of the key for `aws:kms`."]],
  ["websiteRedirectLocation", ["x-amz-website-redirect-location", "Address that a website redirects to."]],
  ["objectLockMode", ["x-amz-object-lock-mode", "Mode of the lock."]],
  ["objectLockRetainUntilDate", ["x-amz-object-lock-retain-until-date", "Until when the object is locked."]],
  ["objectLockLegalHoldStatus", [
    "x-amz-object-lock-legal-hold",
    "Whether there is a legal hold: `ON` or `OFF`.",
  ]],
  ["grantRead", ["x-amz-grant-read", "Who may read the object."]],
  ["grantFullControl", ["x-amz-grant-full-control", "Who may do everything with the object."]],
]);

const HEADER_PROPERTIES: PropertySchemas = Object.freeze(
  Object.fromEntries([...HEADERS].map(([name, [, description]]) => [name, dynamicText(description)])),
);

/** The type of a server. Outputs: `bucket`, `key`, `eTag`, `versionId` and `files`. */
export function s3Upload({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineMachineTask({
    type: `${prefix}.Upload`,
    title: `Upload files to ${name}`,
    description: `Uploads a file, or several, to a bucket of ${name}. Files above 100 MB are sent in parts.`,
    properties: {
      ...connection,
      ...OWNER,
      bucket: BUCKET,
      from: dynamicProperty("any", "Storage URI of the file, a list of URIs, or a map of URIs by name.", {
        required: true,
      }),
      key: {
        ...KEY,
        required: false,
        description: "Key of the object; of several files the folder. Default is the name of the file.",
      },
      ...HEADER_PROPERTIES,
      metadata: dynamicProperty("map", "Metadata of the object."),
      tagging: dynamicProperty("map", "Tags of the object."),
    },
    outputs: {
      bucket: { type: "string", description: "The bucket." },
      key: { type: "string", description: "Key of the object, or the folder." },
      eTag: { type: "string", description: "ETag of the object." },
      versionId: { type: "string", description: "Version of the object, if the bucket has versions." },
      files: { type: "map", description: "Of several files: the keys by name." },
    },
    metrics: { "file.size": { type: "counter", description: "Bytes of the files." } },
    examples: [{
      title: "Upload the file of another task",
      yaml: `id: upload
type: io.svc.plugin.${prefix}.Upload
accessKeyId: "{{ secret('S3_KEY_ID') }}"
secretKeyId: "{{ secret('S3_SECRET_KEY') }}"
region: eu-central-1
bucket: my-bucket
key: folder/data.csv
from: "{{ outputs.extract.uri }}"`,
    }],
    run: uploadAll,
  });
}

interface LocalFile {
  /** As the output names it. */
  readonly name: string;
  readonly uri: string;
}

async function uploadAll(context: MachineTaskContext): Promise<JsonObject> {
  const { properties } = context;
  const { bucket, key } = properties;
  const client = new S3Client(context);
  const files = filesOf(properties.from);
  const isSingle = files.length === 1 && typeof properties.from === "string" &&
    !Array.isArray(listOf(properties.from));
  const given = optionalText(key);
  const uploaded: JsonObject = {};
  let last: JsonObject = {};
  let bytes = 0;
  for (const { name, uri } of files) {
    const target = isSingle
      ? given ?? name
      : `${given === undefined ? "" : `${given.replace(/(?<!\/)\/+$/, "")}/`}${name}`;
    const body = await context.bodyOf(uri);
    const result = await uploadFile(context, client, {
      bucket: String(bucket),
      key: target,
      ...body,
      headers: headersOf(properties),
    });
    bytes += body.size;
    last = { key: target, ...result };
    uploaded[name] = target;
  }
  context.metric("file.size", bytes);
  return isSingle
    ? { bucket: String(bucket), ...last }
    : { bucket: String(bucket), key: given ?? "", files: uploaded };
}

function listOf(from: JsonValue | undefined): JsonValue | undefined {
  return typeof from === "string" && /^\s*[[{]/.test(from) ? tryParseJson(from) ?? from : from;
}

/** @throws Error there are none, or a value is no text */
function filesOf(from: JsonValue | undefined): LocalFile[] {
  const value = listOf(from);
  const given: [string | undefined, JsonValue][] = isJsonObject(value)
    ? Object.entries(value)
    : (Array.isArray(value) ? value : [value ?? null]).map((uri) => [undefined, uri]);
  if (given.length === 0) throw new Error("Invalid from: there are no files");
  return given.map(([name, value]) => {
    if (typeof value !== "string") {
      throw new Error("Invalid from: it must be a storage URI, a list or a map of them");
    }
    const uri = value.trim();
    return { name: name ?? uri.slice(uri.lastIndexOf("/") + 1), uri };
  });
}

function headersOf(properties: JsonObject): Record<string, string> {
  const { metadata, tagging } = properties;
  const named = [...HEADERS].flatMap(([name, [header]]) => {
    const text = optionalText(properties[name]);
    return text === undefined ? [] : [[header, text]];
  });
  const meta = isJsonObject(metadata)
    ? Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name.toLowerCase()}`, String(value)])
    : [];
  const tags = isJsonObject(tagging)
    ? [[
      "x-amz-tagging",
      new URLSearchParams(Object.entries(tagging).map(([name, value]) => [name, String(value)])).toString(),
    ]]
    : [];
  return { ...ownerHeaders(properties), ...Object.fromEntries([...named, ...meta, ...tags]) };
}
