/** Backups of a database in a file: complete data directories that a server can use. */
import type { Instant } from "../base/time/clock.ts";

/** Who asked for a backup. The retention of backups removes scheduled ones only. */
export type BackupOrigin = "MANUAL" | "SCHEDULE";

/** A complete backup. */
export interface StoredBackup {
  /** Derived from the time, so that ids sort by it. */
  readonly id: string;
  readonly createdAt: Instant;
  readonly origin: BackupOrigin;
  /** Of all its files. */
  readonly bytes: number;
  /** False if the key of the data is an option of the server, and must be kept elsewhere. */
  readonly hasKey: boolean;
  /** Version of the program that made it. */
  readonly version: string;
}

/** A backup as listed: a complete one, the one under way, or the last one that failed. */
export interface Backup extends StoredBackup {
  readonly state: "RUNNING" | "SUCCESS" | "FAILED";
  /** Of one under way: bytes to copy; `bytes` are those copied. */
  readonly totalBytes?: number;
  /** Of one that failed: the reason, for people. */
  readonly error?: string;
}
