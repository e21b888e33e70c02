/** Access of tasks to namespace files. Paths are relative to the namespace, without a leading slash. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { OpenedFile } from "./storage.ts";

/** Selects the files to purge. */
export interface FilePurge {
  readonly namespaces: (namespace: string) => boolean;
  readonly paths: (path: string) => boolean;
}

/** Limited to the tenant of the attempt. Changes are durable when a method returns, not with the end of the attempt. */
export interface NamespaceFilePort {
  /** Sorted paths of all files of a namespace. @throws DomainError invalid_argument */
  list(attempt: AttemptIdentity, namespace: string): Promise<string[]>;
  /** Opens a file; `undefined` if it does not exist. @throws DomainError invalid_argument */
  open(attempt: AttemptIdentity, namespace: string, path: string): Promise<OpenedFile | undefined>;
  /** Creates or replaces a file and creates missing directories. @throws DomainError invalid_argument, too_large, storage_full, unavailable */
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
  /** Deletes the matching files of all matching namespaces; returns their number. Stops when the signal aborts. */
  purge(attempt: AttemptIdentity & { readonly signal: AbortSignal }, purge: FilePurge): Promise<number>;
}
