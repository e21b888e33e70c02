/** Files that tasks of a flow keep between its executions. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** A file to keep. */
export interface CachedFile {
  /** Relative. */
  readonly name: string;
  /** Its content, opened when its turn comes. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** One set of files for each task of a flow. */
export interface FlowCachePort {
  /** True when there is one that is younger than `ttlMs`, or of any age without it. */
  isFresh(attempt: AttemptIdentity, ttlMs?: number): Promise<boolean>;
  /** Hands the files to `put`, one after the other. @throws DomainError invalid_argument: they cannot be unpacked */
  restore(
    attempt: AttemptIdentity,
    put: (name: string, content: ReadableStream<Uint8Array>) => Promise<void>,
  ): Promise<void>;
  /** Keeps these files instead of those before. @throws DomainError too_large, storage_full, unavailable */
  save(attempt: AttemptIdentity, files: AsyncIterable<CachedFile>): Promise<void>;
}
