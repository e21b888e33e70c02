/** Local working directories of tasks. A name always has the same path. */
import type { Instant } from "../../base/time/clock.ts";
import type { TenantId } from "../flows/flow.ts";

/** Request for a directory that attempts share. */
export interface SharedDirectoryRequest {
  /** Identifies the content: attempts with the same key share the directory. */
  readonly key: string;
  readonly now: Instant;
  /** Aborts the wait while another attempt fills the directory. */
  readonly signal: AbortSignal;
  /** Fills the empty directory. On false it is removed, and the next attempt fills it again. */
  fill(path: string): Promise<boolean>;
}

/** A shared directory in use. The caller must not change its content. */
export interface SharedDirectory {
  readonly path: string;
  /** Ends the use. Idempotent. */
  release(): void;
}

/** The adapter must confine all directories to its own root and remove leftovers of a crash before the first use. */
export interface WorkingDirectoryPort {
  /** Absolute path of the directory of that name, which need not exist. */
  pathOf(name: string): string;
  /** Creates an empty directory, removing an existing one; returns its path. */
  make(name: string): Promise<string>;
  /** Removes it recursively; does nothing if it does not exist. */
  remove(name: string): Promise<void>;
  /** Removes a file, a link (not its target) or a folder below a directory, if it exists. */
  removePath(path: string): Promise<void>;
  /**
   * Waits until no script runs in the directory of that path. Files are read and written only then: a script could exchange
   * them for links. A task that was stopped may still have a script when the next one begins.
   */
  whenFree(path: string): Promise<void>;
  /** Removes it in the background. */
  discard(name: string): void;
  /**
   * Absolute path of a directory for what scripts of a tenant fetch and use again. They may change it, and no other tenant is
   * given its path, so the server does not rely on its content. It may be emptied at any start.
   */
  cacheOf(tenant: TenantId): Promise<string>;
  /** A filled directory, filled at most once at a time per key; `undefined` if that failed or the wait was aborted. */
  share(request: SharedDirectoryRequest): Promise<SharedDirectory | undefined>;
}
