/** The ports a task may use: everything a task does outside itself goes through one of these. */
import type { Instant } from "../base/clock.ts";
import type { JsonObject, JsonValue } from "../base/json.ts";
import type { LogLevel, TenantId } from "./flow.ts";
import type { Label } from "./label.ts";
import type { TaskPorts } from "./task_ports.ts";

/** Where an attempt stands. */
export interface AttemptIdentity {
  readonly tenant: TenantId;
  readonly namespace: string;
  readonly flowId: string;
  readonly flowRevision: number;
  readonly executionId: string;
  readonly taskId: string;
  readonly taskRunId: string;
  /** Item of the loop that the task run belongs to. */
  readonly value?: string;
  /** From 1. */
  readonly attemptNumber: number;
}

/** Given to each attempt. */
export interface RunContext extends AttemptIdentity {
  /** Aborted when the attempt must stop: a kill, a time-out, or the end of the server. */
  readonly signal: AbortSignal;
  /** What a task may do outside itself. */
  readonly ports: TaskPorts;
  /** Labels of the execution now. */
  readonly labels: readonly Label[];
  /** Variables that tasks of the execution have set so far. */
  readonly variables: JsonObject;
  /** The current time. */
  now(): Instant;
  /** Adds a line to the log of this attempt. */
  log(level: LogLevel, message: string): void;
  /**
   * The value of a template, as the task sees it now, with further root variables. For properties that cannot be rendered
   * before the attempt. @throws Error what cannot be rendered
   */
  render(template: string, variables?: JsonObject): JsonValue | Promise<JsonValue>;
}
