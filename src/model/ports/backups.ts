/** Where backups are made and kept. */
import type { Instant } from "../../base/time/clock.ts";
import type { BackupOrigin, StoredBackup } from "../backup.ts";

/** A backup to make. */
export interface BackupRequest {
  readonly createdAt: Instant;
  readonly origin: BackupOrigin;
  /** Ends the work; nothing of it is left. */
  readonly signal: AbortSignal;
  /** Called now and then with the bytes that were copied, and those of the whole. */
  readonly progress: (bytes: number, totalBytes: number) => void;
}

/** A backup as one file. */
export interface BackupDownload {
  readonly fileName: string;
  readonly bytes: number;
  /** Must be read to its end or cancelled. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Makes and keeps backups. What is listed is complete: a backup appears when it is durable. */
export interface BackupPort {
  /** The id of a backup of that time. */
  idOf(createdAt: Instant): string;
  /** Bytes that a backup takes now. @throws DomainError storage_full: there is not enough room for it */
  check(): Promise<number>;
  /** Makes a backup. @throws DomainError storage_full; Error: the reason, for people. Nothing is left of it then */
  create(request: BackupRequest): Promise<StoredBackup>;
  /** The complete ones, newest first. */
  list(): Promise<StoredBackup[]>;
  /** A complete one, without reading the others. */
  find(id: string): Promise<StoredBackup | undefined>;
  /** `undefined` if there is no such backup. */
  open(id: string): Promise<BackupDownload | undefined>;
  /** False if there is no such backup. */
  remove(id: string): Promise<boolean>;
  /** Removes what backups left that were interrupted by the end of their process; not one that another process makes. */
  removeUnfinished(): Promise<void>;
}
