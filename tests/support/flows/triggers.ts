/** Flows with triggers, and the executions that they start. */
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import type { Harness } from "../harness.ts";

/** A flow of namespace `demo` with one trigger. By default its only task returns the variable `trigger`. */
export function triggeredFlow(id: string, trigger: JsonObject, members: JsonObject = {}): string {
  const returns = { id: "out", type: "io.kestra.plugin.core.debug.Return", format: "{{ trigger | json }}" };
  return stringifyJson({
    id,
    namespace: "demo",
    tasks: [returns],
    triggers: [{ id: "t", ...trigger }],
    ...members,
  });
}

/** A schedule. */
export function schedule(cron: string, properties: JsonObject = {}): JsonObject {
  return { type: "io.kestra.plugin.core.trigger.Schedule", cron, ...properties };
}

/** A trigger that reacts to executions. */
export function flowTrigger(properties: JsonObject = {}): JsonObject {
  return { type: "io.kestra.plugin.core.trigger.Flow", ...properties };
}

/** A condition. */
export function condition(type: string, properties: JsonObject = {}): JsonObject {
  return { type: `io.kestra.plugin.core.condition.${type}`, ...properties };
}

/** The checked members of an execution. */
export interface StartedExecution {
  readonly id: string;
  readonly state: string;
  readonly triggerId: string;
  readonly trigger: JsonObject;
  readonly inputs: JsonObject;
  readonly labels: Readonly<Record<string, string>>;
}

/** The executions of a flow of namespace `demo`, oldest first. */
export async function executionsOf(app: Harness, flowId: string): Promise<StartedExecution[]> {
  const query = `size=1000&filters[flowId][EQUALS]=${flowId}`;
  const { results } = await app.json("GET", `/executions/search?${query}`) as { results: JsonObject[] };
  return results.map(startedOf).sort((a, b) => a.id < b.id ? -1 : 1);
}

/** The dates for which a schedule has started executions. */
export async function datesOf(app: Harness, flowId: string): Promise<string[]> {
  return (await executionsOf(app, flowId)).map(({ trigger }) => String(trigger.date));
}

/** The state of trigger `t` of a flow of namespace `demo`. */
export async function stateOf(app: Harness, flowId: string): Promise<JsonObject> {
  const { results } = await app.json("GET", `/triggers/demo/${flowId}`) as { results: JsonObject[] };
  return results[0] ?? {};
}

/** The outcome of each evaluation with its reason, the latest first. */
export function evaluationsOf(state: JsonObject): string[] {
  const list = Array.isArray(state.evaluations) ? state.evaluations.filter(isJsonObject) : [];
  return list.map(({ outcome, reason }) => reason === undefined ? String(outcome) : `${outcome}: ${reason}`);
}

function startedOf(execution: JsonObject): StartedExecution {
  const trigger = objectOf(execution.trigger);
  const labels = Array.isArray(execution.labels) ? execution.labels.map(objectOf) : [];
  return {
    id: String(execution.id),
    state: String(objectOf(execution.state).current),
    triggerId: String(trigger.id),
    trigger: objectOf(trigger.variables),
    inputs: objectOf(execution.inputs),
    labels: Object.fromEntries(labels.map(({ key, value }) => [String(key), String(value)])),
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
