/** Objects of S3 and of servers with the same API. https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { optionalText, type TaskResponse, type WorkContext } from "../../../model/tasks/task_definition.ts";
import type { Sender } from "../../http_calls.ts";
import { nameTest, pathWithin } from "../../remote_files.ts";
import { AwsClient, type AwsRequest, wordsOf } from "../client.ts";
import { elementsAt, readXml, textAt } from "../../xml.ts";

/** An object by its names. */
export interface ObjectAddress {
  readonly bucket: string;
  readonly key: string;
}

/** Most objects that one task lists. */
const MAX_OBJECTS = 100_000;

type S3Request = Omit<AwsRequest, "service" | "url"> & {
  readonly bucket: string;
  /** Absent for a request about the bucket. */
  readonly key?: string;
  /** Members without a value are left out. */
  readonly query?: Readonly<Record<string, JsonValue | undefined>>;
};

/** Sends requests to S3. */
export class S3Client {
  readonly #aws: AwsClient;
  readonly #properties: JsonObject;

  constructor(
    context: Pick<WorkContext, "properties" | "http" | "signal">,
    aws: AwsClient = new AwsClient(context),
  ) {
    this.#aws = aws;
    this.#properties = context.properties;
  }

  /** A client with the same credentials that sends by another sender. */
  by(sender: Sender): S3Client {
    return new S3Client({ properties: this.#properties, ...sender }, this.#aws.by(sender));
  }

  /** The region. */
  get region(): string {
    return this.#aws.region;
  }

  /** The response. @throws Error no response, or one that refuses the request */
  async send({ bucket, key = "", query = {}, ...request }: S3Request): Promise<TaskResponse> {
    const given = Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, String(value)]]
    );
    // Spaces as %20: with a plus the server would read another query than the one that is signed.
    const search = new URLSearchParams(given).toString().replaceAll("+", "%20");
    const url = `${this.#urlOf(bucket, key)}${search && `?${search}`}`;
    return await this.#aws.send({ ...request, service: "s3", url });
  }

  #urlOf(bucket: string, key: string): string {
    const path = key.split("/").map(encodeURIComponent).join("/");
    if (/(?:^|\/)\.\.?(?:\/|$)/.test(key)) {
      throw new Error(`Cannot address "${key}": a key with the part "." or ".." has no URL`);
    }
    const { forcePathStyle } = this.#properties;
    const override = this.#aws.endpointOverride;
    const isPath = forcePathStyle === true || override !== undefined && forcePathStyle !== false ||
      !/^[a-z0-9-]+$/.test(bucket);
    const endpoint = override ?? `https://s3.${this.region}.${this.#aws.domain}`;
    return isPath
      ? `${endpoint}/${encodeURIComponent(bucket)}/${path}`
      : `${endpoint.replace("://", `://${bucket}.`)}/${path}`;
  }
}

/** What is listed. */
interface ListingOptions {
  /** Which entries: objects, folders or both. */
  readonly filter: "FILES" | "DIRECTORY" | "BOTH";
  readonly maxCount?: number;
}

/** The objects and folders that the properties select, as outputs have them. */
export async function listObjects(
  client: S3Client,
  properties: JsonObject,
  { filter, maxCount = MAX_OBJECTS }: ListingOptions,
): Promise<JsonObject[]> {
  const bucket = String(properties.bucket);
  const isMatch = nameTest(optionalText(properties.regexp));
  const found: JsonObject[] = [];
  let token: string | undefined;
  do {
    const { text } = await client.send({
      bucket,
      query: {
        "list-type": 2,
        prefix: properties.prefix,
        delimiter: properties.delimiter,
        "max-keys": properties.maxKeys,
        "start-after": token === undefined ? properties.marker : undefined,
        "continuation-token": token,
      },
      headers: ownerHeaders(properties),
      operation: `list the bucket "${bucket}"`,
    });
    const page = await readXml(text);
    const entries = [...foldersOf(page, bucket), ...filesOf(page, bucket)];
    found.push(...entries.filter((entry) => isSelected(entry, filter) && isMatch(String(entry.key))));
    token = textAt(page, "ListBucketResult", "NextContinuationToken");
  } while (token !== undefined && found.length < maxCount);
  return found.slice(0, maxCount);
}

/** Headers that name the expected owner of the bucket, and who pays. */
export function ownerHeaders({ expectedBucketOwner, requestPayer }: JsonObject): Record<string, string> {
  const owner = optionalText(expectedBucketOwner), payer = optionalText(requestPayer);
  return {
    ...owner === undefined ? {} : { "x-amz-expected-bucket-owner": owner },
    ...payer === undefined ? {} : { "x-amz-request-payer": payer },
  };
}

function isSelected({ key, isDirectory }: JsonObject, filter: ListingOptions["filter"]): boolean {
  const isFolder = isDirectory === true || String(key).endsWith("/");
  return filter === "BOTH" || isFolder === (filter === "DIRECTORY");
}

function foldersOf(page: JsonObject, bucket: string): JsonObject[] {
  return elementsAt(page, "ListBucketResult", "CommonPrefixes").map((entry) => {
    const key = textAt(entry, "Prefix") ?? "";
    return { uri: `s3://${bucket}/${key}`, key, size: 0, isDirectory: true };
  });
}

function filesOf(page: JsonObject, bucket: string): JsonObject[] {
  return elementsAt(page, "ListBucketResult", "Contents").map((entry) => {
    const key = textAt(entry, "Key") ?? "";
    const etag = textAt(entry, "ETag")?.replaceAll('"', "");
    const owner = textAt(entry, "Owner", "ID");
    return {
      uri: `s3://${bucket}/${key}`,
      key,
      size: Number(textAt(entry, "Size") ?? 0),
      etag: etag ?? null,
      eTag: etag ?? null,
      lastModified: textAt(entry, "LastModified") ?? null,
      storageClass: textAt(entry, "StorageClass") ?? null,
      ...owner === undefined ? {} : { owner: { id: owner } },
    };
  });
}

interface DownloadOptions {
  readonly address: ObjectAddress;
  /** Names the local folder: keys of several objects may end with the same name. */
  readonly index: number;
  readonly versionId?: string;
}

/** Copies an object to the storage of the server; gives the URI and the response. */
export async function downloadObject(
  context: Pick<WorkContext, "storeFile" | "properties">,
  client: S3Client,
  { address, index, versionId }: DownloadOptions,
): Promise<{ readonly uri: string; readonly response: TaskResponse }> {
  const response = await client.send({
    ...address,
    query: { versionId },
    headers: ownerHeaders(context.properties),
    saveTo: pathWithin(`download-${index}`, address.key),
    operation: `download "${address.key}" of the bucket "${address.bucket}"`,
  });
  return { uri: await context.storeFile(String(response.path)), response };
}

interface CopyOptions {
  readonly from: ObjectAddress & { readonly versionId?: string };
  readonly to: ObjectAddress;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Copies an object within S3, up to 5 GB. @throws Error also for a response of status 200 that holds an error */
export async function copyObject(client: S3Client, { from, to, headers }: CopyOptions): Promise<JsonObject> {
  const path = [from.bucket, ...from.key.split("/")].map(encodeURIComponent).join("/");
  const version = from.versionId === undefined ? "" : `?versionId=${encodeURIComponent(from.versionId)}`;
  const operation = `copy "${from.key}" of the bucket "${from.bucket}"`;
  const response = await client.send({
    ...to,
    method: "PUT",
    headers: { ...headers, "x-amz-copy-source": `/${path}${version}` },
    operation,
  });
  const result = await readXml(response.text);
  if (result.Error !== undefined) throw new Error(`Cannot ${operation}: ${await wordsOf(response)}`);
  return {
    eTag: textAt(result, "CopyObjectResult", "ETag")?.replaceAll('"', "") ?? null,
    versionId: response.headers["x-amz-version-id"] ?? null,
  };
}

/** Deletes an object; an object that does not exist is no error. */
export async function deleteObject(
  client: S3Client,
  { bucket, key, versionId, properties = {} }: ObjectAddress & {
    readonly versionId?: string;
    readonly properties?: JsonObject;
  },
): Promise<TaskResponse> {
  return await client.send({
    bucket,
    key,
    method: "DELETE",
    query: { versionId },
    headers: ownerHeaders(properties),
    operation: `delete "${key}" of the bucket "${bucket}"`,
  });
}
