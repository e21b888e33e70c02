/** What has changed in an execution since somebody looked at it last: for those who follow it and keep what they were told. */
import { type Instant, toIso } from "../../base/clock.ts";
import { taskRunId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { Execution } from "./execution.ts";
import { executionBody, stateText, taskRunBody } from "./execution_body.ts";
import { changedAt, isEnded, startedAt } from "./state.ts";

/** An execution as it is now. */
interface ExecutionLook {
  readonly execution: Execution;
  /** Why it does not go on. */
  readonly waiting?: JsonObject;
  readonly now: Instant;
}

/** What to tell, and the moment up to which it tells. */
interface ExecutionDelta {
  readonly upTo: Instant;
  /**
   * JSON. At first `{execution}`, all of it; then `{changed?, taskRuns?, removed?}`: members of the execution, whole task
   * runs, ids of task runs that are gone. To somebody who comes back `taskRunIds` says which task runs there are, where
   * some may have gone. With the end of the execution `end` is true.
   */
  readonly data: string;
}

/** Remembers what one follower was told. */
export class DeltaTracker {
  #upTo: Instant | undefined;
  #isFirst = true;
  readonly #members = new Map<string, string>();
  /** Texts of task runs as numbers, by ordinal. */
  readonly #taskRuns = new Map<number, number>();

  /** `upTo`: what the follower knows from an earlier stream. */
  constructor(upTo?: Instant) {
    this.#upTo = upTo;
  }

  /** What to tell now; `undefined` when nothing has changed. */
  next(look: ExecutionLook): ExecutionDelta | undefined {
    const isSnapshot = this.#upTo === undefined;
    const isReturn = this.#isFirst && !isSnapshot;
    this.#isFirst = false;
    const parts = isSnapshot ? this.#snapshot(look) : this.#changes(look, isReturn);
    this.#upTo = latestChange(look.execution);
    if (parts.length === 0) return undefined;
    if (isEnded(look.execution.history)) parts.push('"end":true');
    return { upTo: this.#upTo, data: `{${parts.join(",")}}` };
  }

  #snapshot(look: ExecutionLook): string[] {
    const { execution, now, waiting } = look;
    this.#changedMembers(look);
    this.#changedTaskRuns(look, -Infinity);
    return [`"execution":${executionBody(execution, { now, taskRuns: true, waiting })}`];
  }

  #changes(look: ExecutionLook, isReturn: boolean): string[] {
    const { execution } = look;
    const gone = this.#forgetGone(execution);
    const members = this.#changedMembers(look);
    const taskRuns = this.#changedTaskRuns(look, this.#upTo ?? -Infinity);
    const parts: string[] = [];
    if (members.length > 0) parts.push(`"changed":{${members.join(",")}}`);
    if (taskRuns.length > 0) parts.push(`"taskRuns":[${taskRuns.join(",")}]`);
    if (gone.length > 0) parts.push(`"removed":${idsText(execution, gone)}`);
    if (isReturn && execution.taskRuns.length < execution.nextOrdinal) {
      parts.push(`"taskRunIds":${idsText(execution, execution.taskRuns.map(({ ordinal }) => ordinal))}`);
    }
    return parts;
  }

  #changedMembers(look: ExecutionLook): string[] {
    return membersOf(look).flatMap(({ name, sign, text }) => {
      if (this.#members.get(name) === sign) return [];
      this.#members.set(name, sign);
      return [`"${name}":${text}`];
    });
  }

  /** Those that changed at `since` or later, and those that are open: their outputs may change while they run. */
  #changedTaskRuns({ execution, now }: ExecutionLook, since: Instant): string[] {
    return execution.taskRuns.flatMap((taskRun) => {
      const isOld = this.#taskRuns.has(taskRun.ordinal) || since > -Infinity;
      if (isOld && isEnded(taskRun.history) && changedAt(taskRun.history) < since) return [];
      const sign = hashOf(taskRunBody(execution, taskRun, changedAt(taskRun.history)));
      if (this.#taskRuns.get(taskRun.ordinal) === sign) return [];
      this.#taskRuns.set(taskRun.ordinal, sign);
      return [taskRunBody(execution, taskRun, now)];
    });
  }

  #forgetGone({ taskRuns }: Execution): number[] {
    const known = new Set(taskRuns.map(({ ordinal }) => ordinal));
    const gone = [...this.#taskRuns.keys()].filter((ordinal) => !known.has(ordinal));
    for (const ordinal of gone) this.#taskRuns.delete(ordinal);
    return gone;
  }
}

/** Members that may change; `sign` is the same as long as they have not. */
function membersOf({ execution, now, waiting }: ExecutionLook) {
  const { history, labels, outputs, variables, attemptNumber, originalCreatedAt } = execution;
  const originalCreatedDate = toIso(originalCreatedAt ?? startedAt(history));
  return [
    { name: "state", sign: `${history.length}`, text: stateText(history, now) },
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

/** FNV-1a, 32 bits: two texts of one task run that follow each other are told apart well enough. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193) >>> 0;
  return hash;
}
