/** Makes durable what a slice changed: the execution, its timers and slot, what it tells others, what it creates. */
import { hasSettled } from "../engine/tree.ts";
import type { Execution } from "../model/execution.ts";
import type { Committer, EntryFacts } from "../store/committer.ts";
import { newForm, type StoredForm } from "../store/execution_form.ts";
import { catalogRow, type ExecutionRecords } from "../store/execution_records.ts";
import { timerKey } from "../store/keys.ts";
import type { PendingFiles } from "../model/pending_files.ts";
import type { Key, Mutation } from "../store/store.ts";
import type { LiveExecution, TimerChange } from "./live_execution.ts";
import { type Birth, type Message, messageMutation } from "./messages.ts";
import { announcementMutation, newAnnouncements, type Reactions } from "./reactions.ts";
import type { Slots } from "./slots.ts";
import { changesOf, factsOf, timerMutations, undoChanges } from "./uncommitted.ts";

/** What a commit works with. */
export interface CommitDeps {
  readonly committer: Committer;
  readonly records: ExecutionRecords;
  readonly slots: Slots;
  readonly reactions: Reactions;
}

/** An execution that was created by a commit. */
export interface BornExecution extends Birth {
  readonly form: StoredForm;
  readonly stored: readonly Mutation[];
  readonly row: Uint8Array;
  /** It starts later: a timer wakes it. */
  readonly isScheduled: boolean;
}

/** What a commit has made durable, for those who go on from there. */
export interface Committed {
  readonly stored: readonly Mutation[];
  readonly timers: readonly TimerChange[];
  readonly messages: readonly Message[];
  readonly births: readonly BornExecution[];
  readonly files: readonly PendingFiles[];
}

/** Commits what changed since the last time. @throws DomainError the database refused: everything is there for the next try */
export async function commitExecution(
  live: LiveExecution,
  { committer, records, slots, reactions }: CommitDeps,
  options: { readonly files: readonly Mutation[]; readonly committed: (committed: Committed) => void },
): Promise<void> {
  live.isDirty = false;
  const { execution, form } = live;
  const undo = changesOf(execution, form);
  const carried = takeCarried(live);
  live.renderer.noteChanges(execution.touched);
  try {
    const prepared = records.prepare(execution, form);
    const stored = prepared instanceof Promise ? await prepared : prepared;
    const births = carried.births.length === 0 ? NO_BIRTHS : await prepareBirths(records, carried.births);
    if (live.isDropped) return carried.files.forEach((files) => void files.discard());
    const row = catalogRow(execution);
    const slot = live.plan.flow.concurrency ? slots.changeOf(execution) : undefined;
    const isLive = live.isLive && !hasSettled(live.tree);
    const stateCount = execution.history.length;
    const announcements = newAnnouncements(live, reactions);
    await committer.commit({
      mutations: mutationsOf(execution, {
        carried,
        stored,
        births,
        files: options.files,
        slot: slot || announcements.length > 0
          ? [...slot?.mutations ?? [], ...announcements.map(announcementMutation)]
          : NO_MUTATIONS,
      }),
      facts: withBirths(factsOf(live, row, isLive), births),
      committed: () => {
        live.isListed = isLive;
        live.row = isLive ? row : undefined;
        live.logFlow?.committed();
        slot?.committed();
        form.storedStates = stateCount;
        options.committed({ ...carried, stored, births });
        reactions.announced(announcements);
      },
    });
  } catch (error) {
    live.isDirty = true;
    putBack(live, carried);
    undoChanges(execution, form, undo);
    throw error;
  }
}

/** What a commit carries beside the execution itself. */
interface Carried {
  readonly timers: TimerChange[];
  readonly births: Birth[];
  readonly messages: Message[];
  readonly receivedKeys: Key[];
  readonly extras: Mutation[];
  readonly files: PendingFiles[];
}

function takeCarried(live: LiveExecution): Carried {
  const { timerChanges: timers, births, messages, receivedKeys, extras, files } = live;
  if (timers.length > 0) live.timerChanges = [];
  if (births.length > 0) live.births = [];
  if (messages.length > 0) live.messages = [];
  if (receivedKeys.length > 0) live.receivedKeys = [];
  if (extras.length > 0) live.extras = [];
  if (files.length > 0) live.files = [];
  return { timers, births, messages, receivedKeys, extras, files };
}

function putBack(live: LiveExecution, carried: Carried): void {
  if (live.timerChanges !== carried.timers) live.timerChanges.unshift(...carried.timers);
  if (live.births !== carried.births) live.births.unshift(...carried.births);
  if (live.messages !== carried.messages) live.messages.unshift(...carried.messages);
  if (live.receivedKeys !== carried.receivedKeys) live.receivedKeys.unshift(...carried.receivedKeys);
  if (live.extras !== carried.extras) live.extras.unshift(...carried.extras);
  if (live.files !== carried.files) live.files.unshift(...carried.files);
}

const NO_MUTATIONS: readonly Mutation[] = [];
const NO_BIRTHS: readonly BornExecution[] = [];

async function prepareBirths(records: ExecutionRecords, births: readonly Birth[]): Promise<BornExecution[]> {
  const born: BornExecution[] = [];
  for (const { execution, plan } of births) {
    const form = newForm();
    const stored = await records.prepare(execution, form);
    form.storedStates = execution.history.length;
    const isScheduled = execution.timers.size > 0;
    born.push({ execution, plan, form, stored, row: catalogRow(execution), isScheduled });
  }
  return born;
}

function mutationsOf(
  execution: Execution,
  { carried, stored, births, files, slot = [] }: {
    readonly carried: Carried;
    readonly stored: readonly Mutation[];
    readonly births: readonly BornExecution[];
    readonly files: readonly Mutation[];
    readonly slot?: readonly Mutation[];
  },
): readonly Mutation[] {
  const { timers, messages, receivedKeys, extras } = carried;
  const isPlain = timers.length === 0 && files.length === 0 && births.length === 0 &&
    messages.length === 0 && receivedKeys.length === 0 && extras.length === 0 && slot.length === 0 &&
    carried.files.length === 0;
  if (isPlain) return stored;
  return [
    ...files,
    ...carried.files.flatMap((each) => each.take()),
    ...slot,
    ...births.flatMap((birth) => [...birth.stored, ...startTimer(birth.execution)]),
    ...messages.map((message) => messageMutation(execution, message)),
    ...receivedKeys.map((key): Mutation => ({ type: "delete", key })),
    ...timerMutations(execution, timers),
    ...extras,
    ...stored,
  ];
}

function startTimer({ tenant, id, timers }: Execution): Mutation[] {
  return [...timers].map(([name, dueAt]): Mutation => ({
    type: "set",
    key: timerKey(dueAt, tenant, id, name),
    value: new Uint8Array([1]),
  }));
}

function withBirths(facts: EntryFacts, births: readonly BornExecution[]): EntryFacts {
  if (births.length === 0) return facts;
  const rows = births.filter(({ isScheduled }) => isScheduled).map(({ execution: { tenant }, row }) => ({
    tenant,
    row,
  }));
  const liveness = births.filter(({ isScheduled }) => !isScheduled).map(({ execution: { tenant, id } }) => ({
    tenant,
    id,
    live: true,
  }));
  return { rows: [...facts.rows ?? [], ...rows], liveness: [...facts.liveness ?? [], ...liveness] };
}
