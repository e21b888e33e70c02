/** `Delete`, `DeleteList`, `Copy` and `CreateBucket` of `aws.s3` and `minio`. */
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskDefinition } from "../../../model/tasks/task_definition.ts";
import { escapeXml } from "../../xml.ts";
import { BUCKET, KEY, OWNER, type S3Flavor } from "./flavor.ts";
import { LISTING } from "./list.ts";
import { copyObject, deleteObject, listObjects, S3Client } from "./objects.ts";

/** The region whose name a new bucket must not give. */
const FIRST_REGION = "us-east-1";

/** The type of a server. Outputs: `versionId` and `deleteMarker`. */
export function s3Delete({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineTask({
    type: `${prefix}.Delete`,
    title: `Delete a file of ${name}`,
    description: `Deletes an object of ${name}. An object that does not exist is no error.`,
    properties: {
      ...connection,
      ...OWNER,
      bucket: BUCKET,
      key: KEY,
      versionId: dynamicText("Version of the object."),
      mfa: dynamicText("Not supported: a second factor.", { planned: true }),
      bypassGovernanceRetention: dynamicProperty("boolean", "Not supported: whether locks are ignored.", {
        planned: true,
      }),
    },
    outputs: {
      versionId: { type: "string", description: "Version that was deleted, or that marks the deletion." },
      deleteMarker: { type: "boolean", description: "Whether the deletion is a version of its own." },
    },
    async run(context) {
      const { properties } = context;
      const { bucket, key, versionId } = properties;
      const { headers } = await deleteObject(new S3Client(context), {
        bucket: String(bucket),
        key: String(key),
        versionId: optionalText(versionId),
        properties,
      });
      return {
        versionId: headers["x-amz-version-id"] ?? null,
        deleteMarker: headers["x-amz-delete-marker"] === "true",
      };
    },
  });
}

/** The type of a server. Outputs: `count` and `size`. */
export function s3DeleteList({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineTask({
    type: `${prefix}.DeleteList`,
    title: `Delete files of ${name}`,
    description: `Deletes the objects of a bucket of ${name} that are listed.`,
    properties: {
      ...connection,
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
    async run(context) {
      const { properties } = context;
      const client = new S3Client(context);
      const bucket = String(properties.bucket);
      const objects = await listObjects(client, properties, { filter: "FILES" });
      if (objects.length === 0 && properties.errorOnEmpty === true) {
        throw new Error(`Cannot delete objects of the bucket "${bucket}": there are none`);
      }
      let size = 0;
      for (const { key, size: bytes } of objects) {
        await deleteObject(client, { bucket, key: String(key), properties });
        size += Number(bytes);
      }
      return { count: objects.length, size };
    },
  });
}

function addressOf(value: JsonValue | undefined, property: string) {
  const { bucket, key, versionId } = isJsonObject(value) ? value : {};
  if (bucket === undefined || key === undefined) {
    throw new Error(`Invalid ${property}: it needs bucket and key`);
  }
  return { bucket: String(bucket), key: String(key), versionId: optionalText(versionId) };
}

/** The type of a server. Outputs: `bucket`, `key`, `eTag` and `versionId`. */
export function s3Copy({ prefix, name, connection }: S3Flavor): TaskDefinition {
  const address = { bucket: BUCKET, key: KEY };
  return defineTask({
    type: `${prefix}.Copy`,
    title: `Copy a file within ${name}`,
    description: `Copies an object of ${name} to another one, and deletes the first one with \`delete\`.`,
    properties: {
      ...connection,
      from: dynamicProperty("object", "The object to copy.", {
        required: true,
        properties: { ...address, versionId: dynamicText("Version of the object.") },
      }),
      to: dynamicProperty("object", "The new object; bucket and key default to those of the first.", {
        required: true,
        properties: {
          bucket: { ...BUCKET, required: false },
          key: { ...KEY, required: false },
        },
      }),
      delete: dynamicFlag(false, "Whether the first object is deleted afterwards."),
      serverSideEncryption: dynamicText("Encryption of the new object: `AES256` or `aws:kms`."),
      kmsKeyId: dynamicText("Id of the key for `aws:kms`."),
    },
    outputs: {
      bucket: { type: "string", description: "Bucket of the new object." },
      key: { type: "string", description: "Key of the new object." },
      eTag: { type: "string", description: "ETag of the new object." },
      versionId: { type: "string", description: "Version of the new object." },
    },
    async run(context) {
      const { from: fromValue, to: toValue, delete: isMove, serverSideEncryption, kmsKeyId } =
        context.properties;
      const from = addressOf(fromValue, "from");
      const { bucket, key } = addressOf(
        isJsonObject(toValue) ? { ...from, ...toValue } as never : toValue,
        "to",
      );
      if (bucket === from.bucket && key === from.key) {
        throw new Error(`Cannot copy "${key}": it is the target, too`);
      }
      const client = new S3Client(context);
      const encryption = optionalText(serverSideEncryption), kmsKey = optionalText(kmsKeyId);
      const result = await copyObject(client, {
        from,
        to: { bucket, key },
        headers: {
          ...encryption === undefined ? {} : { "x-amz-server-side-encryption": encryption },
          ...kmsKey === undefined ? {} : { "x-amz-server-side-encryption-aws-kms-key-id": kmsKey },
        },
      });
      if (isMove === true) await deleteObject(client, from);
      return { bucket, key, ...result };
    },
  });
}

/** The type of a server. Outputs: `bucket` and `region`. */
export function s3CreateBucket({ prefix, name, connection }: S3Flavor): TaskDefinition {
  return defineTask({
    type: `${prefix}.CreateBucket`,
    title: `Create a bucket of ${name}`,
    description: `Creates a bucket of ${name}.`,
    properties: {
      ...connection,
      bucket: BUCKET,
      acl: dynamicText("Canned access control list, such as `private`."),
      objectLockEnabledForBucket: dynamicProperty("boolean", "Whether objects can be locked."),
      grantFullControl: dynamicText("Who may do everything with the bucket."),
      grantRead: dynamicText("Who may list the bucket."),
      grantReadACP: dynamicText("Who may read the access control list."),
      grantWrite: dynamicText("Who may create objects."),
      grantWriteACP: dynamicText("Who may write the access control list."),
    },
    outputs: {
      bucket: { type: "string", description: "The bucket." },
      region: { type: "string", description: "Its region." },
    },
    async run(context) {
      const { properties } = context;
      const client = new S3Client(context);
      const bucket = String(properties.bucket);
      const { region } = client;
      const headers: [string, JsonValue | undefined][] = [
        ["x-amz-acl", properties.acl],
        ["x-amz-bucket-object-lock-enabled", properties.objectLockEnabledForBucket],
        ["x-amz-grant-full-control", properties.grantFullControl],
        ["x-amz-grant-read", properties.grantRead],
        ["x-amz-grant-read-acp", properties.grantReadACP],
        ["x-amz-grant-write", properties.grantWrite],
        ["x-amz-grant-write-acp", properties.grantWriteACP],
      ];
      const given = headers.flatMap(([header, value]) =>
        value === undefined ? [] : [[header, String(value)]]
      );
      await client.send({
        bucket,
        method: "PUT",
        headers: { ...Object.fromEntries(given), "Content-Type": "application/xml" },
        body: region === FIRST_REGION
          ? ""
          : `<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>${
            escapeXml(region)
          }</LocationConstraint></CreateBucketConfiguration>`,
        operation: `create the bucket "${bucket}"`,
      });
      return { bucket, region };
    },
  });
}
