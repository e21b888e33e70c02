/** Files that a task keeps between the executions of its flow. */
import type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** A file to save. */
export interface CachedFile {
  /** Relative path. */
  readonly name: string;
  /** Opens the content; called once, when the file is read. */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/** One set of files per task of a flow. The adapter must replace a set atomically: a reader sees the old or the new one. */
export interface FlowCachePort {
  /** True if a set exists that is younger than `ttlMs`; without `ttlMs` of any age. */
  isFresh(attempt: AttemptIdentity, ttlMs?: number): Promise<boolean>;
  /** Passes the files to `put`, one at a time. @throws DomainError invalid_argument: the set cannot be unpacked */
  restore(
    attempt: AttemptIdentity,
    put: (name: string, content: ReadableStream<Uint8Array>) => Promise<void>,
  ): Promise<void>;
  /** Replaces the set. @throws DomainError too_large, storage_full, unavailable */
  save(attempt: AttemptIdentity, files: AsyncIterable<CachedFile>): Promise<void>;
}
