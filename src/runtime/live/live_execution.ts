/** One execution while this process works on it: its events, its running attempts, what its next commit must carry. */
import type { Instant } from "../../base/clock.ts";
import type { Command, Event, Refusal, TimerName } from "../../engine/events.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { ExecutionTree } from "../../engine/tree.ts";
import type { Execution } from "../../model/executions/execution.ts";
import type { PendingFiles } from "../../model/executions/pending_files.ts";
import type { Changes } from "../../store/changes.ts";
import type { StoredForm } from "../../store/records/execution_form.ts";
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

/** What belongs to an event that came from outside. */
export interface Receipt {
  /** The message that brought it. */
  readonly key?: Key;
  /** What is created with it, unless nobody wants it any more. */
  readonly newExecutions?: readonly NewExecution[];
  /** Stored with the transition that the event causes; left out when the event is refused. */
  readonly mutations?: readonly Mutation[];
  /** Called when the event was applied or refused, before anything else happens. */
  readonly onSettled?: (execution: Execution, refusal?: Refusal) => void;
}

/** State of an execution in work. Changed by the executor alone. */
export class LiveExecution {
  readonly execution: Execution;
  readonly plan: FlowPlan;
  readonly form: StoredForm;
  readonly renderer: Renderer;
  /** What is under way in it. */
  readonly tree: ExecutionTree;
  /** Facts that wait to be applied. */
  readonly events: Event[] = [];
  /** Attempts to start once the slice is durable. */
  deferred: AttemptCommand[] = [];
  timerChanges: TimerChange[] = [];
  /** Executions that take part in the next commit; until then they do nothing of their own accord. */
  members: LiveExecution[] = [];
  /** What the next commit tells other executions. */
  messages: Message[] = [];
  /** What else the next commit carries: metrics, outputs kept for later. */
  extras: Mutation[] = [];
  /** Files of attempts that have ended since the last commit. */
  files: PendingFiles[] = [];
  /** Messages that were applied; the next commit removes them. */
  receivedKeys: Key[] = [];
  /** What belongs to events that came from outside, until they are applied. */
  receipts: Map<Event, Receipt> | undefined;
  /** Storage URIs of batches by the task run that starts an execution for each. */
  batches: Map<number, { readonly attempt: number; readonly uris: readonly string[] }> | undefined;
  /** What task runs hold on this machine until they have ended. */
  releases: Map<number, () => Promise<void>> | undefined;
  /** Attempts under way, by task run; absent where there never was one. */
  running: Map<number, AbortController> | undefined;
  /** Renders and pure attempts that wait for a value. */
  awaiting = 0;
  /** The loop that applies events and commits is running. */
  isDriven = false;
  /** Something changed since the last commit. */
  isDirty = false;
  /** The one whose commit it takes part in without having been created by it. */
  leader: LiveExecution | undefined;
  /** Those who wait for its events to be settled; with the error when the database refuses the commit. */
  waiters: Set<(error?: Error) => void> | undefined;
  /** No commit has created it yet. */
  isBeforeFirstCommit = false;
  /** The manifests list it. */
  isListed = false;
  /** It was deleted: nothing of it may be written any more. */
  isDropped = false;
  /** The log lines of attempts under way; absent where none writes any. */
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

  /** Whether anything is under way that this process must see through; otherwise a timer or a person wakes it. */
  get isLive(): boolean {
    return this.events.length > 0 || this.deferred.length > 0 || (this.running?.size ?? 0) > 0 ||
      this.awaiting > 0 || (this.releases?.size ?? 0) > 0;
  }

  /** Asks every attempt under way to stop. */
  interruptAll(): void {
    for (const controller of this.running?.values() ?? []) controller.abort();
  }

  /** It and all that take part in its next commit, it first. */
  commitGroup(): LiveExecution[] {
    if (this.members.length === 0) return [this];
    return [
      this,
      ...this.members.filter(({ isDropped }) => !isDropped).flatMap((member) => member.commitGroup()),
    ];
  }

  /** The one with whose commit its events become durable. */
  get root(): LiveExecution {
    return this.leader?.root ?? this;
  }

  /** Reports to those who wait for its next commit that the database refuses it. */
  refuse(error: Error): void {
    for (const member of this.commitGroup()) member.waiters?.forEach((settle) => settle(error));
  }

  /** Reports to those who wait that all events are settled and nothing is left to commit. */
  settle(): void {
    this.waiters?.forEach((settle) => settle());
  }

  /** Key in maps. */
  get key(): string {
    return `${this.execution.tenant}/${this.execution.id}`;
  }
}

/** Settles once the events that an execution was given so far are durable or refused; with the error when the database refuses them. */
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
