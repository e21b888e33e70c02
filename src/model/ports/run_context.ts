/** The ports a task may use: everything a task does outside itself goes through one of these. */
import type { Instant } from "../../base/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { FileKeeper } from "../executions/attempt_identity.ts";
import type { LogLevel } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import type { Metric } from "../executions/metric.ts";
import type { TaskPorts } from "./task_ports.ts";

export type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** Given to each attempt. */
export interface RunContext extends FileKeeper {
  /** Aborted when the attempt must stop: a kill, a time-out, or the end of the server. */
  readonly signal: AbortSignal;
  /** The directory that the attempt shares with its neighbours; absent outside of a `core.flow.WorkingDirectory`. */
  readonly workingDirectory?: string;
  /** What a task may do outside itself. */
  readonly ports: TaskPorts;
  /** Labels of the execution now. */
  readonly labels: readonly Label[];
  /** Variables of the flow, as tasks of the execution have changed them so far. */
  readonly variables: JsonObject;
  /** Properties as the flow gives them, not rendered. */
  readonly written: JsonObject;
  /** The current time. */
  now(): Instant;
  /** Adds a line to the log of this attempt. */
  log(level: LogLevel, message: string): void;
  /**
   * `undefined` while there is room for further log lines; else settles when there is. A task that may write many lines
   * asks after each, so that they do not pile up in memory.
   */
  logged(): Promise<void> | undefined;
  /** Reports a number; too many of one attempt are left out, which its log tells. @throws Error for what is no metric */
  metric(metric: Metric): void;
  /**
   * The value of a template, as the task sees it now, with further root variables. For properties that cannot be rendered
   * before the attempt. @throws Error what cannot be rendered
   */
  render(template: string, variables?: JsonObject): JsonValue | Promise<JsonValue>;
}
