/** Uploads of files: small ones in one request, large ones in parts. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
import { escapeXml, readXml, textAt } from "../../xml.ts";
import type { FileBody } from "../../../model/tasks/task_definition.ts";
import { type CancellableWork, cancelledOnStop } from "../../http_calls.ts";
import { wordsOf } from "../client.ts";
import type { ObjectAddress, S3Client } from "./objects.ts";

/** Largest file that is sent in one request. */
const MAX_SINGLE_BYTES = 100 * 1024 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;
/** Parts that are sent at once. Each is read from the storage while it is sent, and holds some 1 MB. */
const PARTS_AT_ONCE = 4;

/** What is uploaded. */
interface UploadOptions extends ObjectAddress, FileBody {
  readonly headers: Readonly<Record<string, string>>;
  /** Largest file that is sent in one request, in bytes. */
  readonly maxSingleBytes?: number;
  /** Bytes of a part; the last may be smaller. */
  readonly partBytes?: number;
}

interface Uploaded {
  readonly eTag: string | null;
  readonly versionId: string | null;
}

/** Uploads a file. @throws Error it is refused, or the work must stop; parts that were sent are removed */
export async function uploadFile(
  work: CancellableWork,
  client: S3Client,
  options: UploadOptions,
): Promise<Uploaded> {
  const { bucket, key, bodyFile, size, headers, maxSingleBytes = MAX_SINGLE_BYTES } = options;
  if (size > maxSingleBytes) return await uploadParts(work, client, options);
  const operation = operationOf(options);
  const response = await client.send({ bucket, key, method: "PUT", headers, bodyFile, operation });
  const { etag, "x-amz-version-id": versionId = null } = response.headers;
  return { eTag: etag?.replaceAll('"', "") ?? null, versionId };
}

function operationOf({ bucket, key }: ObjectAddress): string {
  return `upload "${key}" to the bucket "${bucket}"`;
}

async function uploadParts(
  work: CancellableWork,
  client: S3Client,
  options: UploadOptions,
): Promise<Uploaded> {
  const { bucket, key, headers } = options;
  const operation = operationOf(options);
  const started = await client.send({
    bucket,
    key,
    method: "POST",
    query: { uploads: "" },
    headers,
    operation,
  });
  const uploadId = textAt(await readXml(started.text), "InitiateMultipartUploadResult", "UploadId");
  if (uploadId === undefined) throw new Error(`Cannot ${operation}: the response has no id of the upload`);
  const upload = { ...options, uploadId };
  return await cancelledOnStop(work, async () => {
    try {
      return await complete(client, upload, await sendParts(client, upload));
    } catch (error) {
      if (work.signal.aborted) throw error;
      const [removed] = await Promise.allSettled([removeParts(client, upload)]);
      if (removed.status === "fulfilled" || !(error instanceof Error)) throw error;
      throw new Error(`${error.message}; the parts that were sent remain`, { cause: error });
    }
  }, (sender) => removeParts(client.by(sender), upload));
}

/** They are billed until then. */
async function removeParts(client: S3Client, { bucket, key, uploadId }: OpenUpload): Promise<void> {
  await client.send({
    bucket,
    key,
    method: "DELETE",
    query: { uploadId },
    // The upload has ended before.
    accepted: [404],
    operation: `remove the parts of "${key}" from the bucket "${bucket}"`,
  });
}

type OpenUpload = UploadOptions & { readonly uploadId: string };

/** The ETags of the parts. After a failure no further part begins; those that have begun are waited for. */
async function sendParts(client: S3Client, options: OpenUpload): Promise<string[]> {
  const { size, partBytes = PART_BYTES } = options;
  const step = Math.max(partBytes, Math.ceil(size / MAX_PARTS));
  const tags: string[] = [];
  let next = 0;
  const sendInTurn = async () => {
    while (next * step < size) {
      const index = next++;
      try {
        tags[index] = await sendPart(client, options, { index, step });
      } catch (error) {
        next = Infinity;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: PARTS_AT_ONCE }, sendInTurn));
  const failed = lanes.find((lane) => lane.status === "rejected");
  if (failed) throw failed.reason;
  return tags;
}

async function sendPart(
  client: S3Client,
  options: OpenUpload,
  { index, step }: { readonly index: number; readonly step: number },
): Promise<string> {
  const { bucket, key, uploadId, bodyFile, size } = options;
  const offset = index * step;
  const { headers } = await client.send({
    bucket,
    key,
    method: "PUT",
    query: { partNumber: index + 1, uploadId },
    bodyFile,
    bodyPart: { offset, length: Math.min(step, size - offset) },
    operation: operationOf(options),
  });
  return headers.etag ?? "";
}

/** A response of status 200 may hold an error. */
async function complete(
  client: S3Client,
  { bucket, key, uploadId }: OpenUpload,
  tags: readonly string[],
): Promise<Uploaded> {
  const parts = tags.map((tag, index) =>
    `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`
  );
  const operation = operationOf({ bucket, key });
  const response = await client.send({
    bucket,
    key,
    method: "POST",
    query: { uploadId },
    headers: { "Content-Type": "application/xml" },
    body: `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`,
    operation,
  });
  const result = await readXml(response.text);
  if (result.Error !== undefined) throw new Error(`Cannot ${operation}: ${await wordsOf(response)}`);
  return {
    eTag: textAt(result, "CompleteMultipartUploadResult", "ETag")?.replaceAll('"', "") ?? null,
    versionId: response.headers["x-amz-version-id"] ?? null,
  };
}
