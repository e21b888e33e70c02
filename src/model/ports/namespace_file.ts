/** Namespace files, as tasks read and change them. Paths are relative to the namespace, without a leading slash. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { OpenedFile } from "./storage.ts";

/** Changes take effect at once. The namespace is looked for in the tenant of the attempt. */
export interface NamespaceFilePort {
  /** Paths of all files of a namespace, in path order. @throws DomainError invalid_argument */
  list(attempt: AttemptIdentity, namespace: string): Promise<string[]>;
  /** Opens a file; `undefined` when there is none. @throws DomainError invalid_argument */
  open(attempt: AttemptIdentity, namespace: string, path: string): Promise<OpenedFile | undefined>;
  /** Creates or replaces a file, with the directories above it. @throws DomainError invalid_argument, too_large, storage_full, unavailable */
  write(
    attempt: AttemptIdentity,
    file: { readonly namespace: string; readonly path: string },
    content: AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** Deletes a file; with `withEmptyFolders` also the folders above it that are empty then. @throws DomainError invalid_argument */
  delete(
    attempt: AttemptIdentity,
    file: { readonly namespace: string; readonly path: string; readonly withEmptyFolders: boolean },
  ): Promise<void>;
}
