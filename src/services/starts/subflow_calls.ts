/** Calls of `subflow()` in inputs: starts the flow, waits for its end, returns its outputs. */
import { formatDuration } from "../../base/time/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { currentState } from "../../model/executions/state.ts";
import { checkStartLabels, FROM_LABEL, mergeLabels } from "../../model/flows/label.ts";
import type { SubflowCall, SubflowPort } from "../../rendering/host_functions/mod.ts";
import type { NewExecution } from "../../runtime/live/messages.ts";
import type { Subflows } from "./subflows.ts";

/** Calls within the inputs of flows that are called: more would be an endless recursion. */
const MAX_DEPTH = 3;

interface SubflowCallsDeps {
  /** Creates executions of called flows. */
  readonly subflows: Subflows;
  /** Starts the execution; the execution once it has ended, `undefined` if it takes longer. */
  readonly run: (created: NewExecution, timeoutMs: number) => Promise<Execution | undefined>;
  /** The calls that this one is part of. */
  readonly depth: number;
}

/** Runs called flows. */
export class SubflowCalls implements SubflowPort {
  readonly #deps: SubflowCallsDeps;

  constructor(deps: SubflowCallsDeps) {
    this.#deps = deps;
  }

  /** @inheritdoc */
  async run(call: SubflowCall): Promise<JsonObject> {
    const name = `"${call.namespace}.${call.flowId}"`;
    const { subflows, run, depth } = this.#deps;
    if (depth >= MAX_DEPTH) {
      throw new Error(`Cannot run ${name}: calls of subflow() are nested more than ${MAX_DEPTH} deep`);
    }
    const labels = mergeLabels(call.labels, [{ key: FROM_LABEL, value: "subflow" }]);
    try {
      checkStartLabels(labels);
      const created = await subflows.create({ ...call, labels });
      return resultOf(await run(created, call.timeoutMs), created.execution.id, call);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      throw new Error(`Cannot run ${name}: ${error.message}`);
    }
  }
}

/** States whose outputs are used. */
const GOOD_ENDS: ReadonlySet<string> = new Set(["SUCCESS", "WARNING"]);

function resultOf(ended: Execution | undefined, id: string, call: SubflowCall): JsonObject {
  const subject = `The execution "${id}" of "${call.namespace}.${call.flowId}"`;
  if (!ended) {
    throw new Error(`${subject} has not ended within ${formatDuration(call.timeoutMs)} and continues`);
  }
  const state = currentState(ended.history);
  if (!GOOD_ENDS.has(state)) throw new Error(`${subject} ended ${state}`);
  const labels = Object.fromEntries(ended.labels.map(({ key, value }) => [key, value]));
  return { id, state, outputs: ended.outputs ?? {}, labels };
}
