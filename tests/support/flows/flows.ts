/** Flows for tests that need no YAML. */
import type { JsonObject } from "../../../src/base/json.ts";
import { type FlowPlan, planFlow } from "../../../src/engine/plan.ts";
import { canonicalType, type Flow, type Task } from "../../../src/model/flows/flow.ts";

/** A task of that type with these properties. */
export function task(id: string, type: string, properties: JsonObject = {}): Task {
  const { disabled, allowFailure, allowWarning, runIf, logLevel, timeout } = properties;
  return {
    id,
    type,
    kind: canonicalType(type),
    properties: { id, type, ...properties },
    disabled: disabled === true,
    allowFailure: allowFailure === true,
    allowWarning: allowWarning === true,
    runIf: runIf as string | undefined,
    logLevel: logLevel as Task["logLevel"],
    timeout: timeout as string | undefined,
    blocks: new Map(),
  };
}

/** A `core.debug.Return` task. */
export function returns(id: string, format = id, properties: JsonObject = {}): Task {
  return task(id, "io.svc.plugin.core.debug.Return", { format, ...properties });
}

/** A plan of a flow with these members. */
export function plan(members: Partial<Flow> = {}): FlowPlan {
  return planFlow({
    tenant: "main",
    namespace: "demo",
    id: "flow",
    revision: 1,
    flowNo: 1,
    disabled: false,
    deleted: false,
    labels: [],
    inputs: [],
    outputs: [],
    variables: {},
    tasks: [returns("a")],
    errors: [],
    finally: [],
    afterExecution: [],
    sla: [],
    triggers: [],
    definition: {},
    source: "",
    ...members,
  });
}
