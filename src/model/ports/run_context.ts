/** The context of an attempt: the only way for a task to affect anything outside itself. */
import type { Instant } from "../../base/time/clock.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { FileKeeper } from "../executions/attempt_identity.ts";
import type { LogLevel } from "../flows/flow.ts";
import type { Label } from "../flows/label.ts";
import type { Metric } from "../executions/metric.ts";
import type { TaskPorts } from "./task_ports.ts";

export type { AttemptIdentity } from "../executions/attempt_identity.ts";

/** Passed to each attempt. */
export interface RunContext extends FileKeeper {
  /** Aborted when the attempt must stop: kill, timeout or shutdown of the server. */
  readonly signal: AbortSignal;
  /** Directory of the enclosing `core.flow.WorkingDirectory`; absent without one. */
  readonly workingDirectory?: string;
  readonly ports: TaskPorts;
  /** Current labels of the execution. */
  readonly labels: readonly Label[];
  /** Current variables: those of the flow with the changes of tasks. */
  readonly variables: JsonObject;
  /** Unrendered properties. */
  readonly written: JsonObject;
  /** The current time. */
  now(): Instant;
  /** Adds a line to the log of this attempt. */
  log(level: LogLevel, message: string): void;
  /**
   * Backpressure: `undefined` while further log lines fit, else a promise that settles when they do. A task with many lines
   * must await it after each line.
   */
  logged(): Promise<void> | undefined;
  /** Reports a metric; excess metrics of an attempt are dropped with a log line. @throws Error invalid metric */
  metric(metric: Metric): void;
  /**
   * Renders a template with the current variables and further root variables, for properties that cannot be rendered
   * before the attempt. @throws Error rendering failed
   */
  render(template: string, variables?: JsonObject): JsonValue | Promise<JsonValue>;
}
