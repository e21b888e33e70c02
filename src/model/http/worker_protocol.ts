/** Messages between a server and its workers. All are JSON; the paths are below `/api/v1/worker`. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AttemptIdentity } from "../executions/attempt_identity.ts";
import type { AttemptOutcome } from "../executions/execution.ts";
import type { Metric } from "../executions/metric.ts";
import type { Label } from "../flows/label.ts";
import type { LogLevel } from "../flows/flow.ts";

/** How often a worker confirms that it runs its attempts. */
export const HEARTBEAT_MS = 5_000;
/** How often a worker without attempts says that it is there. */
export const IDLE_HEARTBEAT_MS = 10_000;
/** A worker ends its attempts when no heartbeat was confirmed for so long: before the server gives them to another one. */
export const UNCONFIRMED_MS = 20_000;
/** A worker that was silent for so long is gone. After a start of the server its workers have as much time to connect. */
export const SILENCE_MS = 30_000;
/** Log lines and JSON bytes of one report. */
export const MAX_REPORT_LINES = 1_000;
export const MAX_REPORT_BYTES = 128 * 1024;
/** Largest message of a worker. */
export const MAX_WORKER_MESSAGE_BYTES = 4 * 1024 * 1024;

/** A worker as it introduces itself. */
export interface WorkerHello {
  /** Random, new for each process, and after a worker has ended its attempts because they were not confirmed. */
  readonly id: string;
  /** For people, such as the name of its machine. */
  readonly name: string;
  readonly groups: readonly string[];
  /** Attempts that it runs at a time. */
  readonly concurrency: number;
  readonly version: string;
  /** The attempts that it runs. */
  readonly leases: readonly string[];
}

/** An attempt as a worker gets it. */
export interface LeasedAttempt extends AttemptIdentity {
  /** Random; whoever knows it and has a token for its group may report the attempt and read its files. */
  readonly lease: string;
  readonly type: string;
  /** Rendered. */
  readonly properties: JsonObject;
  readonly written: JsonObject;
  readonly labels: readonly Label[];
  readonly variables: JsonObject;
  /** Texts to mask in log lines. */
  readonly secrets: readonly string[];
  /** Storage URI of the folder of its files; ends with a slash. */
  readonly folder: string;
  /** Root of the directories of attempts on the server: paths below it are rendered into properties. */
  readonly serverRoot: string;
  /** Bytes of the largest file that the server takes; absent from older ones. */
  readonly maxFileBytes?: number;
}

/** Events that a server sends to a worker. */
export type WorkerEvent =
  /** The connection is open. `stop`: as in the response to a heartbeat. */
  | { readonly type: "welcome"; readonly stop: readonly string[] }
  | { readonly type: "attempt"; readonly attempt: LeasedAttempt }
  /** The worker must end the attempt and report its end. */
  | { readonly type: "stop"; readonly lease: string };

/** The response to a heartbeat: attempts that the worker must end; it reports the ends. */
export interface HeartbeatResponse {
  readonly stop: readonly string[];
}

/** A log line of a report. */
export type ReportedLine = readonly [level: LogLevel, message: string];

/** Log lines of an attempt. A report whose number is not above the last one is a repetition. */
export interface AttemptReport {
  /** From 1. */
  readonly seq: number;
  readonly lines: readonly ReportedLine[];
}

/** The end of an attempt, with what was not reported before. */
export interface AttemptEndReport extends AttemptReport, Pick<AttemptOutcome, "state"> {
  readonly outputs?: JsonObject;
  /** Why it failed; logged as an error. */
  readonly message?: string;
  readonly metrics: readonly Metric[];
  /** Names of its files, which were uploaded before. */
  readonly files: readonly string[];
}

/** A connected worker, for lists. */
export interface WorkerView {
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly version: string;
  readonly concurrency: number;
  /** Number of its attempts. */
  readonly attempts: number;
  readonly isConnected: boolean;
  readonly connectedAt: Instant;
  readonly lastSeenAt: Instant;
}

/** The member of an object that stands for an encrypted value: a worker has no key, so the server encrypts it. */
export function sealMark(lease: string): string {
  return `sluice-seal-${lease}`;
}
