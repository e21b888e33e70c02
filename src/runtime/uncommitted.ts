/** What a commit carries, and how it is taken back when the database refuses it. */
import type { Execution } from "../model/executions/execution.ts";
import type { EntryFacts } from "../store/committer.ts";
import type { StoredForm } from "../store/records/execution_form.ts";
import { timerKey } from "../store/keys.ts";
import type { Mutation } from "../store/store.ts";
import type { LiveExecution } from "./live/live_execution.ts";

/** What sets and removes the timers of an execution. */
export function timerMutations(
  { tenant, id }: Execution,
  changes: LiveExecution["timerChanges"],
): Mutation[] {
  return changes.map(({ type, name, dueAt }) => {
    const key = timerKey(dueAt, tenant, id, name);
    return type === "set" ? { type, key, value: new Uint8Array([1]) } : { type, key };
  });
}

/** A row once it has ended or gone dormant; while it is live its row comes from memory. */
export function factsOf(
  { execution, isListed }: LiveExecution,
  row: Uint8Array,
  isLive: boolean,
): EntryFacts {
  const { tenant, id } = execution;
  const rows = isLive ? undefined : [{ tenant, row }];
  const liveness = isLive === isListed ? undefined : [{ tenant, id, live: isLive }];
  return { rows, liveness };
}

/** What a commit carries, kept until it is durable. */
export interface UncommittedChanges {
  readonly touched: readonly number[];
  readonly logs: Execution["newLogs"];
  readonly isSpread: boolean;
  readonly inlineLogs: StoredForm["inlineLogs"];
  /** Large values that belong to the stored record already; those after them belong to it with the commit. */
  readonly referenceCount: number;
}

/** What the next commit will carry. */
export function changesOf(execution: Execution, form: StoredForm): UncommittedChanges {
  const { isSpread, inlineLogs, references } = form;
  return {
    touched: [...execution.touched],
    logs: execution.newLogs,
    isSpread,
    inlineLogs: [...inlineLogs],
    referenceCount: references.size,
  };
}

/** A refused commit wrote nothing: what it carried is to be carried by the next one. */
export function undoChanges(execution: Execution, form: StoredForm, undo: UncommittedChanges): void {
  for (const ordinal of undo.touched) execution.touched.add(ordinal);
  form.hasPages = false; // All pages are written next time: rare, and right whatever was lost.
  for (const value of [...form.references.keys()].slice(undo.referenceCount)) form.references.delete(value);
  form.isSpread = undo.isSpread;
  form.inlineLogs = undo.inlineLogs;
  execution.logCount -= undo.logs.length;
  execution.newLogs = [...undo.logs, ...execution.newLogs];
}
