/** Flows as declared: the parsed document of one revision and the typed view of it. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Label } from "./label.ts";

/** A tenant's id; `main` when none is named. */
export type TenantId = string;

/** The tenant of requests that name none. */
export const MAIN_TENANT: TenantId = "main";

/** Type prefixes that flows may use; the rest of a type is its canonical name, for example `core.log.Log`. */
export const TYPE_PREFIXES = ["io.svc.plugin.", "io.kestra.plugin."] as const;

/** Prefixes of types from before plugins; what follows is an alias in the catalogs: `core.tasks.log.Log`. */
export const OLD_TYPE_PREFIXES = ["io.svc.", "io.kestra."] as const;

/** The name of a type as catalogs know it, canonical or an alias: without its prefix, or as it is when it has none of ours. */
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
  /** All members as submitted, the common ones included. */
  readonly properties: JsonObject;
  readonly disabled: boolean;
  readonly allowFailure: boolean;
  readonly allowWarning: boolean;
  /** Template; absent means true. */
  readonly runIf?: string;
  /** Conditions of triggers that must hold too: those of the listener that it belongs to. */
  readonly conditions?: readonly JsonObject[];
  readonly logLevel?: LogLevel;
  /** The log of each attempt is a file of the execution, too. */
  readonly logToFile?: boolean;
  /** Text of a duration, or a template of one. */
  readonly timeout?: string;
  readonly retry?: RetryPolicy;
  /** Nested tasks by name of their property; branches of a Switch as `cases.<name>`. */
  readonly blocks: ReadonlyMap<string, readonly Task[]>;
  /** Ids of the tasks of a Dag that come first. */
  readonly dependsOn?: readonly string[];
  /** Outputs of each pass of a Loop. */
  readonly passOutputs?: readonly Output[];
}

/** How a failed attempt is tried again. Times in milliseconds. */
export interface RetryPolicy {
  readonly type: "constant" | "exponential" | "random";
  /** Attempts in all, the first included. */
  readonly maxAttempts?: number;
  /** From the start of the first attempt: a retry that would begin later is not made. */
  readonly maxDurationMs?: number;
  readonly intervalMs: number;
  /** Most that an exponential interval grows to; the upper end of a random one. */
  readonly maxIntervalMs?: number;
  readonly delayFactor: number;
  readonly warningOnRetry: boolean;
  readonly behavior: "RETRY_FAILED_TASK" | "CREATE_NEW_EXECUTION";
}

/** How many executions of a flow may run at a time, and what happens to the others. */
export interface ConcurrencyLimit {
  readonly limit: number;
  readonly behavior: "QUEUE" | "CANCEL" | "FAIL";
}

/** A promise about an execution, and what happens when it is broken. */
export interface Sla {
  readonly id: string;
  readonly type: "MAX_DURATION" | "EXECUTION_ASSERTION";
  readonly behavior: "FAIL" | "CANCEL" | "NONE";
  readonly labels: readonly Label[];
  /** Of a `MAX_DURATION`. */
  readonly durationMs?: number;
  /** Template of an `EXECUTION_ASSERTION`. */
  readonly assertion?: string;
}

/** Levels of log lines, least severe first; the order is stored: do not change it. */
export const LOG_LEVELS = ["TRACE", "DEBUG", "INFO", "WARN", "ERROR"] as const;

/** Level of a log line of an execution. */
export type LogLevel = typeof LOG_LEVELS[number];

/** A declared input. */
export interface Input {
  readonly id: string;
  /** As written, for example `STRING`. */
  readonly type: string;
  readonly required: boolean;
  /** Value or template used when none is given; `undefined` when there is none. */
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

/** What is written once and never changes: one saved source, parsed. */
export interface Flow {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly id: string;
  readonly revision: number;
  /** Number given once to a flow id, never reused; stands for the flow in compact records. */
  readonly flowNo: number;
  readonly disabled: boolean;
  readonly deleted: boolean;
  readonly labels: readonly Label[];
  readonly inputs: readonly Input[];
  readonly outputs: readonly Output[];
  readonly variables: JsonObject;
  readonly tasks: readonly Task[];
  readonly errors: readonly Task[];
  readonly finally: readonly Task[];
  readonly afterExecution: readonly Task[];
  readonly retry?: RetryPolicy;
  readonly concurrency?: ConcurrencyLimit;
  readonly sla: readonly Sla[];
  readonly triggers: readonly Trigger[];
  /** The parsed document as submitted, from which answers are built. */
  readonly definition: JsonObject;
  /** The submitted text, verbatim. */
  readonly source: string;
}

/** Names a flow within its tenant. */
export interface FlowKey {
  readonly namespace: string;
  readonly id: string;
}

/** Names a trigger within its tenant. */
export interface TriggerKey {
  readonly namespace: string;
  readonly flowId: string;
  readonly triggerId: string;
}
