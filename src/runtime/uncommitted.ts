/** Contents of the commit of an execution, and how they are restored if the database refuses it. */
import type { Execution } from "../model/executions/execution.ts";
import type { EntryFacts } from "../store/committer.ts";
import type { StoredForm } from "../store/records/execution_form.ts";
import { timerKey } from "../store/keys.ts";
import type { Mutation } from "../store/store.ts";
import type { LiveExecution } from "./live/live_execution.ts";

/** Sets and deletes the timers of an execution. */
export function timerMutations(
  { tenant, id }: Execution,
  changes: LiveExecution["timerChanges"],
): Mutation[] {
  return changes.map(({ type, name, dueAt }) => {
    const key = timerKey(dueAt, tenant, id, name);
    return type === "set" ? { type, key, value: new Uint8Array([1]) } : { type, key };
  });
}

/** Catalog facts: the row of an ended or dormant execution, and a change of liveness. Rows of live executions are read from memory. */
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

/** State of an execution before its commit, kept until that is durable. */
export interface UncommittedChanges {
  readonly touched: readonly number[];
  readonly logs: Execution["newLogs"];
  readonly isSpread: boolean;
  readonly inlineLogs: StoredForm["inlineLogs"];
  /** Number of large values in the stored record; further ones belong to it once the commit is durable. */
  readonly referenceCount: number;
}

/** The state to restore if the next commit is refused. */
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

/** Restores the state before a refused commit, which wrote nothing. */
export function undoChanges(execution: Execution, form: StoredForm, undo: UncommittedChanges): void {
  for (const ordinal of undo.touched) execution.touched.add(ordinal);
  form.hasPages = false; // The next commit writes all pages: rare, and correct whichever were affected.
  for (const value of [...form.references.keys()].slice(undo.referenceCount)) form.references.delete(value);
  form.isSpread = undo.isSpread;
  form.inlineLogs = undo.inlineLogs;
  execution.logCount -= undo.logs.length;
  execution.newLogs = [...undo.logs, ...execution.newLogs];
}
