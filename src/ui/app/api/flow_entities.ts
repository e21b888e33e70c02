/** Flows and what belongs to them in responses; only members that views read. */
import type { State } from "../../../model/executions/state.ts";
import type { LabelInfo } from "./entities.ts";

/** A flow in a list. */
export interface FlowRow {
  readonly namespace: string;
  readonly id: string;
  readonly revision: number;
  readonly description?: string;
  readonly labels?: readonly LabelInfo[];
  readonly inputs?: readonly { readonly id: string; readonly type: string; readonly description?: string }[];
  readonly triggers?: readonly { readonly id: string; readonly type: string }[];
  readonly disabled: boolean;
  readonly draft?: boolean;
}

/** A flow with its source. */
export interface FlowSource extends FlowRow {
  readonly source: string;
}

/** Namespace and id. */
export type FlowKey = Pick<FlowRow, "namespace" | "id">;

/** The latest execution of a flow. */
export interface LatestExecution {
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly startDate: string;
  readonly status: State;
}

/** A trigger with its state. */
export interface TriggerRow {
  readonly abstractTrigger?: { readonly id: string; readonly type: string };
  readonly triggerContext: {
    readonly triggerId: string;
    readonly nextExecutionDate?: string;
    readonly date?: string;
    readonly disabled?: boolean;
    readonly locked?: boolean;
    readonly evaluations?: readonly { readonly date: string; readonly reason?: string }[];
  };
}

/** A template in a list. */
export interface BlueprintRow {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly includedTasks: readonly string[];
  readonly tags: readonly string[];
}
