/**
 * The commit of a slice, for one execution and all members of its commit group, in one entry of the committer: the record,
 * timers, slots, messages, files, announcements, catalog rows.
 *
 * The uncommitted changes are taken from the execution first, so that it can change further while the commit is in
 * progress. If the database refuses the commit, they are put back before the newer ones, and the next commit contains both.
 */
import { hasSettled } from "../engine/tree.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { AnyAnnouncement } from "../model/triggers/announcement.ts";
import type { PendingFiles } from "../model/executions/pending_files.ts";
import type { Committer, Entry, EntryFacts } from "../store/committer.ts";
import { catalogRow, type ExecutionRecords } from "../store/records/executions/execution_records.ts";
import { announcementMutation } from "../store/records/trigger_records.ts";
import type { StoredForm } from "../store/records/executions/execution_form.ts";
import { timerKey } from "../store/keys.ts";
import type { Key, Mutation } from "../store/store.ts";
import type { KeptShapes } from "./live/kept_shapes.ts";
import type { LiveExecution, TimerChange } from "./live/live_execution.ts";
import { type Message, messageMutation } from "./live/messages.ts";
import { newAnnouncements, type Reactions } from "./reactions.ts";
import type { Slots } from "./live/slots.ts";

/** Changes of timers that one commit makes, unless more must be set. */
const MAX_TIMER_CHANGES = 400;

/** Parts of the executor that commits use. */
export interface CommitDeps {
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly slots: Slots;
  readonly reactions: Reactions;
  readonly shapes: KeptShapes;
}

/** What has become durable of one execution. */
export interface Committed {
  readonly stored: readonly Mutation[];
  readonly timers: readonly TimerChange[];
  readonly messages: readonly Message[];
  readonly files: readonly PendingFiles[];
}

interface CommitOptions {
  /** Stored with the leader. */
  readonly files: readonly Mutation[];
  /** Called for each member, leader first, once all are durable. */
  readonly committed: (live: LiveExecution, committed: Committed) => void;
}

/**
 * Commits the changes of an execution and of the members of its commit group. False if it was deleted meanwhile: nothing
 * is written.
 * @throws DomainError the database refused, or too_large: a record cannot be encoded; all changes remain for the next commit
 */
export async function commitExecution(
  live: LiveExecution,
  deps: CommitDeps,
  options: CommitOptions,
): Promise<boolean> {
  const taken = live.commitGroup().map(take);
  try {
    const changes: Change[] = [];
    for (const each of taken) {
      const { execution, form } = each.live;
      const prepared = deps.records.prepare(execution, form);
      changes.push(changeOf(each, prepared instanceof Promise ? await prepared : prepared, deps));
    }
    if (live.isDropped) {
      taken.forEach(putBack);
      return false;
    }
    await deps.committer.commit(entryOf(changes, deps, options));
    return true;
  } catch (error) {
    taken.forEach(putBack);
    throw error instanceof DomainError ? error : unencodable(error as Error);
  }
}

/** An error that each further try would repeat. */
function unencodable(cause: Error): DomainError {
  const message =
    `Cannot write: a record cannot be encoded, a value may be nested too deeply: ${cause.message}`;
  return new DomainError("too_large", message, { cause });
}

function entryOf(changes: Change[], deps: CommitDeps, { files, committed }: CommitOptions): Entry {
  const current = changes.some(({ live }) => live.isDropped)
    ? changes.filter(({ live }) => !live.isDropped)
    : changes;
  return {
    mutations: mutationsOf(current, files),
    facts: factsOfAll(current),
    committed: () => current.forEach((change) => settle(change, deps, committed)),
  };
}

/** State of an execution before its commit, kept until that is durable. */
interface UncommittedChanges {
  readonly touched: readonly number[];
  readonly logs: Execution["newLogs"];
  readonly isSpread: boolean;
  readonly hasPages: boolean;
  readonly inlineLogs: StoredForm["inlineLogs"];
}

/** Changes taken from an execution for a commit; put back if the database refuses it. */
interface Taken {
  readonly live: LiveExecution;
  readonly undo: UncommittedChanges;
  readonly carried: Carried;
}

/** What the commit contains besides the record of the execution. */
interface Carried {
  readonly timers: TimerChange[];
  readonly members: LiveExecution[];
  readonly messages: Message[];
  readonly receivedKeys: Key[];
  readonly extras: Mutation[];
  readonly files: PendingFiles[];
}

/** The prepared commit of one execution. */
interface Change extends Taken {
  readonly stored: readonly Mutation[];
  readonly row: Uint8Array;
  readonly isLive: boolean;
  readonly stateCount: number;
  readonly slot: ReturnType<Slots["changeOf"]>;
  readonly announcements: readonly AnyAnnouncement[];
}

function take(live: LiveExecution): Taken {
  live.isDirty = false;
  const undo = changesOf(live.execution, live.form);
  const carried = takeCarried(live);
  live.isDirty = live.timerChanges.length > 0;
  live.renderer.noteChanges(live.execution.touched);
  return { live, undo, carried };
}

/** Leaves deletions that are too many for one commit for the next. A timer that a crash leaves behind is deleted when it is due. */
function takeTimers(live: LiveExecution): TimerChange[] {
  const { timerChanges, execution: { timers } } = live;
  if (timerChanges.length <= MAX_TIMER_CHANGES) {
    if (timerChanges.length > 0) live.timerChanges = [];
    return timerChanges;
  }
  const taken: TimerChange[] = [];
  live.timerChanges = timerChanges.filter((change) => {
    const isLeft = taken.length >= MAX_TIMER_CHANGES && change.type === "delete" &&
      timers.get(change.name) !== change.dueAt; // Else it was set again.
    if (!isLeft) taken.push(change);
    return isLeft;
  });
  return taken;
}

function takeCarried(live: LiveExecution): Carried {
  const { members, messages, receivedKeys, extras, files } = live;
  const timers = takeTimers(live);
  if (members.length > 0) live.members = [];
  if (messages.length > 0) live.messages = [];
  if (receivedKeys.length > 0) live.receivedKeys = [];
  if (extras.length > 0) live.extras = [];
  if (files.length > 0) live.files = [];
  return { timers, members, messages, receivedKeys, extras, files };
}

function putBack({ live, undo, carried }: Taken): void {
  live.isDirty = true;
  if (live.timerChanges !== carried.timers) live.timerChanges.unshift(...carried.timers);
  if (live.members !== carried.members) live.members.unshift(...carried.members);
  if (live.messages !== carried.messages) live.messages.unshift(...carried.messages);
  if (live.receivedKeys !== carried.receivedKeys) live.receivedKeys.unshift(...carried.receivedKeys);
  if (live.extras !== carried.extras) live.extras.unshift(...carried.extras);
  if (live.files !== carried.files) live.files.unshift(...carried.files);
  undoChanges(live.execution, live.form, undo);
}

function changeOf(taken: Taken, stored: readonly Mutation[], { slots, reactions }: CommitDeps): Change {
  const { live } = taken;
  const { execution, plan, tree } = live;
  return {
    ...taken,
    stored,
    row: catalogRow(execution),
    isLive: live.isLive && !hasSettled(tree),
    stateCount: execution.history.length,
    slot: plan.flow.concurrency ? slots.changeOf(execution) : undefined,
    announcements: newAnnouncements(live, reactions),
  };
}

/** Called once the change is durable. */
function settle(
  change: Change,
  { reactions, records, shapes }: CommitDeps,
  committed: CommitOptions["committed"],
): void {
  const { live, carried, stored, row, isLive, stateCount, slot, announcements } = change;
  live.isBeforeFirstCommit = false;
  live.isListed = isLive;
  live.row = isLive ? row : undefined;
  live.logFlow?.committed();
  slot?.committed();
  live.form.storedStates = stateCount;
  shapes.keep("change", change, live.plan);
  committed(live, { ...carried, stored });
  if (live.form.values) records.removeReplaced(live.execution, live.form.values, !isLive);
  reactions.announced(announcements);
}

function mutationsOf(changes: readonly Change[], files: readonly Mutation[]): readonly Mutation[] {
  const [only] = changes;
  if (changes.length === 1 && only && isPlain(only)) {
    return files.length === 0 ? only.stored : [...files, ...only.stored];
  }
  return [...files, ...changes.flatMap(mutationsOfOne)];
}

/** True if only the record of the execution is to be written. */
function isPlain({ carried, slot, announcements }: Change): boolean {
  const { timers, messages, receivedKeys, extras, files } = carried;
  return timers.length === 0 && messages.length === 0 && receivedKeys.length === 0 && extras.length === 0 &&
    files.length === 0 && slot === undefined && announcements.length === 0;
}

function mutationsOfOne({ live, carried, stored, slot, announcements }: Change): readonly Mutation[] {
  const { execution } = live;
  const { timers, messages, receivedKeys, extras, files } = carried;
  return [
    ...files.flatMap((each) => each.take()),
    ...slot?.mutations ?? [],
    ...announcements.map(announcementMutation),
    ...messages.map((message) => messageMutation(execution, message)),
    ...receivedKeys.map((key): Mutation => ({ type: "delete", key })),
    ...timerMutations(execution, timers),
    ...extras,
    ...stored,
  ];
}

function factsOfAll(changes: readonly Change[]): EntryFacts {
  const [first, ...others] = changes.map(({ live, row, isLive }) => factsOf(live, row, isLive));
  if (others.length === 0) return first ?? {};
  const all = [first ?? {}, ...others];
  return {
    rows: all.flatMap(({ rows }) => rows ?? []),
    liveness: all.flatMap(({ liveness }) => liveness ?? []),
  };
}

/** Sets and deletes the timers of an execution. */
function timerMutations(
  { tenant, id }: Execution,
  changes: LiveExecution["timerChanges"],
): Mutation[] {
  return changes.map(({ type, name, dueAt }) => {
    const key = timerKey(dueAt, tenant, id, name);
    return type === "set" ? { type, key, value: new Uint8Array([1]) } : { type, key };
  });
}

/** Catalog facts: the row of an ended or dormant execution, and a change of liveness. Rows of live executions are read from memory. */
function factsOf(
  { execution, isListed }: LiveExecution,
  row: Uint8Array,
  isLive: boolean,
): EntryFacts {
  const { tenant, id } = execution;
  const rows = isLive ? undefined : [{ tenant, row }];
  const liveness = isLive === isListed ? undefined : [{ tenant, id, live: isLive }];
  return { rows, liveness };
}

/** The state to restore if the next commit is refused. */
function changesOf(execution: Execution, form: StoredForm): UncommittedChanges {
  const { isSpread, hasPages, inlineLogs } = form;
  return {
    touched: [...execution.touched],
    logs: execution.newLogs,
    isSpread,
    hasPages,
    inlineLogs: [...inlineLogs],
  };
}

/** Restores the state before a refused commit, which wrote nothing. */
function undoChanges(execution: Execution, form: StoredForm, undo: UncommittedChanges): void {
  for (const ordinal of undo.touched) execution.touched.add(ordinal);
  form.hasPages = undo.hasPages;
  form.values?.undo();
  form.isSpread = undo.isSpread;
  form.inlineLogs = undo.inlineLogs;
  // The lines were not taken yet: a member before this one could not be prepared.
  if (execution.newLogs === undo.logs) return;
  execution.logCount -= undo.logs.length;
  execution.newLogs = [...undo.logs, ...execution.newLogs];
}
