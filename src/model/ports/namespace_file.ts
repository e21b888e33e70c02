/** Access of tasks to namespace files. Paths are relative to the namespace, without a leading slash. */
import type { Instant } from "../../base/time/clock.ts";
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { OpenedFile } from "./storage.ts";

/** A revision of a file. */
interface FileVersion {
  readonly savedAt: Instant;
  /** 0 for the present revision, 1 for that before. */
  readonly age: number;
}

/** Selects the revisions to purge. */
export interface FilePurge {
  readonly namespaces: (namespace: string) => boolean;
  readonly paths: (path: string) => boolean;
  /** With the present revision the file is deleted. */
  readonly isPurged: (version: FileVersion) => boolean;
}

/** Limited to the tenant of the attempt. Changes are durable when a method returns, not with the end of the attempt. */
export interface NamespaceFilePort {
  /** Sorted paths of all files of a namespace. @throws DomainError invalid_argument */
  list(attempt: AttemptIdentity, namespace: string): Promise<string[]>;
  /** Opens a file; `undefined` if it does not exist. @throws DomainError invalid_argument */
  open(attempt: AttemptIdentity, namespace: string, path: string): Promise<OpenedFile | undefined>;
  /** Creates a file or its next revision, and creates missing directories. @throws DomainError invalid_argument, too_large, storage_full, unavailable */
  write(
    attempt: AttemptIdentity,
    file: { readonly namespace: string; readonly path: string },
    content: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** Deletes a file; `withEmptyFolders` also deletes parent folders that become empty. @throws DomainError invalid_argument */
  delete(
    attempt: AttemptIdentity,
    file: { readonly namespace: string; readonly path: string; readonly withEmptyFolders: boolean },
  ): Promise<void>;
  /** Deletes the selected revisions of files; returns their number. Stops when the signal aborts. */
  purge(attempt: AttemptIdentity & { readonly signal: AbortSignal }, purge: FilePurge): Promise<number>;
}
