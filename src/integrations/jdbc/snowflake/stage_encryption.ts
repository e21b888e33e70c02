/** Encryption of files before they reach a stage: a key of the file by AES in CBC mode, itself encrypted by the key of the stage. */
import { createCipheriv, randomBytes } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";

const IV_BYTES = 16;

/** What a reader needs beside the key of the stage. */
export interface FileEncryption {
  /** The encrypted key, in Base64. */
  readonly key: string;
  /** In Base64. */
  readonly iv: string;
  /** Which key of the stage it is, as JSON. */
  readonly description: string;
}

/** Encrypts a file; `undefined` if the stage has no key, and the file stays as it is. */
export async function encryptForStage(
  { from, to }: { readonly from: string; readonly to: string },
  material: JsonValue | undefined,
): Promise<FileEncryption | undefined> {
  if (!isJsonObject(material)) return undefined;
  const { queryStageMasterKey, queryId, smkId } = material;
  const stageKey = Uint8Array.fromBase64(String(queryStageMasterKey));
  const bits = stageKey.length * 8;
  const fileKey = randomBytes(stageKey.length), iv = randomBytes(IV_BYTES);
  const content = createCipheriv(`aes-${bits}-cbc`, fileKey, iv);
  await pipeline(createReadStream(from), content, createWriteStream(to));
  const wrapping = createCipheriv(`aes-${bits}-ecb`, stageKey, null);
  const key = new Uint8Array([...wrapping.update(fileKey), ...wrapping.final()]);
  return {
    key: key.toBase64(),
    iv: new Uint8Array(iv).toBase64(),
    description: JSON.stringify({ smkId: String(smkId), queryId: String(queryId), keySize: String(bits) }),
  };
}
