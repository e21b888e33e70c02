/** Exports and imports all files of a namespace, and its flows, as a zip. All entries are checked before the first one is stored. */
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { checkNotFlows, FLOWS_FOLDER, parentPaths } from "../../model/namespaces/file_path.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../model/limits.ts";
import type { Blobs, ByteSource } from "../../store/blobs/blobs.ts";
import type { FileSpace } from "../../store/records/file_records.ts";
import { type ArchiveItem, packArchive, unpackEntry } from "./file_archive.ts";
import { ownerOf, type StagedFile, stageFile } from "./file_contents.ts";
import { isBatchFull } from "./file_tree.ts";
import { authorOf, type Files, type FileWriter, spaceOf } from "./files.ts";
import { isFlowFile, readFlowSource } from "./flow_files.ts";
import { readZipDirectory, type ZipDirectory, type ZipEntry, zipRefusal } from "./zip_directory.ts";

interface FileTransferDeps {
  readonly files: Files;
  readonly blobs: Blobs;
  readonly maxUploadBytes: number;
  /** The flows of a namespace, as files of its folder of flows. */
  readonly flowItems: (actor: Actor, namespace: string) => readonly ArchiveItem[];
  /** Checks that a source can be saved as a flow of that namespace. @throws DomainError invalid_entity */
  readonly checkFlow: (actor: Pick<Actor, "tenant">, namespace: string, source: string) => Promise<void>;
}

/** The files of a namespace, and who imports into them, see `FileRevision`. */
interface ImportTarget extends FileSpace {
  readonly author?: string;
}

/** The limits of a zip without zip64; the bytes leave room for the flows. */
const MAX_EXPORT_BYTES = 0xf0000000;
const MAX_EXPORT_ENTRIES = 0xfffe;
/** Content in memory until it is committed. */
const MAX_STAGED_BYTES = 256 * 1024;
/** Upper bound of the bytes of a key without the path: tenant, namespace and id. */
const KEY_BYTES_PER_RECORD = 350;
/** Record, chunk, chunks of two dropped revisions, and directories. */
const MUTATIONS_PER_FILE = 7;

/** Exports and imports. */
export class FileTransfer {
  readonly #deps: FileTransferDeps;

  constructor(deps: FileTransferDeps) {
    this.#deps = deps;
  }

  /** A zip of all files, directories and flows, packed as it is read. @throws DomainError too_large, invalid_argument */
  async export(actor: Actor, namespace: string): Promise<ReadableStream<Uint8Array>> {
    const { files, flowItems } = this.#deps;
    const flows = flowItems(actor, namespace);
    let size = 0;
    let count = flows.length;
    for await (const { content } of files.listAll(actor, namespace)) {
      size += content?.size ?? 0;
      count++;
    }
    if (size > MAX_EXPORT_BYTES || count > MAX_EXPORT_ENTRIES) {
      throw new DomainError(
        "too_large",
        `Cannot export namespace "${namespace}": a zip cannot hold ${count} files of ${size} bytes`,
      );
    }
    return packArchive(this.#items(actor, namespace, flows));
  }

  /**
   * Unpacks a zip at the root of the namespace: flows first, then files, as revisions of files of the same path.
   * @throws DomainError invalid_argument, invalid_entity: the archive, an entry or a flow is refused, and nothing is stored;
   * too_large
   */
  async import(
    writer: FileWriter,
    namespace: string,
    zip: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { blobs, maxUploadBytes } = this.#deps;
    const space = spaceOf(writer, namespace);
    const owner = ownerOf(space);
    const spooled = await blobs.write(owner, zip, maxUploadBytes);
    try {
      await this.#unpack({ ...space, author: authorOf(writer) }, blobs.sourceOf(owner, spooled));
    } finally {
      await blobs.discard(owner, spooled);
    }
  }

  async *#items(
    actor: Actor,
    namespace: string,
    flows: readonly ArchiveItem[],
  ): AsyncGenerator<ArchiveItem> {
    const { files } = this.#deps;
    for await (const { path, modifiedAt, content } of files.listAll(actor, namespace)) {
      const open = async () => (await files.open(actor, namespace, path)).content;
      yield { path, modifiedAt, content: content && open };
    }
    yield* flows;
  }

  async #unpack(space: ImportTarget, source: ByteSource): Promise<void> {
    const directory = await readZipDirectory(source);
    const entries = directory.entries.filter((entry) => !(entry.isDirectory && entry.path === FLOWS_FOLDER));
    for (const entry of entries) await checkEntry(source, directory, entry);
    await this.#checkPlaces(space, entries);
    const flows = entries.filter((entry) => isFlowFile(entry.path));
    for (const entry of flows) {
      const flow = await readFlowSource(unpackEntry(source, directory, entry));
      await this.#deps.checkFlow(space, space.namespace, flow);
    }
    for (const entry of flows) {
      await this.#deps.files.write(
        space,
        { namespace: space.namespace, path: entry.path },
        unpackEntry(source, directory, entry),
      );
    }
    const others = entries.filter((entry) => !flows.includes(entry));
    await this.#store(space, source, { ...directory, entries: others });
  }

  /** Refuses an archive that has a file where the namespace has a directory, or vice versa. */
  async #checkPlaces(space: FileSpace, entries: readonly ZipEntry[]): Promise<void> {
    const wanted = new Map<string, boolean>();
    for (const entry of entries) {
      wanted.set(entry.path, entry.isDirectory);
      for (const parent of parentPaths(entry.path)) wanted.set(parent, true);
    }
    for await (const { path, content } of this.#deps.files.listAll(space, space.namespace)) {
      const isDirectory = wanted.get(path);
      if (isDirectory !== undefined && isDirectory !== (content === undefined)) {
        const kind = isDirectory ? "directory" : "file";
        throw zipRefusal(`entry ${JSON.stringify(path)} is a ${kind}, the namespace has the other`);
      }
    }
  }

  async #store(space: ImportTarget, source: ByteSource, directory: ZipDirectory): Promise<void> {
    const { blobs, files, maxUploadBytes } = this.#deps;
    await using batch = new ImportBatch(files, blobs, space);
    for (const entry of directory.entries) {
      await batch.makeRoom(entry.path);
      if (entry.isDirectory) {
        batch.addDirectory(entry.path);
        continue;
      }
      const file = { space, path: entry.path, source: unpackEntry(source, directory, entry) };
      batch.addFile(await stageFile({ blobs, maxBytes: maxUploadBytes }, file));
    }
    await batch.flush();
  }
}

/** Files and directories that are committed together; disposing it discards uncommitted ones. */
class ImportBatch {
  readonly #files: Files;
  readonly #blobs: Blobs;
  readonly #space: ImportTarget;
  #staged: StagedFile[] = [];
  #directories: string[] = [];
  #bytes = 0;
  #keyBytes = 0;

  constructor(files: Files, blobs: Blobs, space: ImportTarget) {
    this.#files = files;
    this.#blobs = blobs;
    this.#space = space;
  }

  /** Flushes if the path does not fit into the same entry. */
  async makeRoom(path: string): Promise<void> {
    // Each parent directory may have to be created too, with a shorter key.
    const depth = path.split("/").length;
    const keyBytes = path.length * 3 * Math.ceil((depth + 1) / 2) + KEY_BYTES_PER_RECORD * (depth + 3);
    const count = (this.#staged.length + this.#directories.length) * MUTATIONS_PER_FILE;
    const isFull = this.#bytes > MAX_STAGED_BYTES || isBatchFull(count, this.#keyBytes + keyBytes);
    if (isFull && count > 0) await this.flush();
    this.#keyBytes += keyBytes;
  }

  addDirectory(path: string): void {
    this.#directories.push(path);
  }

  addFile(file: StagedFile): void {
    this.#staged.push(file);
    for (const mutation of file.blob.mutations) {
      if (mutation.type === "set") this.#bytes += mutation.value.length;
    }
  }

  async flush(): Promise<void> {
    const [staged, directories] = [this.#staged, this.#directories];
    this.#staged = [];
    this.#directories = [];
    this.#bytes = 0;
    this.#keyBytes = 0;
    await this.#files.commitStaged(this.#space, staged, { directories, author: this.#space.author });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { blob } of this.#staged) await this.#blobs.discard(ownerOf(this.#space), blob);
  }
}

/** Unpacks an entry without storing it, to verify its size, checksum and path. */
async function checkEntry(source: ByteSource, directory: ZipDirectory, entry: ZipEntry): Promise<void> {
  if (!entry.isDirectory && isFlowFile(entry.path) && entry.size > MAX_FLOW_SOURCE_BYTES) {
    throw zipRefusal(`flow ${JSON.stringify(entry.path)} is larger than ${MAX_FLOW_SOURCE_BYTES} bytes`);
  }
  if (entry.isDirectory) checkNotFlows(entry.path);
  for await (const _ of unpackEntry(source, directory, entry));
}
