/** Flows and what belongs to them in responses, with the members that views read. */
import type { Schemas } from "./schemas.ts";

/** A flow in a list. */
export type FlowRow =
  & Pick<Schemas["Flow"], "namespace" | "id" | "revision" | "description" | "labels" | "inputs" | "triggers">
  & Pick<Schemas["Flow"], "disabled">
  & Partial<Pick<Schemas["Flow"], "draft">>;

/** A flow with its source. */
export type FlowSource = FlowRow & Pick<Schemas["FlowWithSource"], "source">;

/** Namespace and id. */
export type FlowKey = Schemas["FlowKey"];

/** The latest execution of a flow. */
export type LatestExecution = Schemas["LatestExecution"];

/** A trigger with its state. */
export type TriggerRow = Schemas["ListedTrigger"];

/** A template in a list. */
export type BlueprintRow = Pick<
  Schemas["BlueprintItem"],
  "id" | "title" | "description" | "includedTasks" | "tags"
>;
