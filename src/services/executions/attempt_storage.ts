/** Files of executions as attempts read and write them: their paths, and which executions an attempt may read. */
import type { Clock } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import type { AttemptFiles, FileKeeper } from "../../model/executions/attempt_identity.ts";
import { DomainError, illegalArgument, undefinedIfMissing } from "../../model/errors.ts";
import { isNewFileName, newFileName } from "../../model/namespaces/new_file_name.ts";
import {
  type FilePart,
  type OpenedFile,
  partSize,
  type StoragePort,
  type WrittenFile,
} from "../../model/ports/storage.ts";
import { parseStorageUri, type StoredPlace } from "../../model/namespaces/storage_uri.ts";
import { type ExecutionFiles, executionFileUri, type StoredFile } from "../../store/blobs/execution_files.ts";
import type { FileBatch } from "../../store/blobs/file_batch.ts";
import type { ExecutionContents } from "./execution_contents.ts";
import type { ExecutionLineage } from "./execution_lineage.ts";
import type { Files } from "../files/files.ts";

interface AttemptStorageDeps {
  readonly files: ExecutionFiles;
  readonly contents: ExecutionContents;
  readonly namespaceFiles: Files;
  readonly lineage: ExecutionLineage;
  readonly clock: Clock;
  readonly ids: IdSource;
}

type ExecutionPlace = Extract<StoredPlace, { readonly kind: "execution file" }>;

/** The storage port of tasks. */
export class AttemptStorage implements StoragePort {
  readonly #deps: AttemptStorageDeps;
  readonly #batches = new WeakMap<AttemptFiles, FileBatch>();

  constructor(deps: AttemptStorageDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  get maxFileBytes(): number {
    return this.#deps.files.maxFileBytes;
  }

  /** @inheritdoc */
  async write(
    attempt: FileKeeper,
    name: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<WrittenFile> {
    const id = this.#deps.ids.next(this.#deps.clock.now());
    const path = attemptFolder(attempt) + newFileName(id, name);
    const size = await this.#batchOf(attempt).add(path, content);
    return { uri: uriOf(attempt, path), size };
  }

  /** Writes a file under a name that {@link newFileName} gave. @throws DomainError invalid_argument: another name; others as {@link write} */
  async put(attempt: FileKeeper, name: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    if (!isNewFileName(name)) throw illegalArgument(`"${name.slice(0, 80)}" is not the name of a new file`);
    return await this.#batchOf(attempt).add(attemptFolder(attempt) + name, content);
  }

  /** Storage URI of the folder of the attempt's files; ends with a slash. */
  folderOf(attempt: FileKeeper): string {
    return uriOf(attempt, attemptFolder(attempt));
  }

  /** @inheritdoc */
  async open(attempt: FileKeeper, uri: string, part?: FilePart): Promise<OpenedFile | undefined> {
    const place = await this.#readable(attempt, uri);
    if (place.kind === "namespace file") {
      if (part) throw illegalArgument(`"${uri}" is a namespace file, which cannot be read in parts`);
      const opened = await undefinedIfMissing(() =>
        this.#deps.namespaceFiles.open(attempt, place.namespace, place.path)
      );
      return opened && { size: opened.record.content?.size ?? 0, content: opened.content };
    }
    const file = await this.#find(attempt, place);
    return file && { size: partSize(file.size, part), content: file.open(part) };
  }

  /** @inheritdoc */
  async size(attempt: FileKeeper, uri: string): Promise<number | undefined> {
    const place = await this.#readable(attempt, uri);
    if (place.kind === "namespace file") {
      const { namespace, path } = place;
      const found = await undefinedIfMissing(() => this.#deps.namespaceFiles.stat(attempt, namespace, path));
      return found?.content?.size;
    }
    return (await this.#find(attempt, place))?.size;
  }

  /** @inheritdoc */
  async delete(attempt: FileKeeper, uri: string): Promise<boolean> {
    const place = parseStorageUri(uri);
    if (place.kind === "namespace file") {
      const isThere = await this.size(attempt, uri) !== undefined;
      if (isThere) await this.#deps.namespaceFiles.delete(attempt, place.namespace, place.path);
      return isThere;
    }
    if (place.executionId === attempt.executionId) return await this.#batchOf(attempt).delete(place.path);
    throw new DomainError("forbidden", `Cannot delete "${uri}": the file belongs to another execution`);
  }

  /** @inheritdoc */
  async list(attempt: FileKeeper): Promise<string[]> {
    const uris: string[] = [];
    for await (const path of this.#deps.files.list(attempt.tenant, attempt.executionId)) {
      uris.push(uriOf(attempt, path));
    }
    return uris;
  }

  /** A file as the attempt itself has written it, else as stored. */
  async #find(attempt: FileKeeper, { executionId, path }: ExecutionPlace): Promise<StoredFile | undefined> {
    const isUnderWay = executionId === attempt.executionId;
    const own = isUnderWay ? this.#batches.get(attempt.files)?.find(path) : undefined;
    if (own !== undefined) return own ?? undefined;
    return await this.#deps.contents.file(attempt.tenant, { executionId, path, isUnderWay });
  }

  async #readable(attempt: FileKeeper, uri: string): Promise<StoredPlace> {
    const place = parseStorageUri(uri);
    const { tenant, executionId } = attempt;
    const isReadable = place.kind === "namespace file" ||
      await this.#deps.lineage.areRelated(tenant, executionId, place.executionId);
    if (isReadable) return place;
    throw new DomainError(
      "forbidden",
      `Cannot read "${uri}": it is a file of an execution that neither started this one nor was started by it`,
    );
  }

  #batchOf(attempt: FileKeeper): FileBatch {
    const { tenant, executionId, files } = attempt;
    if (files.isOver) throw new DomainError("conflict", "Cannot change a file: the attempt has ended");
    let batch = this.#batches.get(files);
    if (!batch) {
      const batchId = this.#deps.ids.next(this.#deps.clock.now());
      batch = this.#deps.files.batch({ tenant, executionId, folder: attemptFolder(attempt), batchId });
      this.#batches.set(files, batch);
      files.pending = batch;
    }
    return batch;
  }
}

/** Folder below an execution, by default `tasks/<task>/<task run>/`; the task in lower case with hyphens. */
function attemptFolder({ taskId, taskRunId, folder }: FileKeeper): string {
  return folder ?? `tasks/${taskId.toLowerCase().replaceAll("_", "-")}/${taskRunId}/`;
}

function uriOf({ namespace, flowId, executionId }: FileKeeper, path: string): string {
  const encoded = path.split("/").map(encodeURIComponent).join("/");
  return executionFileUri({ namespace, id: flowId }, executionId, encoded);
}
