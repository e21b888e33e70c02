/**
 * An execution in memory: its state, the events to apply, its running attempts, and what its next commit contains. There is
 * at most one object per execution ({@link LiveExecutions}); only the executor and its parts change it.
 */
import type { Instant } from "../../base/time/clock.ts";
import type { Command, Event, Refusal, TimerName } from "../../engine/events.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { ExecutionTree } from "../../engine/tree.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import type { Changes } from "../../store/changes.ts";
import type { StoredForm } from "../../store/records/executions/execution_form.ts";
import type { Key, Mutation } from "../../store/store.ts";
import type { LogFlow } from "./log_flow.ts";
import type { Message, NewExecution } from "./messages.ts";
import type { Renderer } from "../../rendering/renderer.ts";

/** An attempt that must be committed as RUNNING before it starts. */
export type AttemptCommand = Extract<Command, { type: "run_attempt" }>;

/** A timer that the next commit sets or removes. */
export interface TimerChange {
  readonly type: "set" | "delete";
  readonly name: TimerName;
  readonly dueAt: Instant;
}

/** What takes effect together with an event that did not come from the slice itself. */
export interface Receipt {
  /** Key of the message that carried the event; deleted by the commit. */
  readonly key?: Key;
  /** Created by the commit, unless the task run that asked for them was killed meanwhile. */
  readonly newExecutions?: readonly NewExecution[];
  /** Stored by the commit of the transition; not stored if the event is refused. */
  readonly mutations?: readonly Mutation[];
  /** Called once the event was applied or refused, before the commands of the transition run. */
  readonly onSettled?: (execution: Execution, refusal?: Refusal) => void;
}

/** Local resources of a task run, for example a working directory. */
interface LocalResources {
  /** Called once it has ended. */
  readonly release: () => Promise<void>;
  /** What its hook `before` returned. */
  before?: string;
}

/** Names an execution in maps of all tenants. */
export function liveKey(tenant: string, id: string): string {
  return `${tenant}/${id}`;
}

/** An execution and its uncommitted changes. */
export class LiveExecution {
  readonly execution: Execution;
  readonly plan: FlowPlan;
  readonly form: StoredForm;
  readonly renderer: Renderer;
  /** Its open task runs and frames. */
  readonly tree: ExecutionTree;
  /** Events to apply, in order. */
  readonly events: Event[] = [];
  /** Attempts to start after the next commit. */
  deferred: AttemptCommand[] = [];
  timerChanges: TimerChange[] = [];
  /** Executions of the same commit group, of which this one is the leader. They start nothing before its commit. */
  members: LiveExecution[] = [];
  /** Messages to other executions, stored by the next commit. */
  messages: Message[] = [];
  /** Further mutations of the next commit: metrics, cached outputs, files of a request. */
  extras: Mutation[] = [];
  /** Files of attempts that ended since the last commit. */
  files: PendingFiles[] = [];
  /** Keys of applied messages; the next commit deletes them. */
  receivedKeys: Key[] = [];
  /** By event, until it is applied. */
  receipts: Map<Event, Receipt> | undefined;
  /** Storage URIs of the batches of a ForEachItem, by the task run that starts an execution for each. */
  batches: Map<number, { readonly attempt: number; readonly uris: readonly string[] }> | undefined;
  /** By task run, until it has ended. */
  resources: Map<number, LocalResources> | undefined;
  /** Running attempts by task run; absent if there was none yet. */
  running: Map<number, AbortController> | undefined;
  /** Number of renders and pure attempts that wait for a promise. */
  awaiting = 0;
  /** The loop that applies events and commits is running, for this execution or for its leader. */
  isDriven = false;
  /** True if something changed since the last commit. */
  isDirty = false;
  /** The execution whose slot it takes; it commits with that one. */
  leader: LiveExecution | undefined;
  /** Its end commits without the execution that takes its slot: together they exceed a limit of the database. */
  hasNoSuccessor = false;
  /** Called once its events are settled; with the error if the database refuses the commit. */
  waiters: Set<(error?: Error) => void> | undefined;
  /** True until its creating commit is durable. */
  isBeforeFirstCommit = false;
  /** True while it is the object in memory of its id ({@link LiveExecutions}). */
  isKept = false;
  /** True if the manifests list it as live. */
  isListed = false;
  /** True once its changes have exceeded a limit of the database: it ends with the next commit. */
  isUnstorable = false;
  /** True once it was deleted, or its uncommitted changes discarded: nothing of this object may be written. */
  isDropped = false;
  /** Flow control of the log lines of running attempts; absent if none has logged yet. */
  logFlow: LogFlow | undefined;
  /** Its last committed catalog row, while it is live. */
  row: Uint8Array | undefined;

  constructor(execution: Execution, plan: FlowPlan, form: StoredForm, renderer: Renderer) {
    this.execution = execution;
    this.plan = plan;
    this.form = form;
    this.renderer = renderer;
    this.tree = new ExecutionTree(plan, execution);
  }

  /** True while this process has work for it; otherwise only a timer, a message or a request resumes it. */
  get isLive(): boolean {
    return this.events.length > 0 || this.deferred.length > 0 || (this.running?.size ?? 0) > 0 ||
      this.awaiting > 0 || (this.resources?.size ?? 0) > 0;
  }

  /** Interrupts all running attempts. */
  interruptAll(): void {
    for (const controller of this.running?.values() ?? []) controller.abort();
  }

  /** This execution and all members of its commit group, this one first. */
  commitGroup(): LiveExecution[] {
    if (this.members.length === 0) return [this];
    return [
      this,
      ...this.members.filter(({ isDropped }) => !isDropped).flatMap((member) => member.commitGroup()),
    ];
  }

  /** The execution whose commit makes its events durable. */
  get root(): LiveExecution {
    return this.leader?.root ?? this;
  }

  /** Reports a refused commit to the waiters of its commit group. */
  refuse(error: Error): void {
    for (const member of this.commitGroup()) member.waiters?.forEach((settle) => settle(error));
  }

  /** Reports to waiters that all events are durable. */
  settle(): void {
    this.waiters?.forEach((settle) => settle());
  }

  /** Key in maps. */
  get key(): string {
    return liveKey(this.execution.tenant, this.execution.id);
  }
}

/** Resolves once the current events of an execution are durable or refused; with the error if the database refuses the commit. */
export function nextCommit(live: LiveExecution, changes: Changes): Promise<Error | undefined> {
  const { tenant, id } = live.execution;
  const settled = Promise.withResolvers<Error | undefined>();
  const unsubscribe = changes.subscribe(tenant, id, () => {
    if (live.events.length === 0 || live.isDropped) settled.resolve(undefined);
  });
  const waiters = live.waiters ??= new Set();
  waiters.add(settled.resolve);
  return settled.promise.finally(() => {
    unsubscribe();
    waiters.delete(settled.resolve);
  });
}
