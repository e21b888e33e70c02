/** Uploads of files: small ones in one request, large ones in parts. https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html */
import { type FileHandle, open, stat } from "node:fs/promises";
import { escapeXml, readXml, textAt } from "../../xml.ts";
import { wordsOf } from "../client.ts";
import type { ObjectAddress, S3Client } from "./objects.ts";

/** Largest file that is sent in one request. */
const MAX_SINGLE_BYTES = 100 * 1024 * 1024;
const PART_BYTES = 8 * 1024 * 1024;
const MAX_PARTS = 10_000;

/** What is uploaded. */
interface UploadOptions extends ObjectAddress {
  /** A file of the directory of the attempt. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Largest file that is sent in one request, in bytes. */
  readonly maxSingleBytes?: number;
  /** Bytes of a part; the last may be smaller. */
  readonly partBytes?: number;
}

interface Uploaded {
  readonly eTag: string | null;
  readonly versionId: string | null;
  /** Bytes. */
  readonly size: number;
}

/** Uploads a file. @throws Error it is refused; parts that were sent are removed */
export async function uploadFile(client: S3Client, options: UploadOptions): Promise<Uploaded> {
  const { bucket, key, path, headers, maxSingleBytes = MAX_SINGLE_BYTES } = options;
  const { size } = await stat(path);
  if (size > maxSingleBytes) return { ...await uploadParts(client, options, size), size };
  const response = await client.send({
    bucket,
    key,
    method: "PUT",
    headers,
    bodyFile: path,
    operation: operationOf(options),
  });
  const { etag, "x-amz-version-id": versionId = null } = response.headers;
  return { eTag: etag?.replaceAll('"', "") ?? null, versionId, size };
}

function operationOf({ bucket, key }: ObjectAddress): string {
  return `upload "${key}" to the bucket "${bucket}"`;
}

async function uploadParts(
  client: S3Client,
  options: UploadOptions,
  size: number,
): Promise<Omit<Uploaded, "size">> {
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
  try {
    const parts = await sendParts(client, { ...options, uploadId }, size);
    return await complete(client, { ...options, uploadId }, parts);
  } catch (error) {
    // Parts are billed until they are removed. A stopped attempt cannot send this any more.
    const [removed] = await Promise.allSettled([
      client.send({ bucket, key, method: "DELETE", query: { uploadId }, operation }),
    ]);
    if (removed.status === "fulfilled" || !(error instanceof Error)) throw error;
    throw new Error(`${error.message}; the parts that were sent remain`, { cause: error });
  }
}

type OpenUpload = UploadOptions & { readonly uploadId: string };

/** The ETags of the parts. */
async function sendParts(client: S3Client, options: OpenUpload, size: number): Promise<string[]> {
  const { bucket, key, path, uploadId, partBytes = PART_BYTES } = options;
  const step = Math.max(partBytes, Math.ceil(size / MAX_PARTS));
  const tags: string[] = [];
  const file = await open(path);
  const buffer = new Uint8Array(Math.min(step, size));
  try {
    for (let at = 0; at < size; at += step) {
      const body = buffer.subarray(0, Math.min(step, size - at));
      await readFully(file, body, at);
      const { headers } = await client.send({
        bucket,
        key,
        method: "PUT",
        query: { partNumber: tags.length + 1, uploadId },
        body,
        operation: operationOf(options),
      });
      tags.push(headers.etag ?? "");
    }
  } finally {
    await file.close();
  }
  return tags;
}

/** One read may return fewer bytes than there are. */
async function readFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let used = 0; used < bytes.length;) {
    const { bytesRead } = await file.read(bytes, used, bytes.length - used, position + used);
    if (bytesRead === 0) throw new Error("Cannot upload the file: it became shorter");
    used += bytesRead;
  }
}

/** A response of status 200 may hold an error. */
async function complete(
  client: S3Client,
  { bucket, key, uploadId }: OpenUpload,
  tags: readonly string[],
): Promise<Omit<Uploaded, "size">> {
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
