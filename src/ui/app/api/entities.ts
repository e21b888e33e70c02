/** Entities of responses, with the members that views read. */
import type { Schemas } from "./schemas.ts";

/** A state with its history. */
export type StateInfo = Schemas["State"];

/** A label. */
export type LabelInfo = Schemas["Label"];

/** An execution in a list. */
export type ExecutionRow =
  & Pick<Schemas["Execution"], "id" | "namespace" | "flowId" | "flowRevision" | "state" | "labels">
  & { readonly trigger?: Partial<Schemas["ExecutionTrigger"]> };

/** A log line in a list. One of a trigger has no execution. Its message may hold ANSI sequences. */
export type LogRow = Schemas["LogEntry"];
