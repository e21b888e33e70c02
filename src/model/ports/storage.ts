/** Access of tasks to stored files of executions and namespaces. */
import { DomainError } from "../errors.ts";
import type { FileKeeper } from "../executions/attempt_identity.ts";

/** A written file. */
export interface WrittenFile {
  readonly uri: string;
  /** Bytes. */
  readonly size: number;
}

/** A part of a file of an execution, in bytes; what exceeds the end of the file is left out. */
export interface FilePart {
  readonly offset: number;
  readonly length: number;
}

/** An open file, or a part of one. The caller must read the content to the end or cancel it. */
export interface OpenedFile {
  /** Bytes of the content. */
  readonly size: number;
  readonly content: ReadableStream<Uint8Array>;
}

/**
 * `attempt` is the `RunContext`. Writes and deletes take effect atomically with the commit that ends the attempt. After an
 * error or a timeout the adapter must discard them.
 */
export interface StoragePort {
  /** Bytes of the largest file that {@link write} takes. */
  readonly maxFileBytes: number;
  /**
   * Streams a file into the folder of the task run. The name gets a unique id as prefix, so that no file is replaced; a
   * `name` that begins with a dot becomes the extension of the id. A piece of the content is not used any more when the next
   * one is asked for.
   * @throws DomainError too_large, storage_full, unavailable
   */
  write(attempt: FileKeeper, name: string, content: AsyncIterable<Uint8Array>): Promise<WrittenFile>;
  /**
   * Opens a file, or a part of it, by its storage URI; `undefined` if it does not exist. Allowed are namespace files and files of this execution,
   * its ancestors and its descendants.
   * @throws DomainError invalid_argument: no storage URI, or a part of a namespace file, which may change between two parts;
   * forbidden: file of an unrelated execution
   */
  open(attempt: FileKeeper, uri: string, part?: FilePart): Promise<OpenedFile | undefined>;
  /** Size in bytes; `undefined` if it does not exist. @throws as {@link open} */
  size(attempt: FileKeeper, uri: string): Promise<number | undefined>;
  /** Deletes a file of this execution or a namespace file; returns false if it does not exist. @throws as {@link open} */
  delete(attempt: FileKeeper, uri: string): Promise<boolean>;
  /** Storage URIs of the files of this execution. */
  list(attempt: FileKeeper): Promise<string[]>;
}

/** Bytes of a part of a file of `size` bytes; of all of it without a part. */
export function partSize(size: number, part: FilePart | undefined): number {
  return part ? Math.max(0, Math.min(part.length, size - part.offset)) : size;
}

/** The content of a file while it has at most that many bytes, or characters of texts. @throws DomainError too_large */
export async function* limitedContent<T extends Uint8Array | string>(
  content: AsyncIterable<T>,
  maxBytes: number,
): AsyncGenerator<T> {
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > maxBytes) throw tooLargeFile(maxBytes);
    yield piece;
  }
}

/** A file has more bytes than the storage takes. */
export function tooLargeFile(maxBytes: number): DomainError {
  return new DomainError(
    "too_large",
    `Cannot store the content: it is larger than ${maxBytes} bytes, the limit of --max-upload`,
  );
}
