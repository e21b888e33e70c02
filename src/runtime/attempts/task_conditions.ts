/** Conditions of the older `listeners`: trigger conditions, evaluated on the ended execution. */
import type { Clock } from "../../base/time/clock.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { currentState } from "../../model/executions/state.ts";
import { Conditions } from "../../rendering/conditions.ts";
import { retriedStatesOf } from "../../rendering/upstream_variables.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { TaskScope } from "../../rendering/variables.ts";

interface TaskConditionsDeps {
  readonly catalog: TriggerCatalog;
  readonly clock: Clock;
  readonly timeZone: string;
}

/** Evaluates conditions of tasks. */
export class TaskConditions {
  readonly #deps: TaskConditionsDeps;

  constructor(deps: TaskConditionsDeps) {
    this.#deps = deps;
  }

  /** True if all conditions of a task hold now; their templates see what those of the task see. @throws ExpressionError, Error a condition cannot be evaluated */
  async hold(live: LiveExecution, at: TaskScope): Promise<boolean> {
    const { clock, timeZone, catalog } = this.#deps;
    const { execution, plan: { flow } } = live;
    const { id: executionId, namespace, flowId: id, labels, taskRuns } = execution;
    const retriedStates = retriedStatesOf(taskRuns);
    const state = currentState(execution.history);
    const variables = { trigger: triggerVariables(live) };
    const render = (value: JsonValue) => rendered(live, value, { at, variables });
    const conditions = new Conditions(catalog, {
      value: (_flow, value) => render(value),
      text: async (_flow, template) => String(await render(template)),
    });
    const scope = conditions.scope({
      flow,
      date: clock.now(),
      timeZone,
      variables,
      execution: { executionId, namespace, id, state, labels, retriedStates },
    });
    for (const condition of at.task.conditions ?? []) if (!await scope.holds(condition)) return false;
    return true;
  }
}

/** The variables that a Flow trigger would pass on about the execution. */
function triggerVariables({ execution }: LiveExecution): JsonObject {
  const { id: executionId, namespace, flowId, flowRevision, outputs } = execution;
  const state = currentState(execution.history);
  return { executionId, namespace, flowId, flowRevision, state, outputs: outputs ?? {} };
}

async function rendered(
  live: LiveExecution,
  value: JsonValue,
  seen: { readonly at: TaskScope; readonly variables: JsonObject },
): Promise<JsonValue> {
  if (typeof value === "string") return await live.renderer.value(value, seen.at, seen.variables);
  if (Array.isArray(value)) return await Promise.all(value.map((item) => rendered(live, item, seen)));
  if (!isJsonObject(value)) return value;
  const object: JsonObject = {};
  for (const name of Object.keys(value)) {
    setOwnProperty(object, name, await rendered(live, ownProperty(value, name) ?? null, seen));
  }
  return object;
}
