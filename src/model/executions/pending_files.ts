/** Changes of files that wait for a commit: of the attempt, or of the request, that made them. */

/** A change of one key of the store, as its mutations are. */
type FileChange =
  | { readonly type: "set"; readonly key: FileKey; readonly value: Uint8Array }
  | { readonly type: "delete"; readonly key: FileKey };

/** A key of the store. */
type FileKey = readonly (Uint8Array | string | number | bigint | boolean)[];

/** Files that were written or deleted; both take effect with the commit that carries the changes, or not at all. */
export interface PendingFiles {
  /** Bytes that the changes have in all. */
  readonly byteCount: number;
  /** What the commit must carry. Nothing can be added from now on; may be called again. */
  take(): readonly FileChange[];
  /** The commit is durable. Resolves once what it let go of is removed; never rejects. */
  committed(): Promise<void>;
  /** There will be no such commit: what was written is removed, now or at the next boot. Never rejects. */
  discard(): Promise<void>;
}
