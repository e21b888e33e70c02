/** What keeps a server from its work, for health checks, pages and logs. The reasons contain nothing secret. */
import type { Instant } from "../base/time/clock.ts";

/** What holds the data: a file of this machine, a server that speaks KV Connect, or the platform. */
export type DatabaseKind = "file" | "kv_connect" | "deno_deploy";

/** A fault of the disk that holds the database. */
export type DiskProblem = "disk_full" | "read_only" | "io_error";

/** A fault that lasts until its cause is gone. */
export interface ServerProblem {
  /** A short text for people, such as "the disk is full". */
  readonly reason: string;
  /** The first time it was seen. */
  readonly since: Instant;
  /** False while reads still work, true when the database cannot be read either. */
  readonly stopsReads: boolean;
}
