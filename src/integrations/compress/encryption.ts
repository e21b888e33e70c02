/** `compress.FileEncrypt` and `compress.FileDecrypt`. */
import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import type { CipherGCM, Cipheriv, Decipheriv } from "node:crypto";
import { Buffer } from "node:buffer";
import type { JsonObject } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import { inTurn } from "../key_derivation.ts";
import { writePieces } from "../row_files.ts";
import { FROM } from "./compression.ts";
import {
  type Derivation,
  deriveKey,
  GCM_TAG_BYTES,
  headerOf,
  MAX_SCRYPT_COST,
  readHeader,
  type SealedHeader,
} from "./encrypted_header.ts";

/** Fewer are read, since other programs write them, but not written. */
const MIN_ITERATIONS = 100_000;
const MAX_ITERATIONS = 10_000_000;

function cryptProperties(minimum: number): PropertySchemas {
  return {
    from: FROM,
    password: dynamicText("Password; keep it as a secret.", { required: true }),
    iterations: dynamicProperty("integer", "Iterations of PBKDF2; files of GCM name theirs.", {
      default: 600_000,
      minimum,
      maximum: MAX_ITERATIONS,
    }),
  };
}

const URI_OUTPUT: PropertySchemas = { uri: { type: "string", description: "Storage URI of the new file." } };

/** Output: `uri`. */
export const fileEncrypt = defineTask({
  type: "compress.FileEncrypt",
  title: "Encrypt a file by a password",
  description: "Encrypts a stored file by AES with 256 bits. `PBKDF2_SHA256` writes the format of " +
    "`openssl enc -aes-256-cbc -pbkdf2`, which does not detect changes; the others write an authenticated format (GCM).",
  properties: {
    ...cryptProperties(MIN_ITERATIONS),
    keyDerivation: dynamicChoice(
      ["PBKDF2_SHA256", "PBKDF2_SHA512", "SCRYPT"],
      "PBKDF2_SHA256",
      "How the key is made of the password.",
    ),
    memory: dynamicProperty(
      "integer",
      "Cost N of scrypt, a power of two; it takes 1 KiB of memory for each.",
      {
        default: 65_536,
        minimum: 2,
        maximum: MAX_SCRYPT_COST,
      },
    ),
    parallelism: dynamicProperty("integer", "Parallelism p of scrypt.", {
      default: 1,
      minimum: 1,
      maximum: 255,
    }),
    argon2TimeCost: dynamicProperty("integer", "Has no effect: Argon2 is not supported.", { ignored: true }),
  },
  outputs: URI_OUTPUT,
  examples: [{
    title: "Encrypt a file",
    yaml: `id: encrypt
type: io.svc.plugin.compress.FileEncrypt
from: "{{ outputs.report.uri }}"
password: "{{ secret('FILE_PASSWORD') }}"`,
  }],
  async run(context) {
    const { properties, signal } = context;
    const source = await context.fetchFile(String(properties.from).trim());
    const header = headerOf(derivationOf(properties));
    const { createCipheriv } = await import("node:crypto");
    const { key, iv } = await keyOf(context, header);
    const cipher = header.isAuthenticated
      ? createCipheriv("aes-256-gcm", key, iv).setAAD(header.bytes)
      : createCipheriv("aes-256-cbc", key, iv);
    const path = `${await context.directory()}/encrypted`;
    await writePieces(path, sealed(createReadStream(source), header, cipher), signal);
    return { uri: await context.storeFile(path) };
  },
});

/** Key and initialization vector, derived when no other key is. */
function keyOf(
  { attempt, properties, signal }: TaskContext,
  header: SealedHeader,
): ReturnType<typeof deriveKey> {
  return inTurn(attempt.tenant, signal, () => deriveKey(String(properties.password), header));
}

function derivationOf({ keyDerivation, iterations, memory, parallelism }: JsonObject): Derivation {
  const cost = Number(memory);
  if (keyDerivation !== "SCRYPT") {
    return { kind: keyDerivation as "PBKDF2_SHA256", iterations: Number(iterations) };
  }
  if (!Number.isInteger(Math.log2(cost))) throw new Error("Invalid memory: it must be a power of two");
  return { kind: "SCRYPT", cost, parallelism: Number(parallelism) };
}

async function* sealed(
  chunks: AsyncIterable<Uint8Array>,
  header: SealedHeader,
  cipher: Cipheriv | CipherGCM,
): AsyncGenerator<Uint8Array> {
  yield header.bytes;
  for await (const chunk of chunks) yield cipher.update(chunk);
  yield cipher.final();
  if (header.isAuthenticated) yield (cipher as CipherGCM).getAuthTag();
}

/** Output: `uri`. */
export const fileDecrypt = defineTask({
  type: "compress.FileDecrypt",
  title: "Decrypt a file by a password",
  description: "Decrypts a file of FileEncrypt, or of `openssl enc -aes-256-cbc -pbkdf2`.",
  properties: cryptProperties(1),
  outputs: URI_OUTPUT,
  examples: [{
    title: "Decrypt a file",
    yaml: `id: decrypt
type: io.svc.plugin.compress.FileDecrypt
from: "{{ inputs.file }}"
password: "{{ secret('FILE_PASSWORD') }}"`,
  }],
  async run(context) {
    const { properties, signal } = context;
    const source = await context.fetchFile(String(properties.from).trim());
    await using file = await open(source);
    const header = await readHeader(await firstBytes(file), Number(properties.iterations));
    const { createDecipheriv } = await import("node:crypto");
    const { key, iv } = await keyOf(context, header);
    const { size } = await stat(source);
    const end = header.isAuthenticated ? size - GCM_TAG_BYTES : size;
    if (end < header.bytes.length) throw new Error("Cannot decrypt the file: it is incomplete");
    const decipher = header.isAuthenticated
      ? createDecipheriv("aes-256-gcm", key, iv).setAAD(header.bytes).setAuthTag(await lastBytes(file, end))
      : createDecipheriv("aes-256-cbc", key, iv);
    const path = `${await context.directory()}/decrypted`;
    const content = end === header.bytes.length
      ? emptyChunks()
      : createReadStream(source, { start: header.bytes.length, end: end - 1 });
    await writePieces(path, opened(content, decipher), signal);
    return { uri: await context.storeFile(path) };
  },
});

const MAX_HEADER_BYTES = 64;

async function firstBytes(file: FileHandle): Promise<Uint8Array> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
  return new Uint8Array(buffer.subarray(0, bytesRead));
}

async function lastBytes(file: FileHandle, at: number): Promise<Uint8Array> {
  const { buffer } = await file.read(Buffer.alloc(GCM_TAG_BYTES), 0, GCM_TAG_BYTES, at);
  return buffer;
}

async function* emptyChunks(): AsyncGenerator<Uint8Array> {}

async function* opened(chunks: AsyncIterable<Uint8Array>, decipher: Decipheriv): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield decipher.update(chunk);
  try {
    yield decipher.final();
  } catch (error) {
    throw new Error("Cannot decrypt the file: the password is wrong, or the file is damaged", {
      cause: error,
    });
  }
}
