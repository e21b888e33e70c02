/** Creates executions that tasks start: finds the flow, converts the inputs, evaluates the checks. */
import type { Clock } from "../../base/time/clock.ts";
import type { IdSource } from "../../base/id.ts";
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { whenKnown } from "../../base/when_known.ts";
import { createExecution } from "../../engine/create.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import { DomainError } from "../../model/errors.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import { isEnded } from "../../model/executions/state.ts";
import type { NewExecution } from "../../runtime/live/messages.ts";
import type { SubflowRequest } from "../../runtime/children/subflow.ts";
import type { Flows } from "../flows/flows.ts";
import { type StartChecks, withLabels } from "./start_checks.ts";

interface SubflowsDeps {
  readonly flows: Flows;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly checks: StartChecks;
}

/** Creates executions; stores nothing. */
export class Subflows {
  readonly #deps: SubflowsDeps;

  constructor(deps: SubflowsDeps) {
    this.#deps = deps;
  }

  /** A new execution of that flow; synchronously if the flow is in memory, so that it can be part of the slice of its parent. @throws DomainError not_found, conflict, invalid_entity */
  create(request: SubflowRequest): NewExecution | Promise<NewExecution> {
    return whenKnown(this.#planOf(request), (known) => this.#create(known, request));
  }

  #planOf(request: SubflowRequest): FlowPlan | Promise<FlowPlan> {
    const { tenant, namespace, flowId: id, revision } = request;
    const refuse = (error: unknown): never => {
      throw withFlow(error, request);
    };
    try {
      const plan = this.#deps.flows.plan(tenant, { namespace, id }, { revision });
      return plan instanceof Promise ? plan.catch(refuse) : plan;
    } catch (error) {
      return refuse(error);
    }
  }

  #create(plan: FlowPlan, request: SubflowRequest): NewExecution | Promise<NewExecution> {
    const { namespace, flowId } = request;
    if (plan.flow.disabled) {
      throw new DomainError("conflict", `Cannot execute a flow which is disabled: "${namespace}.${flowId}"`);
    }
    const flow = withLabels(plan.flow, request.labels);
    const given = givenValues(request.inputs);
    return this.#deps.checks.reading(flow, (checks) => {
      const inputs = checks.inputs(flow, given);
      return this.#evaluated(checks, plan, { ...request, inputs });
    });
  }

  #evaluated(
    checks: StartChecks,
    plan: FlowPlan,
    request: Omit<SubflowRequest, "inputs"> & { readonly inputs?: JsonObject },
  ): NewExecution {
    const { clock, ids } = this.#deps;
    const { namespace, flowId, inputs } = request;
    const now = clock.now();
    const { labels, trigger, scheduleDate, awaitedBy } = request;
    const isLater = scheduleDate !== undefined && scheduleDate > now;
    const execution = createExecution(plan.flow, {
      id: request.id ?? ids.next(now),
      inputs,
      labels,
      trigger,
      kind: "NORMAL",
      scheduleDate: isLater ? scheduleDate : undefined,
      awaitedBy,
    }, now);
    checks.evaluateChecks(plan.flow, execution, now);
    if (isEnded(execution.history)) {
      const [line] = execution.newLogs;
      throw new DomainError("conflict", `Cannot execute "${namespace}.${flowId}": ${line?.message}`);
    }
    return { execution, plan };
  }
}

/** The refusal with the words that clients know, if the flow or its revision is missing; 0 stands for the latest one. */
function withFlow(error: unknown, { namespace, flowId, revision = 0 }: SubflowRequest): unknown {
  if (!(error instanceof DomainError) || error.code !== "not_found") return error;
  const wanted = `Unable to find flow '${namespace}'.'${flowId}' with revision '${revision}':`;
  return new DomainError("not_found", error.message.replace("Not Found:", () => wanted), { cause: error });
}

/** Input values given by a task; null means no value. */
export function givenValues(inputs: JsonObject): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>();
  for (const id of Object.keys(inputs)) {
    const value = ownProperty(inputs, id);
    if (value !== undefined && value !== null) given.set(id, { kind: "value", value });
  }
  return given;
}
