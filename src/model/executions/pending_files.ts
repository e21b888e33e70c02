/** File changes of an attempt or a request that wait for its commit. */

/** A mutation of the store. */
type FileChange =
  | { readonly type: "set"; readonly key: FileKey; readonly value: Uint8Array }
  | { readonly type: "delete"; readonly key: FileKey };

/** A key of the store. */
type FileKey = readonly (Uint8Array | string | number | bigint | boolean)[];

/** Written and deleted files. All changes take effect with the commit that carries them, or none does. */
export interface PendingFiles {
  /** Total size of the mutations in bytes. */
  readonly byteCount: number;
  /** The mutations for the commit. Closes the list; may be called again. */
  take(): readonly FileChange[];
  /** To be called when the commit is durable. Resolves when replaced and deleted contents are removed; never rejects. */
  committed(): Promise<void>;
  /** To be called if there will be no commit: removes written contents, now or at the next boot. Never rejects. */
  discard(): Promise<void>;
}
