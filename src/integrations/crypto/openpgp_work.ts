/** What the thread of an evaluator does for tasks of OpenPGP. */
import type { JsonObject } from "../../base/json.ts";
import { decryptedPieces } from "./openpgp_decryption.ts";
import { encryptedPieces } from "./openpgp_encryption.ts";

/** The file of a task. */
export interface OpenPgpWork {
  readonly type: "openpgp";
  readonly operation: "decrypt" | "encrypt";
  /** Path of the file. */
  readonly source: string;
  /** Of the task. */
  readonly properties: JsonObject;
}

/** Each is a message. */
const MAX_PIECE_BYTES = 1024 ** 2;

const encoder = new TextEncoder();

/** The new content of the file, in pieces that are not empty. @throws Error as the task */
export async function* openPgpPieces(
  { operation, source, properties }: OpenPgpWork,
): AsyncGenerator<Uint8Array> {
  const pieces = (operation === "decrypt" ? decryptedPieces : encryptedPieces)(source, properties);
  for await (const piece of pieces) {
    const bytes = typeof piece === "string" ? encoder.encode(piece) : piece;
    for (let at = 0; at < bytes.length; at += MAX_PIECE_BYTES) yield bytes.subarray(at, at + MAX_PIECE_BYTES);
  }
}
