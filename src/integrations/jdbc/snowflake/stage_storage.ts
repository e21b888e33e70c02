/** Sends a file to where a stage keeps it: S3, Azure or Google Cloud, with the credentials that Snowflake gives for it. */
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { optionalText, type TaskRequest, type WorkContext } from "../../../model/tasks/task_definition.ts";
import { AwsClient } from "../../aws/client.ts";
import { callRepeatedly, refusalOf } from "../../http_calls.ts";
import type { FileEncryption } from "./stage_encryption.ts";

const TIMEOUT_MS = 900_000;
const AZURE_VERSION = "2021-12-02";

type SendingContext = Pick<WorkContext, "http" | "signal">;

/** A file on its way to a stage. */
interface StagedFile {
  /** Name in the folder of the stage. */
  readonly name: string;
  /** Path on this machine. */
  readonly path: string;
  /** SHA-256 before the encryption, in Base64. */
  readonly digest: string;
  readonly encryption?: FileEncryption;
}

/** Sends the file. @throws Error the storage refuses it, or is of an unknown kind */
export async function sendToStage(
  context: SendingContext,
  stage: JsonObject,
  file: StagedFile,
): Promise<void> {
  const kind = optionalText(stage.locationType);
  if (kind === "S3") return await sendToS3(context, stage, file);
  if (kind === "AZURE") return await send(context, azureRequest(stage, file), file);
  if (kind === "GCS") return await send(context, gcsRequest(stage, file), file);
  throw new Error(`Cannot send the file to the stage: its storage is of the kind "${kind}"`);
}

async function sendToS3(
  { http, signal }: SendingContext,
  stage: JsonObject,
  file: StagedFile,
): Promise<void> {
  const { AWS_KEY_ID, AWS_SECRET_KEY, AWS_TOKEN } = credentialsOf(stage);
  const { region, endPoint } = stage;
  const properties = {
    accessKeyId: AWS_KEY_ID ?? "",
    secretKeyId: AWS_SECRET_KEY ?? "",
    sessionToken: AWS_TOKEN ?? "",
    region: region ?? "",
  };
  const client = new AwsClient({ properties, http, signal });
  const host = optionalText(endPoint) ?? `s3.${client.region}.${client.domain}`;
  const [bucket, key] = placeOf(stage, file);
  const { digest, encryption } = file;
  await client.send({
    service: "s3",
    url: `https://${bucket}.${host}/${key}`,
    method: "PUT",
    headers: {
      "Content-Type": "application/octet-stream",
      "x-amz-meta-sfc-digest": digest,
      ...encryption && {
        "x-amz-meta-x-amz-key": encryption.key,
        "x-amz-meta-x-amz-iv": encryption.iv,
        "x-amz-meta-x-amz-matdesc": encryption.description,
      },
    },
    bodyFile: file.path,
    operation: operationOf(file),
  });
}

function azureRequest(stage: JsonObject, file: StagedFile): TaskRequest {
  const { digest, encryption } = file;
  const host = `${stage.storageAccount}.${optionalText(stage.endPoint) ?? "blob.core.windows.net"}`;
  const signature = String(credentialsOf(stage).AZURE_SAS_TOKEN ?? "").replace(/^\?/, "");
  return {
    url: `https://${host}/${placeOf(stage, file).join("/")}?${signature}`,
    headers: {
      "Content-Type": "application/octet-stream",
      "x-ms-version": AZURE_VERSION,
      "x-ms-blob-type": "BlockBlob",
      "x-ms-meta-sfcdigest": digest,
      ...encryption && {
        "x-ms-meta-encryptiondata": envelopeOf(encryption, "AES_CBC_128"),
        "x-ms-meta-matdesc": encryption.description,
      },
    },
  };
}

function gcsRequest(stage: JsonObject, file: StagedFile): TaskRequest {
  const { digest, encryption } = file;
  const host = optionalText(stage.endPoint) ?? "storage.googleapis.com";
  return {
    url: `https://${host}/${placeOf(stage, file).join("/")}`,
    headers: {
      "Content-Type": "application/octet-stream",
      Authorization: `Bearer ${credentialsOf(stage).GCS_ACCESS_TOKEN}`,
      "x-goog-meta-sfc-digest": digest,
      ...encryption && {
        "x-goog-meta-encryptiondata": envelopeOf(encryption, "AES_CBC_256"),
        "x-goog-meta-matdesc": encryption.description,
      },
    },
  };
}

async function send(context: SendingContext, request: TaskRequest, file: StagedFile): Promise<void> {
  const full = {
    ...request,
    method: "PUT",
    bodyFile: file.path,
    followRedirects: false,
    timeoutMs: TIMEOUT_MS,
  };
  const { status, text } = await callRepeatedly(context, () => full, { isRepeatable: true });
  if (status < 300) return;
  throw refusalOf({ operation: operationOf(file), url: request.url, status, words: text });
}

function operationOf({ name }: StagedFile): string {
  return `send "${name}" to the stage`;
}

function credentialsOf({ creds }: JsonObject): JsonObject {
  return isJsonObject(creds) ? creds : {};
}

/** Bucket or container, and the encoded path in it. */
function placeOf({ location }: JsonObject, { name }: StagedFile): readonly [string, string] {
  const [bucket = "", ...folders] = String(location).split("/").filter((part) => part !== "");
  return [bucket, [...folders, ...name.split("/")].map(encodeURIComponent).join("/")];
}

/** The form of the encryption library of Azure, which Google Cloud has, too. */
function envelopeOf({ key, iv }: FileEncryption, algorithm: string): string {
  return JSON.stringify({
    EncryptionMode: "FullBlob",
    WrappedContentKey: { KeyId: "symmKey1", EncryptedKey: key, Algorithm: "AES_CBC_256" },
    EncryptionAgent: { Protocol: "1.0", EncryptionAlgorithm: algorithm },
    ContentEncryptionIV: iv,
    KeyWrappingMetadata: { EncryptionLibrary: "Java 5.3.0" },
  });
}
