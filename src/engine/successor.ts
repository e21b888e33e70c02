/** The execution that takes the place of one that is tried again. */
import { derivedId } from "../base/derived_id.ts";
import type { Execution } from "../model/executions/execution.ts";
import { changedAt } from "../model/executions/state.ts";

/** Its id, of an execution that is RETRIED: it follows from that end, so that whoever knows the one finds the other. */
export function successorId({ id, history }: Pick<Execution, "id" | "history">): string {
  return derivedId(changedAt(history), 0, `${id}/retry`);
}
