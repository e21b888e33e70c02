/** `compress.FileCompress` and `compress.FileDecompress`. */
import { defineTask, type TaskContext } from "../../model/tasks/task_definition.ts";
import type { JsonObject } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import { writePieces } from "../row_files.ts";
import { fileChunks } from "./archive_reader.ts";
import { FROM, packed, READ_COMPRESSION, unpackedFile, WRITTEN_COMPRESSION } from "./compression.ts";

const URI_OUTPUT: PropertySchemas = { uri: { type: "string", description: "Storage URI of the new file." } };

type Convert = (path: string, format: string, signal: AbortSignal) => AsyncIterable<Uint8Array>;

async function convert(context: TaskContext, change: Convert): Promise<JsonObject> {
  const { from, compression } = context.properties;
  const source = await context.fetchFile(String(from).trim());
  const path = `${await context.directory()}/converted`;
  await writePieces(path, change(source, String(compression), context.signal), context.signal);
  return { uri: await context.storeFile(path) };
}

/** Output: `uri`. */
export const fileCompress = defineTask({
  type: "compress.FileCompress",
  title: "Compress a file",
  description: "Compresses a stored file.",
  properties: { from: FROM, compression: { ...WRITTEN_COMPRESSION, required: true } },
  outputs: URI_OUTPUT,
  examples: [{
    title: "Compress a file by gzip",
    yaml: `id: compress
type: io.svc.plugin.compress.FileCompress
from: "{{ outputs.report.uri }}"
compression: GZIP`,
  }],
  run: async (context) => await convert(context, (path, format) => packed(fileChunks(path), format)),
});

/** Output: `uri`. */
export const fileDecompress = defineTask({
  type: "compress.FileDecompress",
  title: "Decompress a file",
  description: "Decompresses a stored file. Files that unpack to too much are refused.",
  properties: { from: FROM, compression: { ...READ_COMPRESSION, required: true } },
  outputs: URI_OUTPUT,
  examples: [{
    title: "Decompress a file of gzip",
    yaml: `id: decompress
type: io.svc.plugin.compress.FileDecompress
from: "{{ outputs.download.uri }}"
compression: GZIP`,
  }],
  run: async (context) => await convert(context, unpackedFile),
});
