/** Files of namespaces: a tree of records in the store, with the contents of their revisions as blobs. */
import type { Clock } from "../../base/time/clock.ts";
import { KeyedLock } from "../../base/keyed_lock.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { QuotaHold } from "../../model/access/quota.ts";
import { DomainError, illegalArgument, notFound } from "../../model/errors.ts";
import {
  checkNotFlows,
  isWithin,
  normalizeFileName,
  normalizeFilePath,
} from "../../model/namespaces/file_path.ts";
import type { TenantId } from "../../model/flows/flow.ts";
import { checkNamespace } from "../../model/namespaces/namespace_name.ts";
import type { Blobs } from "../../store/blobs/blobs.ts";
import type { Committer } from "../../store/committer.ts";
import {
  type FileRecord,
  type FileRecords,
  type FileRevision,
  type FileSpace,
  revisionsOf,
} from "../../store/records/file_records.ts";
import { ANONYMOUS } from "../../model/access/user.ts";
import type { Quotas } from "../access/quotas.ts";
import { openContent, ownerOf, type StagedFile, stageFile } from "./file_contents.ts";
import { contentsOf, type RevisionChange, withoutRevisions, withRevision } from "./file_revisions.ts";
import { ChangeBatch, emptiedParents, missingParents, notADirectory, notAFile } from "./file_tree.ts";
import { isFlowFile, readFlowSource } from "./flow_files.ts";
import { PlannedWrites, type SaveOptions } from "./planned_writes.ts";

export type { FileRecord, FileRevision } from "../../store/records/file_records.ts";

interface FilesDeps {
  readonly records: FileRecords;
  readonly blobs: Blobs;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly maxUploadBytes: number;
  /** Revisions of a file that are kept, the present one included; from 1. */
  readonly fileRevisions: number;
  /** Saves a flow whose source was written into the folder of flows, with that namespace. */
  readonly importFlow: (tenant: TenantId, namespace: string, source: string) => Promise<void>;
  readonly quotas?: Quotas;
}

/** An open file; its content must be read to the end or cancelled. */
interface OpenFile {
  readonly record: FileRecord;
  readonly revision: FileRevision;
  readonly content: ReadableStream<Uint8Array>;
}

/** Who saves a file: a user, or an attempt of an execution. */
export interface FileWriter extends Pick<Actor, "tenant">, Partial<Pick<Actor, "user">> {
  readonly executionId?: string;
}

/** A file of a namespace, by a path as callers write it. */
interface FilePlace {
  readonly namespace: string;
  readonly path: string;
}

/** Attempts to open a file that is replaced meanwhile. */
const OPEN_ATTEMPTS = 5;

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

  /**
   * Opens a revision of a file, the present one by default; the content read is that of this moment, even if the file
   * changes meanwhile.
   * @throws DomainError not_found, invalid_argument
   */
  async open(
    actor: Pick<Actor, "tenant">,
    namespace: string,
    path: string,
    wanted?: number,
  ): Promise<OpenFile> {
    const space = spaceOf(actor, namespace);
    const target = fileNameIn(path);
    for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt++) {
      const record = await this.#existingFile(space, target);
      const revision = revisionIn(record, wanted ?? record.revision);
      const content = await openContent(this.#deps, { space, path: target, content: revision.content });
      if (content) return { record, revision, content };
    }
    throw new DomainError(
      "conflict",
      `Cannot read ${JSON.stringify(target)}: it kept changing while it was read; retry`,
    );
  }

  /** The revisions of a file that are kept, oldest first; the last is the present one. @throws DomainError not_found, invalid_argument */
  async revisions(
    actor: Pick<Actor, "tenant">,
    { namespace, path }: FilePlace,
  ): Promise<FileRevision[]> {
    return revisionsOf(await this.#existingFile(spaceOf(actor, namespace), fileNameIn(path)));
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
   * Creates a file or its next revision, and creates missing parent directories; readers see either the old or the new
   * content. The content of the present revision changes nothing. A flow in the folder of flows is saved as a flow instead.
   * @throws DomainError invalid_argument; too_large; precondition_failed; quota_exceeded, storage_full or unavailable:
   * nothing was changed
   */
  async write(
    writer: FileWriter,
    { namespace, path }: FilePlace,
    source: AsyncIterable<Uint8Array>,
    options: Pick<SaveOptions, "expected"> = {},
  ): Promise<void> {
    const space = spaceOf(writer, namespace);
    const target = normalizeFileName(path);
    if (isFlowFile(target)) {
      return await this.#deps.importFlow(space.tenant, space.namespace, await readFlowSource(source));
    }
    if ((await this.#deps.records.get(space, target))?.content === undefined) {
      await this.#checkPlace(space, target);
    }
    const { blobs, quotas, maxUploadBytes } = this.#deps;
    const stage = (maxBytes: number) => stageFile({ blobs, maxBytes }, { space, path: target, source });
    const staged =
      await (quotas ? quotas.bounded(space.tenant, maxUploadBytes, stage) : stage(maxUploadBytes));
    await this.commitStaged(space, [staged], { ...options, author: authorOf(writer) });
  }

  /** Commits staged contents under their paths, in one entry. @throws DomainError: none is stored */
  async commitStaged(
    space: FileSpace,
    files: readonly StagedFile[],
    { directories = [], ...options }: SaveOptions & { readonly directories?: readonly string[] } = {},
  ): Promise<void> {
    const { blobs, records, clock, quotas, fileRevisions: maxRevisions } = this.#deps;
    const paths = files.map((file) => file.path);
    await this.#exclusively(space, async () => {
      const plan = new PlannedWrites();
      let hold: QuotaHold | undefined;
      const build = async () => {
        const now = clock.now();
        const found = await records.getMany(space, paths);
        // A directory to create is passed as the parent of a path below it.
        const below = [...paths, ...directories.map((directory) => `${directory}/-`)];
        const created = await missingParents(records, space, below, now);
        for (const [index, file] of files.entries()) {
          plan.add(file, found[index], { now, maxRevisions, ...options });
        }
        hold = await quotas?.holdBytes(space.tenant, plan.addedBytes);
        return [
          ...[...created, ...plan.changed].map((record) => records.put(space, record)),
          ...plan.dropped.flatMap((content) => blobs.retire(ownerOf(space), content)),
        ];
      };
      let isStored = false;
      try {
        const staged = files.map(({ blob }) => blob);
        await blobs.commit(ownerOf(space), staged, build, (blob) => plan.isUsed(blob));
        isStored = true;
      } finally {
        hold?.end(isStored);
      }
      if (plan.dropped.length > 0) quotas?.removed(space.tenant, "fileBytes");
      for (const content of plan.dropped) await blobs.remove(ownerOf(space), content);
    });
  }

  /** Makes an earlier content the present one, as a new revision. @throws DomainError not_found, invalid_argument, quota_exceeded */
  async restore(writer: FileWriter, { namespace, path }: FilePlace, wanted: number): Promise<void> {
    const space = spaceOf(writer, namespace);
    const target = fileNameIn(path);
    await this.#exclusively(space, async () => {
      const record = await this.#existingFile(space, target);
      const { revision, content } = revisionIn(record, wanted);
      if (revision === record.revision) return;
      const { clock, quotas, fileRevisions: maxRevisions } = this.#deps;
      const author = authorOf(writer);
      const change = withRevision(record, { content, author, now: clock.now(), maxRevisions });
      const store = () => this.#commitChange(space, change);
      await (quotas ? quotas.within(space.tenant, "fileBytes", content.size, store) : store());
    });
  }

  /**
   * Drops the revisions that `isPurged` selects; `age` is 0 for the present one, 1 for that before. With the present one the
   * file is deleted. Returns the number of dropped revisions. @throws DomainError
   */
  async purge(
    actor: Pick<Actor, "tenant">,
    { namespace, path }: FilePlace,
    isPurged: (revision: FileRevision, age: number) => boolean,
  ): Promise<number> {
    const space = spaceOf(actor, namespace);
    return await this.#exclusively(space, async () => {
      const record = await this.#deps.records.get(space, fileNameIn(path));
      const revisions = record ? revisionsOf(record) : [];
      const purged = new Set(
        revisions.toReversed().filter(isPurged).map(({ revision }) => revision),
      );
      if (!record || purged.size === 0) return 0;
      if (purged.has(record.revision)) {
        await this.#deleteTree(space, record.path);
        return revisions.length;
      }
      await this.#commitChange(space, withoutRevisions(record, ({ revision }) => purged.has(revision)));
      return purged.size;
    });
  }

  /** Creates a directory and its parents; an existing one is no error. @throws DomainError invalid_argument */
  async createDirectory(actor: Pick<Actor, "tenant">, namespace: string, path: string): Promise<void> {
    const space = spaceOf(actor, namespace);
    const target = normalizeFilePath(path);
    checkNotFlows(target);
    if (target !== "") await this.commitStaged(space, [], { directories: [target] });
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

  /**
   * Removes a file with its revisions, or a directory with its content, and parent directories that become empty; `""`
   * removes all. @throws DomainError invalid_argument
   */
  async delete(actor: Pick<Actor, "tenant">, namespace: string, path: string): Promise<void> {
    const space = spaceOf(actor, namespace);
    const target = normalizeFilePath(path);
    checkNotFlows(target);
    await this.#exclusively(space, () => this.#deleteTree(space, target));
  }

  /** All files and directories, ordered by path. @throws DomainError invalid_argument */
  listAll(actor: Pick<Actor, "tenant">, namespace: string): AsyncIterable<FileRecord> {
    return this.#deps.records.listBelow(spaceOf(actor, namespace), "");
  }

  /** The namespaces that have files, sorted. */
  async namespaces({ tenant }: Pick<Actor, "tenant">): Promise<string[]> {
    return await Array.fromAsync(this.#deps.records.namespaces(tenant));
  }

  /** Resolves once the changes of files of a namespace that run or wait now have ended. */
  settled(tenant: TenantId, namespace: string): Promise<void> {
    return this.#locks.settled(`${tenant}/${namespace}`);
  }

  async #deleteTree(space: FileSpace, target: string): Promise<void> {
    const { records, committer, blobs, quotas } = this.#deps;
    const record = target === "" ? undefined : await records.get(space, target);
    if (target !== "" && record === undefined) return;
    const batch = new ChangeBatch(committer, blobs, ownerOf(space));
    if (!record?.content) {
      for await (const below of records.listBelow(space, target, { reverse: true })) {
        await batch.add([records.delete(space, below.path)], contentsOf(below));
      }
    }
    const emptied = await emptiedParents(records, space, target);
    const rest = record ? [target, ...emptied] : [];
    await batch.add(rest.map((each) => records.delete(space, each)), record && contentsOf(record));
    await batch.flush();
    quotas?.removed(space.tenant, "fileBytes");
  }

  async #commitChange(space: FileSpace, { record, dropped }: RevisionChange): Promise<void> {
    const { records, committer, blobs, quotas } = this.#deps;
    const batch = new ChangeBatch(committer, blobs, ownerOf(space));
    await batch.add([records.put(space, record)], dropped);
    await batch.flush();
    if (dropped.length > 0) quotas?.removed(space.tenant, "fileBytes");
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

  /** @throws DomainError not_found; invalid_argument: a directory */
  async #existingFile(space: FileSpace, path: string): Promise<FileRecord> {
    const record = await this.#existing(space, path);
    if (!record.content) throw notAFile(path);
    return record;
  }

  #exclusively<Result>(space: FileSpace, work: () => Promise<Result>): Promise<Result> {
    return this.#locks.run(`${space.tenant}/${space.namespace}`, work);
  }
}

/** The file space of a namespace. @throws DomainError invalid_argument */
export function spaceOf({ tenant }: Pick<Actor, "tenant">, namespace: string): FileSpace {
  return { tenant, namespace: checkNamespace(namespace) };
}

/** How a revision names who saved it; `undefined` if the server requires no credentials. */
export function authorOf({ user, executionId }: FileWriter): string | undefined {
  // No name of a user contains a colon.
  if (executionId !== undefined) return `execution:${executionId}`;
  return user === ANONYMOUS ? undefined : user;
}

/** The canonical path of a file outside of the folder of flows. @throws DomainError invalid_argument */
function fileNameIn(path: string): string {
  const name = normalizeFileName(path);
  checkNotFlows(name);
  return name;
}

/** @throws DomainError not_found */
function revisionIn(record: FileRecord, wanted: number): FileRevision {
  const found = revisionsOf(record).find(({ revision }) => revision === wanted);
  if (found) return found;
  throw notFound(`File ${JSON.stringify(`/${record.path}`)} has no revision ${wanted}`);
}
