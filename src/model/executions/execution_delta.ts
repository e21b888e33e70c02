/** Changes of an execution since the last message to a follower, for streams that send only differences. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import type { DurationForm } from "../../base/time/duration.ts";
import { taskRunId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { Execution, TaskRun } from "./execution.ts";
import { type BodyForm, stateText, taskRunBody } from "./execution_body.ts";
import { changedAt, isEnded, startedAt } from "./state.ts";

/** Hashes of the task runs of a view, by ordinal: made for the first of its followers that needs them. */
export type TaskRunSigns = Map<number, number>;

/** The current state of an execution. */
interface ExecutionView extends BodyForm {
  readonly execution: Execution;
  /** Result of `waitingOf`. */
  readonly waiting?: JsonObject;
  readonly signs: TaskRunSigns;
}

/** A message to a follower, and the time up to which it covers changes. */
interface ExecutionDelta {
  readonly upTo: Instant;
  /** The first member of the message is `execution`, in full. It is left out: all followers share its text. */
  readonly isSnapshot: boolean;
  /**
   * JSON texts of members. After the first message `changed`, `taskRuns`, `removed`: changed members of the execution,
   * changed task runs in full, ids of removed task runs. After a reconnect `taskRunIds` lists all existing task runs if some
   * may have been removed. `end` is true once the execution has ended.
   */
  readonly members: readonly string[];
}

/** The state sent to one follower so far. */
export class DeltaTracker {
  #upTo: Instant | undefined;
  #isFirst = true;
  /** Hashes of the sent members: their texts may have megabytes. */
  readonly #members = new Map<string, number>();
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
    const { execution, waiting, signs, now } = current;
    const view = { execution, waiting, signs, now, durations: this.#durations };
    const isSnapshot = this.#upTo === undefined;
    const isReconnect = this.#isFirst && !isSnapshot;
    this.#isFirst = false;
    if (isSnapshot) this.#remember(view);
    const members = isSnapshot ? [] : this.#changes(view, isReconnect);
    this.#upTo = latestChange(view.execution);
    if (!isSnapshot && members.length === 0) return undefined;
    if (isEnded(view.execution.history)) members.push('"end":true');
    return { upTo: this.#upTo, isSnapshot, members };
  }

  #remember(view: ExecutionView): void {
    this.#changedMembers(view);
    for (const taskRun of view.execution.taskRuns) this.#taskRuns.set(taskRun.ordinal, signOf(view, taskRun));
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
  #changedTaskRuns(view: ExecutionView, since: Instant): string[] {
    const { execution } = view;
    return execution.taskRuns.flatMap((taskRun) => {
      const isOld = this.#taskRuns.has(taskRun.ordinal) || since > -Infinity;
      if (isOld && isEnded(taskRun.history) && changedAt(taskRun.history) < since) return [];
      const sign = signOf(view, taskRun);
      if (this.#taskRuns.get(taskRun.ordinal) === sign) return [];
      this.#taskRuns.set(taskRun.ordinal, sign);
      return [taskRunBody(execution, taskRun, view)];
    });
  }

  #forgetGone({ taskRuns }: Execution): number[] {
    const known = new Set(taskRuns.map(({ ordinal }) => ordinal));
    const gone = [...this.#taskRuns.keys()].filter((ordinal) => !known.has(ordinal));
    for (const ordinal of gone) this.#taskRuns.delete(ordinal);
    return gone;
  }
}

function signOf({ execution, signs }: ExecutionView, taskRun: TaskRun): number {
  const known = signs.get(taskRun.ordinal);
  if (known !== undefined) return known;
  const sign = hashOf(taskRunBody(execution, taskRun, { now: changedAt(taskRun.history) }));
  signs.set(taskRun.ordinal, sign);
  return sign;
}

/** Members that may change; `sign` is equal as long as a member is unchanged. */
function membersOf({ execution, waiting, ...form }: ExecutionView) {
  const { history, labels, outputs, variables, attemptNumber, originalCreatedAt } = execution;
  const originalCreatedDate = toIso(originalCreatedAt ?? startedAt(history));
  return [
    { name: "state", sign: history.length, text: stateText(history, form) },
    plain("labels", labels),
    plain("outputs", outputs ?? null),
    plain("variables", variables ?? null),
    plain("metadata", { attemptNumber, originalCreatedDate }),
    plain("waiting", waiting ?? null),
  ];
}

function plain(name: string, value: unknown) {
  const text = stringifyJson(value);
  return { name, sign: hashOf(text), text };
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

/** FNV-1a, 32 bits: sufficient to compare two successive texts of one task run or member. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
