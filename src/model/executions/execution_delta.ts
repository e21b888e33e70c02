/** Changes of an execution since the last message to a follower, for streams that send only differences. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import { taskRunId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { Execution } from "./execution.ts";
import { type BodyForm, executionBody, stateText, taskRunBody } from "./execution_body.ts";
import { changedAt, isEnded, startedAt } from "./state.ts";

/** The current state of an execution. */
interface ExecutionView extends BodyForm {
  readonly execution: Execution;
  /** Result of `waitingOf`. */
  readonly waiting?: JsonObject;
  /** Number of task runs that are not shown. */
  readonly hiddenTaskRuns?: number;
}

/** A message to a follower, and the time up to which it covers changes. */
interface ExecutionDelta {
  readonly upTo: Instant;
  /**
   * JSON. First `{execution}` in full, then `{changed?, taskRuns?, removed?}`: changed members of the execution, changed
   * task runs in full, ids of removed task runs. After a reconnect `taskRunIds` lists all existing task runs if some may
   * have been removed. `end` is true once the execution has ended.
   */
  readonly data: string;
}

/** The state sent to one follower so far. */
export class DeltaTracker {
  #upTo: Instant | undefined;
  #isFirst = true;
  readonly #members = new Map<string, string>();
  /** Hashes of the sent task runs, by ordinal. */
  readonly #taskRuns = new Map<number, number>();

  readonly #durations: DurationForm | undefined;

  /** `upTo`: time up to which the follower received changes on an earlier stream. */
  constructor(upTo?: Instant, durations?: DurationForm) {
    this.#upTo = upTo;
    this.#durations = durations;
  }

  /** The next message; `undefined` if nothing has changed. */
  next(current: Omit<ExecutionView, "durations">): ExecutionDelta | undefined {
    const { execution, waiting, hiddenTaskRuns, now } = current;
    const view = { execution, waiting, hiddenTaskRuns, now, durations: this.#durations };
    const isSnapshot = this.#upTo === undefined;
    const isReconnect = this.#isFirst && !isSnapshot;
    this.#isFirst = false;
    const parts = isSnapshot ? this.#snapshot(view) : this.#changes(view, isReconnect);
    this.#upTo = latestChange(view.execution);
    if (parts.length === 0) return undefined;
    if (isEnded(view.execution.history)) parts.push('"end":true');
    return { upTo: this.#upTo, data: `{${parts.join(",")}}` };
  }

  #snapshot(view: ExecutionView): string[] {
    const { execution, ...options } = view;
    this.#changedMembers(view);
    this.#changedTaskRuns(view, -Infinity);
    return [`"execution":${executionBody(execution, { ...options, taskRuns: true })}`];
  }

  #changes(view: ExecutionView, isReconnect: boolean): string[] {
    const { execution } = view;
    const gone = this.#forgetGone(execution);
    const members = this.#changedMembers(view);
    const taskRuns = this.#changedTaskRuns(view, this.#upTo ?? -Infinity);
    const parts: string[] = [];
    if (members.length > 0) parts.push(`"changed":{${members.join(",")}}`);
    if (taskRuns.length > 0) parts.push(`"taskRuns":[${taskRuns.join(",")}]`);
    if (gone.length > 0) parts.push(`"removed":${idsText(execution, gone)}`);
    if (isReconnect && execution.taskRuns.length < execution.nextOrdinal) {
      parts.push(`"taskRunIds":${idsText(execution, execution.taskRuns.map(({ ordinal }) => ordinal))}`);
    }
    return parts;
  }

  #changedMembers(view: ExecutionView): string[] {
    return membersOf(view).flatMap(({ name, sign, text }) => {
      if (this.#members.get(name) === sign) return [];
      this.#members.set(name, sign);
      return [`"${name}":${text}`];
    });
  }

  /** Task runs changed at `since` or later, and open ones: their outputs may change while they run. */
  #changedTaskRuns({ execution, ...form }: ExecutionView, since: Instant): string[] {
    return execution.taskRuns.flatMap((taskRun) => {
      const isOld = this.#taskRuns.has(taskRun.ordinal) || since > -Infinity;
      if (isOld && isEnded(taskRun.history) && changedAt(taskRun.history) < since) return [];
      const sign = hashOf(taskRunBody(execution, taskRun, { now: changedAt(taskRun.history) }));
      if (this.#taskRuns.get(taskRun.ordinal) === sign) return [];
      this.#taskRuns.set(taskRun.ordinal, sign);
      return [taskRunBody(execution, taskRun, form)];
    });
  }

  #forgetGone({ taskRuns }: Execution): number[] {
    const known = new Set(taskRuns.map(({ ordinal }) => ordinal));
    const gone = [...this.#taskRuns.keys()].filter((ordinal) => !known.has(ordinal));
    for (const ordinal of gone) this.#taskRuns.delete(ordinal);
    return gone;
  }
}

/** Members that may change; `sign` is equal as long as a member is unchanged. */
function membersOf({ execution, waiting, ...form }: ExecutionView) {
  const { history, labels, outputs, variables, attemptNumber, originalCreatedAt } = execution;
  const originalCreatedDate = toIso(originalCreatedAt ?? startedAt(history));
  return [
    { name: "state", sign: `${history.length}`, text: stateText(history, form) },
    plain("labels", labels),
    plain("outputs", outputs ?? null),
    plain("variables", variables ?? null),
    plain("metadata", { attemptNumber, originalCreatedDate }),
    plain("waiting", waiting ?? null),
  ];
}

function plain(name: string, value: unknown) {
  const text = stringifyJson(value);
  return { name, sign: text, text };
}

function idsText({ id }: Execution, ordinals: readonly number[]): string {
  return JSON.stringify(ordinals.map((ordinal) => taskRunId(id, ordinal)));
}

function latestChange({ history, taskRuns }: Execution): Instant {
  return taskRuns.reduce(
    (latest, taskRun) => Math.max(latest, changedAt(taskRun.history)),
    changedAt(history),
  );
}

/** FNV-1a, 32 bits: sufficient to compare two successive texts of one task run. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
