/** Files of executions and namespaces, as tasks read and write them. */
import type { FileKeeper } from "../executions/attempt_identity.ts";

/** A file that was written. */
export interface WrittenFile {
  readonly uri: string;
  /** Bytes. */
  readonly size: number;
}

/** An open file. Its content must be read to the end or cancelled. */
export interface OpenedFile {
  /** Bytes. */
  readonly size: number;
  readonly content: ReadableStream<Uint8Array>;
}

/**
 * The first argument is the `RunContext` of the attempt. What an attempt writes and deletes takes effect with the commit
 * that ends it, unless it ends by an error or its time-out: then nothing of it remains.
 */
export interface StoragePort {
  /**
   * Stores a file of the execution as it arrives, below the folder of the task run. Its name gets an id in front, so that
   * none ever takes the place of another; a `name` that begins with a dot becomes the ending of the id.
   * @throws DomainError too_large, storage_full, unavailable
   */
  write(attempt: FileKeeper, name: string, content: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /**
   * Opens a file by its storage URI; `undefined` when there is none. Namespace files, files of this execution, and those of
   * executions that have started it or that it has started.
   * @throws DomainError invalid_argument: not such a URI; forbidden: a file of an execution that this one has nothing to do with
   */
  open(attempt: FileKeeper, uri: string): Promise<OpenedFile | undefined>;
  /** Bytes of a file; `undefined` when there is none. @throws as {@link open} */
  size(attempt: FileKeeper, uri: string): Promise<number | undefined>;
  /** Deletes a file of this execution, or a namespace file; false when there is none. @throws as {@link open} */
  delete(attempt: FileKeeper, uri: string): Promise<boolean>;
  /** Storage URIs of the files of this execution. */
  list(attempt: FileKeeper): Promise<string[]>;
}
