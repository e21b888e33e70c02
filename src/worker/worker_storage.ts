/** Files of an attempt on a worker: written files stay on the worker until the attempt ends, others come from the server. */
import type { Clock } from "../base/time/clock.ts";
import type { IdSource } from "../base/id.ts";
import type { LeasedAttempt } from "../model/http/worker_protocol.ts";
import type { FileKeeper } from "../model/executions/attempt_identity.ts";
import { newFileName } from "../model/namespaces/new_file_name.ts";
import {
  type FilePart,
  limitedContent,
  type OpenedFile,
  partSize,
  type StoragePort,
  type WrittenFile,
} from "../model/ports/storage.ts";
import type { WorkingDirectoryPort } from "../model/ports/working_directories.ts";
import type { ServerApi } from "./server_api.ts";

interface WorkerStorageDeps {
  readonly api: ServerApi;
  readonly attempt: LeasedAttempt;
  readonly signal: AbortSignal;
  /** The attempt is given up: nothing is uploaded any more. */
  readonly abandoned: AbortSignal;
  readonly directories: WorkingDirectoryPort;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Bytes that are read at once. */
const PIECE_BYTES = 256 * 1024;

/** The storage port of one attempt. */
export class WorkerStorage implements StoragePort, AsyncDisposable {
  readonly #deps: WorkerStorageDeps;
  readonly #directoryName: string;
  #directory: string | undefined;
  /** Sizes of written files by name. */
  readonly #written = new Map<string, number>();
  /** Files that the server has. */
  readonly #uploaded = new Set<string>();

  constructor(deps: WorkerStorageDeps) {
    this.#deps = deps;
    this.#directoryName = `files-${deps.attempt.lease}`;
  }

  /** Names of the written files. */
  get names(): readonly string[] {
    return [...this.#written.keys()];
  }

  /** @inheritdoc */
  get maxFileBytes(): number {
    return this.#deps.attempt.maxFileBytes ?? Infinity;
  }

  /** @inheritdoc */
  async write(_: FileKeeper, name: string, content: AsyncIterable<Uint8Array>): Promise<WrittenFile> {
    const { ids, clock, attempt, directories } = this.#deps;
    const fileName = newFileName(ids.next(clock.now()), name);
    this.#directory ??= await directories.make(this.#directoryName);
    using file = await Deno.open(`${this.#directory}/${fileName}`, { createNew: true, write: true });
    let size = 0;
    for await (const chunk of limitedContent(content, this.maxFileBytes)) {
      await writeAll(file, chunk);
      size += chunk.length;
    }
    this.#written.set(fileName, size);
    return { uri: attempt.folder + encodeURIComponent(fileName), size };
  }

  /** @inheritdoc */
  async open(_: FileKeeper, uri: string, part?: FilePart): Promise<OpenedFile | undefined> {
    const { api, attempt, signal } = this.#deps;
    const own = this.#ownName(uri);
    if (own === undefined) {
      const range = part ? `&offset=${part.offset}&length=${part.length}` : "";
      return await api.file(attempt.lease, `/files?uri=${encodeURIComponent(uri)}${range}`, signal);
    }
    const size = partSize(this.#written.get(own) ?? 0, part);
    const path = `${this.#directory}/${own}`;
    if (!part) return { size, content: (await Deno.open(path)).readable };
    return { size, content: ReadableStream.from(piecesOf(path, part.offset, size)) };
  }

  /** @inheritdoc */
  async size(attempt: FileKeeper, uri: string): Promise<number | undefined> {
    const file = await this.open(attempt, uri);
    await file?.content.cancel();
    return file?.size;
  }

  /** @inheritdoc */
  delete(): Promise<boolean> {
    return Promise.reject(new Error("Cannot delete a file: the task runs on a worker"));
  }

  /** @inheritdoc */
  list(): Promise<string[]> {
    return Promise.reject(new Error("Cannot list the files of the execution: the task runs on a worker"));
  }

  /** Uploads what the server does not have. @throws ApiError */
  async upload(): Promise<void> {
    const { api, attempt, abandoned: signal } = this.#deps;
    for (const name of this.#written.keys()) {
      if (this.#uploaded.has(name)) continue;
      const { readable: content } = await Deno.open(`${this.#directory}/${name}`);
      await api.upload(attempt.lease, { name, content, signal });
      this.#uploaded.add(name);
    }
  }

  /** The server was started again and has lost the uploaded files. */
  forgetUploads(): void {
    this.#uploaded.clear();
  }

  /** Removes the files. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#directory !== undefined) await this.#deps.directories.remove(this.#directoryName);
  }

  #ownName(uri: string): string | undefined {
    const { folder } = this.#deps.attempt;
    const name = uri.startsWith(folder) ? decodeURIComponent(uri.slice(folder.length)) : "";
    return this.#written.has(name) ? name : undefined;
  }
}

/** Bytes of a file, which is opened when they are read: a stream may be cancelled before. */
async function* piecesOf(path: string, offset: number, size: number): AsyncGenerator<Uint8Array> {
  using file = await Deno.open(path);
  await file.seek(offset, Deno.SeekMode.Start);
  for (let left = size; left > 0;) {
    const piece = new Uint8Array(Math.min(left, PIECE_BYTES));
    const count = await file.read(piece);
    if (count === null) return;
    yield piece.subarray(0, count);
    left -= count;
  }
}

async function writeAll(file: Deno.FsFile, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length;) offset += await file.write(bytes.subarray(offset));
}
