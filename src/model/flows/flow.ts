/** Flows: the parsed document of one revision and its typed view. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { InheritedDefaults } from "./inherited_defaults.ts";
import type { Label } from "./label.ts";

/** Id of a tenant. */
export type TenantId = string;

/** The tenant of requests without a tenant. */
export const MAIN_TENANT: TenantId = "main";

/** Type prefixes that flows may use; the rest of a type is its canonical name, for example `core.log.Log`. */
export const TYPE_PREFIXES = ["io.svc.plugin.", "io.kestra.plugin."] as const;

/** Prefixes of legacy types; the rest is an alias in the catalogs: `core.tasks.log.Log`. */
export const OLD_TYPE_PREFIXES = ["io.svc.", "io.kestra."] as const;

/** The name of a type in the catalogs: without one of our prefixes, else unchanged. */
export function canonicalType(type: string): string {
  const prefix = [...TYPE_PREFIXES, ...OLD_TYPE_PREFIXES].find((candidate) => type.startsWith(candidate));
  return prefix ? type.slice(prefix.length) : type;
}

/** An entry of `tasks:`. */
export interface Task {
  readonly id: string;
  /** As written, with its prefix. */
  readonly type: string;
  /** Name in the task catalog, without prefix and alias. */
  readonly kind: string;
  /** All members as submitted, including the common ones. */
  readonly properties: JsonObject;
  readonly disabled: boolean;
  readonly allowFailure: boolean;
  readonly allowWarning: boolean;
  /** Template; absent means true. */
  readonly runIf?: string;
  /** Position of the listener that contains the task: each listener runs on its own. */
  readonly listener?: number;
  /** Trigger conditions of that listener; only its first task has them. */
  readonly conditions?: readonly JsonObject[];
  readonly logLevel?: LogLevel;
  /** Also provides the log of each attempt as a file of the execution. */
  readonly logToFile?: boolean;
  /** Workers that run it; absent: those of the flow. */
  readonly workerGroup?: WorkerGroup;
  /** A duration or a template of one. */
  readonly timeout?: string;
  readonly retry?: RetryPolicy;
  /** Nested tasks by property name; branches of a Switch as `cases.<name>`. */
  readonly blocks: ReadonlyMap<string, readonly Task[]>;
  /** Ids of tasks of the same Dag that must end first. */
  readonly dependsOn?: readonly string[];
  /** Outputs of each pass of a Loop. */
  readonly passOutputs?: readonly Output[];
}

/** The workers that a task runs on, and what happens while none of them is connected. */
export interface WorkerGroup {
  /** Name of the group or a template of it. */
  readonly key: string;
  readonly fallback: typeof WORKER_FALLBACKS[number];
}

/** What happens while no worker of a group is connected: the task waits, fails, or ends CANCELLED. */
export const WORKER_FALLBACKS = ["WAIT", "FAIL", "CANCEL"] as const;

/** How failed attempts are retried. Times in milliseconds. */
export interface RetryPolicy {
  readonly type: "constant" | "exponential" | "random";
  /** Total number of attempts, including the first. */
  readonly maxAttempts?: number;
  /** From the start of the first attempt; no retry starts later. */
  readonly maxDurationMs?: number;
  readonly intervalMs: number;
  /** Upper limit of an exponential or random interval. */
  readonly maxIntervalMs?: number;
  readonly delayFactor: number;
  readonly warningOnRetry: boolean;
  readonly behavior: "RETRY_FAILED_TASK" | "CREATE_NEW_EXECUTION";
}

/** Maximum number of concurrent executions of a flow, and what happens to further ones. */
export interface ConcurrencyLimit {
  readonly limit: number;
  readonly behavior: "QUEUE" | "CANCEL" | "FAIL";
}

/** A service level agreement of an execution, and what happens on a breach. */
export interface Sla {
  readonly id: string;
  readonly type: "MAX_DURATION" | "EXECUTION_ASSERTION";
  readonly behavior: "FAIL" | "CANCEL" | "NONE";
  readonly labels: readonly Label[];
  /** For `MAX_DURATION`. */
  readonly durationMs?: number;
  /** Template, for `EXECUTION_ASSERTION`. */
  readonly assertion?: string;
}

/** Log levels, least severe first. The order is stored: append only. */
export const LOG_LEVELS = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"] as const;

/** Level of a log line of an execution. */
export type LogLevel = typeof LOG_LEVELS[number];

/** A declared input. */
export interface Input {
  readonly id: string;
  /** As written, for example `STRING`. */
  readonly type: string;
  readonly required: boolean;
  /** Default value or template. */
  readonly defaults?: JsonValue;
  /** All members as submitted. */
  readonly properties: JsonObject;
}

/** A declared output of the flow. */
export interface Output {
  readonly id: string;
  readonly type?: string;
  readonly value: JsonValue;
  readonly required: boolean;
}

/** An entry of `triggers:`. */
export interface Trigger {
  readonly id: string;
  readonly type: string;
  readonly kind: string;
  readonly disabled: boolean;
  readonly properties: JsonObject;
}

/** One saved revision, parsed. Immutable. */
export interface Flow {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly id: string;
  readonly revision: number;
  /** Unique number of the flow id, never reused; identifies the flow in compact records. */
  readonly flowNo: number;
  readonly disabled: boolean;
  readonly deleted: boolean;
  readonly labels: readonly Label[];
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly variables: JsonObject;
  /** Applied when the flow was built; absent if it inherits nothing. */
  readonly inherited?: InheritedDefaults;
  readonly tasks: readonly Task[];
  readonly errors: readonly Task[];
  readonly finally: readonly Task[];
  readonly afterExecution: readonly Task[];
  readonly retry?: RetryPolicy;
  readonly concurrency?: ConcurrencyLimit;
  readonly workerGroup?: WorkerGroup;
  readonly sla: readonly Sla[];
  readonly triggers: readonly Trigger[];
  /** The parsed document as submitted; responses are built from it. */
  readonly definition: JsonObject;
  /** The submitted text, unchanged. */
  readonly source: string;
}

/** Identifies a flow within its tenant. */
export interface FlowKey {
  readonly namespace: string;
  readonly id: string;
}

/** Identifies a trigger within its tenant. */
export interface TriggerKey {
  readonly namespace: string;
  readonly flowId: string;
  readonly triggerId: string;
}
