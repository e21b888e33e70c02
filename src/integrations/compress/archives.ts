/** `compress.ArchiveCompress` and `compress.ArchiveDecompress`. */
import { mkdir, rm } from "node:fs/promises";
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { normalizeFileName } from "../../model/namespaces/file_path.ts";
import { dynamicProperty, type PropertySchema } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { GIVEN_MAPS, givenMaps } from "../given_maps.ts";
import { pathWithin } from "../remote_files.ts";
import { writePieces } from "../row_files.ts";
import { type ArchivedFile, fileChunks, filesOfTar, filesOfZip } from "./archive_reader.ts";
import { type LocalFile, tarOf, zipOf } from "./archive_writer.ts";
import { FROM, packed, READ_COMPRESSION, unpackedFile, WRITTEN_COMPRESSION } from "./compression.ts";

const ALGORITHM: PropertySchema = dynamicProperty(
  "string",
  "Format of the archive; JAR is the same as ZIP.",
  {
    required: true,
    values: ["JAR", "TAR", "ZIP"],
  },
);

/** Output: `files`. */
export const archiveDecompress = defineTask({
  type: "compress.ArchiveDecompress",
  title: "Unpack an archive",
  description: "Unpacks the files of an archive, and decompresses it first if a compression is given. " +
    "Archives with links, with paths that lead out of them, or with too much content are refused.",
  properties: { from: FROM, algorithm: ALGORITHM, compression: READ_COMPRESSION },
  outputs: {
    files: {
      type: "map",
      description: "Storage URIs of the files by their paths in the archive.",
      items: { type: "string", description: "A storage URI." },
    },
  },
  metrics: {
    size: { type: "counter", description: "Bytes of the files." },
    count: { type: "counter", description: "Number of files." },
  },
  examples: [{
    title: "Unpack a zip",
    yaml: `id: unpack
type: io.svc.plugin.compress.ArchiveDecompress
from: "{{ outputs.download.uri }}"
algorithm: ZIP`,
  }, {
    title: "Unpack a compressed tar",
    yaml: `id: unpack
type: io.svc.plugin.compress.ArchiveDecompress
from: "{{ outputs.download.uri }}"
algorithm: TAR
compression: GZIP`,
  }],
  async run(context) {
    const folder = await context.directory();
    const files: JsonObject = {};
    let bytes = 0, count = 0;
    for await (const { name, content } of archivedFiles(context, folder)) {
      const path = pathWithin(`${folder}/file-${count++}`, name);
      bytes += await writeFile(path, content, context.signal);
      setOwnProperty(files, name, await context.storeFile(path));
      await rm(path);
    }
    context.metric("size", bytes);
    context.metric("count", count);
    return { files };
  },
});

async function* archivedFiles(context: TaskContext, folder: string): AsyncGenerator<ArchivedFile> {
  const { from, algorithm, compression } = context.properties;
  const { signal } = context;
  const source = await context.fetchFile(String(from).trim());
  const format = optionalText(compression);
  if (algorithm === "TAR") {
    yield* filesOfTar(format === undefined ? fileChunks(source) : unpackedFile(source, format, signal));
    return;
  }
  const archive = format === undefined ? source : `${folder}/archive`;
  // The directory of a zip is at its end.
  if (format !== undefined) await writePieces(archive, unpackedFile(source, format, signal), signal);
  yield* filesOfZip(archive, signal);
}

/** Makes the folder of the file, too; gives the bytes. */
async function writeFile(
  path: string,
  content: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  await mkdir(path.slice(0, path.lastIndexOf("/")));
  let bytes = 0;
  const counted = async function* () {
    for await (const chunk of content) {
      bytes += chunk.length;
      yield chunk;
    }
  };
  await writePieces(path, counted(), signal);
  return bytes;
}

/** Output: `uri`. */
export const archiveCompress = defineTask({
  type: "compress.ArchiveCompress",
  title: "Pack files into an archive",
  description: "Packs stored files into an archive, and compresses it if a compression is given.",
  properties: {
    from: dynamicProperty(
      "any",
      `Storage URIs of the files by their paths in the archive: ${GIVEN_MAPS}.`,
      { required: true },
    ),
    algorithm: ALGORITHM,
    compression: WRITTEN_COMPRESSION,
  },
  outputs: { uri: { type: "string", description: "Storage URI of the archive." } },
  examples: [{
    title: "Pack two files",
    yaml: `id: pack
type: io.svc.plugin.compress.ArchiveCompress
from:
  report.csv: "{{ outputs.report.uri }}"
  logs/run.txt: "{{ outputs.logs.uri }}"
algorithm: TAR
compression: GZIP`,
  }],
  async run(context) {
    const { algorithm, compression } = context.properties;
    const files = localFiles(context);
    const archive = algorithm === "TAR" ? tarOf(files) : zipOf(files);
    const path = `${await context.directory()}/archive`;
    await writePieces(path, packed(archive, optionalText(compression)), context.signal);
    return { uri: await context.storeFile(path) };
  },
});

/** The files, each copied to this machine when it is packed, and removed afterwards. @throws Error two have the same path */
async function* localFiles(context: TaskContext): AsyncGenerator<LocalFile> {
  const names = new Set<string>();
  for await (const map of givenMaps(context, "from")) {
    for (const [given, uri] of Object.entries(map)) {
      const name = normalizeFileName(given);
      if (names.has(name)) throw new Error(`Invalid from: the path "${name}" occurs twice`);
      names.add(name);
      context.signal.throwIfAborted();
      const path = await context.fetchFile(String(uri).trim());
      yield { name, path };
      await rm(path);
    }
  }
  if (names.size === 0) throw new Error("Invalid from: there are no files");
}
