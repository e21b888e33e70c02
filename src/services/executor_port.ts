/** What runs executions, as the services see it: the runtime. */
import type { Event } from "../engine/events.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { TenantId } from "../model/flows/flow.ts";
import type { EntryFacts } from "../store/committer.ts";
import type { Mutation } from "../store/store.ts";

/** What runs executions. */
export interface ExecutorPort {
  /** Starts an execution; resolves once it is durable. */
  begin(execution: Execution, plan: FlowPlan, files: readonly Mutation[]): Promise<void>;
  /**
   * Gives an execution an event; resolves once all that follows at once is durable, false for an unknown execution.
   * `onApplied` is called when the event was applied, before anything that follows from it happens.
   */
  send(
    tenant: TenantId,
    id: string,
    event: Event,
    onApplied: (execution: Execution) => void,
  ): Promise<boolean>;
  /** Whether it is being worked on right now; one that has ended may still run tasks. */
  isLive(tenant: TenantId, id: string): boolean;
  /** Stops all work on an execution that is about to be deleted. */
  drop(tenant: TenantId, id: string): EntryFacts;
  /** Takes up again an execution that was dropped but could not be deleted. */
  restore(tenant: TenantId, id: string): Promise<boolean>;
  /** Gives an execution a slot of its flow whatever the limit; stored with its next commit. */
  forceSlot(execution: Execution): void;
  /**
   * What an execution leaves behind that is about to be deleted: its slot of the flow's limit goes to the next, and the
   * execution that waits for it is told that it was killed.
   */
  leave(execution: Execution, limit: number | undefined): Removal;
  /** How many executions of the flow run, and how many come before this one in the queue; -1 when it does not wait. */
  slotUsage(execution: Execution): { readonly running: number; readonly ahead: number };
}

/** What must be stored with the entry that deletes an execution. */
export interface Removal {
  readonly mutations: readonly Mutation[];
  /** To be called once the entry is durable. */
  readonly committed: () => void;
  /** To be waited for after that. */
  readonly tell: () => Promise<void>;
}
