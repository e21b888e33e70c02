/** Files of namespaces: a tree of records in the store, with the content of files as blobs. */
import type { Clock } from "../../base/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { QuotaHold } from "../../model/access/quota.ts";
import { DomainError, illegalArgument, notFound } from "../../model/errors.ts";
import {
  FLOWS_FOLDER,
  isWithin,
  normalizeFileName,
  normalizeFilePath,
} from "../../model/namespaces/file_path.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { MAX_FLOW_SOURCE_BYTES } from "../../model/limits.ts";
import { checkNamespace } from "../../model/namespaces/namespace_name.ts";
import type { Blobs, StagedBlob } from "../../store/blobs/blobs.ts";
import type { Committer } from "../../store/committer.ts";
import type { FileRecord, FileRecords, FileSpace } from "../../store/records/file_records.ts";
import type { Quotas } from "../access/quotas.ts";
import { ChangeBatch, emptiedParents, missingParents, notADirectory, notAFile } from "./file_tree.ts";

export type { FileRecord } from "../../store/records/file_records.ts";

interface FilesDeps {
  readonly records: FileRecords;
  readonly blobs: Blobs;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly maxUploadBytes: number;
  /** Saves a flow whose source was written into the folder of flows, with that namespace. */
  readonly importFlow: (tenant: TenantId, namespace: string, source: string) => Promise<void>;
  readonly quotas?: Quotas;
}

/** An open file; its content must be read to the end or cancelled. */
interface OpenFile {
  readonly record: FileRecord;
  readonly content: ReadableStream<Uint8Array>;
}

/** Content for one path, not yet committed. */
export interface StagedFile {
  readonly path: string;
  readonly blob: StagedBlob;
}

/** Attempts to open a file that is replaced meanwhile. */
const OPEN_ATTEMPTS = 5;
const FLOW_FILE = new RegExp(`^${FLOWS_FOLDER}/[^/]+\\.ya?ml$`);

/** Reads and changes the files of namespaces. */
export class Files {
  readonly #deps: FilesDeps;
  readonly #locks = new KeyedLock();

  constructor(deps: FilesDeps) {
    this.#deps = deps;
  }

  /** The entries of a directory, ordered by path; empty for an empty root. @throws DomainError not_found, invalid_argument */
  async list(actor: Pick<Actor, "tenant">, namespace: string, directory: string): Promise<FileRecord[]> {
    const space = spaceOf(actor, namespace);
    const path = normalizeFilePath(directory);
    checkNotFlows(path);
    if (path !== "") {
      const record = await this.#existing(space, path);
      if (record.content) throw notADirectory(path);
    }
    const children: FileRecord[] = [];
    for await (const child of this.#deps.records.listChildren(space, path)) children.push(child);
    return children;
  }

  /** The record of a file or directory; the root always exists. @throws DomainError not_found, invalid_argument */
  async stat(actor: Pick<Actor, "tenant">, namespace: string, path: string): Promise<FileRecord> {
    const space = spaceOf(actor, namespace);
    const target = normalizeFilePath(path);
    checkNotFlows(target);
    if (target !== "") return await this.#existing(space, target);
    const now = this.#deps.clock.now();
    return { path: "", createdAt: now, modifiedAt: now, revision: 0 };
  }

  /** Opens a file; the content read is that of this moment, even if the file changes meanwhile. @throws DomainError not_found, invalid_argument */
  async open(actor: Pick<Actor, "tenant">, namespace: string, path: string): Promise<OpenFile> {
    const space = spaceOf(actor, namespace);
    const target = normalizeFileName(path);
    checkNotFlows(target);
    for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
      const record = await this.#existing(space, target);
      if (!record.content) throw notAFile(target);
      const content = await this.#openContent(space, record, record.content);
      if (content) return { record, content };
    }
    throw new DomainError(
      "conflict",
      `Cannot read ${JSON.stringify(target)}: it kept changing while it was read; retry`,
    );
  }

  /** Paths, with a leading slash, of the files whose path contains `text`, ordered. @throws DomainError invalid_argument */
  async search(actor: Pick<Actor, "tenant">, namespace: string, text: string): Promise<string[]> {
    const found: string[] = [];
    for await (const { path, content } of this.#deps.records.listBelow(spaceOf(actor, namespace), "")) {
      if (content && `/${path}`.includes(text)) found.push(`/${path}`);
    }
    return found;
  }

  /**
   * Creates or replaces a file and creates missing parent directories; readers see either the old or the new content. A
   * flow in the folder of flows is saved as a flow instead.
   * @throws DomainError invalid_argument; too_large; quota_exceeded, storage_full or unavailable: nothing was changed
   */
  async write(
    actor: Pick<Actor, "tenant">,
    namespace: string,
    path: string,
    source: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const space = spaceOf(actor, namespace);
    const target = normalizeFileName(path);
    if (isFlowFile(target)) return await this.#importFlow(space, source);
    if ((await this.#deps.records.get(space, target))?.content === undefined) {
      await this.#checkPlace(space, target);
    }
    const { blobs, quotas, maxUploadBytes } = this.#deps;
    const write = (maxBytes: number) => blobs.write(ownerOf(space), source, maxBytes);
    const blob = await (quotas ? quotas.bounded(space.tenant, maxUploadBytes, write) : write(maxUploadBytes));
    await this.commitStaged(space, [{ path: target, blob }]);
  }

  /** Commits staged contents under their paths, in one entry. @throws DomainError: none is stored */
  async commitStaged(
    space: FileSpace,
    files: readonly StagedFile[],
    directories: readonly string[] = [],
  ): Promise<void> {
    const { blobs, records, clock, quotas } = this.#deps;
    await this.#exclusively(space, async () => {
      const paths = files.map((file) => file.path);
      const replaced: FileRecord[] = [];
      let hold: QuotaHold | undefined;
      const build = async () => {
        const now = clock.now();
        const found = await records.getMany(space, paths);
        // A directory to create is passed as the parent of a path below it.
        const below = [...paths, ...directories.map((directory) => `${directory}/-`)];
        const created = await missingParents(records, space, below, now);
        const mutations = created.map((record) => records.put(space, record));
        for (const [index, { path, blob: { blobId, size } }] of files.entries()) {
          const old = found[index];
          if (old && !old.content) throw notAFile(path);
          const [createdAt, revision] = [old?.createdAt ?? now, (old?.revision ?? 0) + 1];
          mutations.push(
            records.put(space, { path, createdAt, modifiedAt: now, revision, content: { blobId, size } }),
          );
          if (old?.content) mutations.push(...blobs.retire(ownerOf(space), old.content));
          if (old) replaced.push(old);
        }
        hold = await quotas?.holdBytes(space.tenant, addedBytes(files, replaced));
        return mutations;
      };
      let isStored = false;
      try {
        await blobs.commit(ownerOf(space), files.map((file) => file.blob), build);
        isStored = true;
      } finally {
        hold?.end(isStored);
      }
      if (replaced.length > 0) quotas?.removed(space.tenant, "fileBytes");
      for (const { content } of replaced) if (content) await blobs.remove(ownerOf(space), content);
    });
  }

  /** Creates a directory and its parents; an existing one is no error. @throws DomainError invalid_argument */
  async createDirectory(actor: Pick<Actor, "tenant">, namespace: string, path: string): Promise<void> {
    const space = spaceOf(actor, namespace);
    const target = normalizeFilePath(path);
    checkNotFlows(target);
    if (target !== "") await this.commitStaged(space, [], [target]);
  }

  /**
   * Moves or renames a file, or a directory with its content. A large directory is moved in several entries; each file is
   * always in exactly one of the two places.
   * @throws DomainError not_found, already_exists, invalid_argument
   */
  async move(actor: Pick<Actor, "tenant">, namespace: string, from: string, to: string): Promise<void> {
    const space = spaceOf(actor, namespace);
    const [source, target] = [normalizeFileName(from), normalizeFileName(to)];
    checkNotFlows(source);
    checkNotFlows(target);
    await this.#exclusively(space, async () => {
      const record = await this.#existing(space, source);
      if (source === target) return;
      await this.#checkMove(space, record, target);
      await this.#moveTree(space, record, target);
    });
  }

  /** Removes a file, or a directory with its content, and parent directories that become empty; `""` removes all. @throws DomainError invalid_argument */
  async delete(actor: Pick<Actor, "tenant">, namespace: string, path: string): Promise<void> {
    const { records, committer, blobs } = this.#deps;
    const space = spaceOf(actor, namespace);
    const target = normalizeFilePath(path);
    checkNotFlows(target);
    await this.#exclusively(space, async () => {
      const record = target === "" ? undefined : await records.get(space, target);
      if (target !== "" && record === undefined) return;
      const batch = new ChangeBatch(committer, blobs, ownerOf(space));
      if (!record?.content) {
        for await (const below of records.listBelow(space, target, { reverse: true })) {
          await batch.add([records.delete(space, below.path)], below.content);
        }
      }
      const emptied = await emptiedParents(records, space, target);
      const rest = record ? [target, ...emptied] : [];
      await batch.add(rest.map((each) => records.delete(space, each)), record?.content);
      await batch.flush();
      this.#deps.quotas?.removed(space.tenant, "fileBytes");
    });
  }

  /** All files and directories, ordered by path. @throws DomainError invalid_argument */
  listAll(actor: Pick<Actor, "tenant">, namespace: string): AsyncIterable<FileRecord> {
    return this.#deps.records.listBelow(spaceOf(actor, namespace), "");
  }

  /** The namespaces that have files, sorted. */
  async namespaces({ tenant }: Pick<Actor, "tenant">): Promise<string[]> {
    return await Array.fromAsync(this.#deps.records.namespaces(tenant));
  }

  async #openContent(
    space: FileSpace,
    record: FileRecord,
    content: { readonly blobId: string; readonly size: number },
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const stream = this.#deps.blobs.read(ownerOf(space), content);
    if (!this.#deps.blobs.isChunked(content)) return await this.#readSmall(space, record, stream);
    // The open stream keeps the content readable. It is the current one if the file still refers to it.
    const current = await this.#deps.records.get(space, record.path);
    if (current?.content?.blobId === content.blobId) return stream;
    await stream.cancel();
    return undefined;
  }

  /** Content of one chunk is deleted by the entry that replaces it, so it is read immediately. */
  async #readSmall(
    space: FileSpace,
    record: FileRecord,
    stream: ReadableStream<Uint8Array>,
  ): Promise<ReadableStream<Uint8Array> | undefined> {
    const [read] = await Promise.allSettled([new Response(stream).bytes()]);
    if (read.status === "fulfilled") return ReadableStream.from(read.value.length > 0 ? [read.value] : []);
    const current = await this.#deps.records.get(space, record.path);
    if (current?.content?.blobId === record.content?.blobId) throw read.reason;
    return undefined;
  }

  async #importFlow(space: FileSpace, source: AsyncIterable<Uint8Array>): Promise<void> {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    let size = 0;
    for await (const piece of source) {
      size += piece.length;
      if (size > MAX_FLOW_SOURCE_BYTES) {
        throw new DomainError(
          "too_large",
          `Cannot import the flow: it is larger than ${MAX_FLOW_SOURCE_BYTES} bytes`,
        );
      }
      pieces.push(new Uint8Array(piece));
    }
    await this.#deps.importFlow(space.tenant, space.namespace, await new Blob(pieces).text());
  }

  /** Refuses early, before the content is written, what {@link commitStaged} would refuse. */
  async #checkPlace(space: FileSpace, path: string): Promise<void> {
    const { records, clock } = this.#deps;
    if (await records.get(space, path)) throw notAFile(path);
    await missingParents(records, space, [path], clock.now());
  }

  async #checkMove(space: FileSpace, record: FileRecord, target: string): Promise<void> {
    const { records } = this.#deps;
    if (isWithin(target, record.path)) {
      throw illegalArgument(`cannot move directory ${JSON.stringify(record.path)} into itself`);
    }
    if (await records.get(space, target)) {
      throw new DomainError(
        "already_exists",
        `Cannot move to ${JSON.stringify(target)}: it exists; delete it first`,
      );
    }
    if (record.content) return;
    for await (const below of records.listBelow(space, record.path)) {
      normalizeFileName(target + below.path.slice(record.path.length));
    }
  }

  async #moveTree(space: FileSpace, record: FileRecord, target: string): Promise<void> {
    const { records, committer, blobs, clock } = this.#deps;
    const batch = new ChangeBatch(committer, blobs, ownerOf(space));
    const parents = await missingParents(records, space, [target], clock.now());
    const first = [...parents, { ...record, path: target }].map((each) => records.put(space, each));
    // The record of the old directory is deleted last, so that its content always has a parent.
    const last = records.delete(space, record.path);
    await batch.add(record.content ? [...first, last] : first);
    if (!record.content) {
      for await (const below of records.listBelow(space, record.path)) {
        const path = target + below.path.slice(record.path.length);
        await batch.add([records.put(space, { ...below, path }), records.delete(space, below.path)]);
      }
      await batch.add([last]);
    }
    await batch.flush();
  }

  async #existing(space: FileSpace, path: string): Promise<FileRecord> {
    const record = await this.#deps.records.get(space, path);
    if (record) return record;
    throw notFound(`No file ${JSON.stringify(`/${path}`)} in namespace "${space.namespace}"`);
  }

  async #exclusively(space: FileSpace, work: () => Promise<void>): Promise<void> {
    await this.#locks.run(`${space.tenant}/${space.namespace}`, work);
  }
}

/** The file space of a namespace. @throws DomainError invalid_argument */
export function spaceOf({ tenant }: Pick<Actor, "tenant">, namespace: string): FileSpace {
  return { tenant, namespace: checkNamespace(namespace) };
}

/** True for a flow in the folder of flows, false outside of it. @throws DomainError invalid_argument: another path in that folder */
export function isFlowFile(path: string): boolean {
  if (FLOW_FILE.test(path)) return true;
  checkNotFlows(path);
  return false;
}

/** Refuses the folder of flows and paths in it. @throws DomainError invalid_argument */
export function checkNotFlows(path: string): void {
  if (!isWithin(path, FLOWS_FOLDER)) return;
  throw new DomainError(
    "invalid_argument",
    `Forbidden path: ${JSON.stringify(path)}; only flows can be put into "${FLOWS_FOLDER}"`,
  );
}

/** Bytes of the files beyond those that they replace. */
function addedBytes(files: readonly StagedFile[], replaced: readonly FileRecord[]): number {
  const written = files.reduce((sum, { blob }) => sum + blob.size, 0);
  return written - replaced.reduce((sum, { content }) => sum + (content?.size ?? 0), 0);
}

function ownerOf({ tenant, namespace }: FileSpace) {
  return { tenant, owner: namespace };
}
