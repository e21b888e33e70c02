/** Creates executions. */
import type { Instant } from "../base/time/clock.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow } from "../model/flows/flow.ts";
import { CORRELATION_LABEL, isSystemLabel, type Label, mergeLabels } from "../model/flows/label.ts";

/** The given members of a new execution. */
type StartRequest =
  & Readonly<Pick<Execution, "id" | "inputs" | "trigger" | "kind" | "scheduleDate" | "awaitedBy" | "loop">>
  & Readonly<Pick<Execution, "breakpoints" | "variables">>
  & { readonly labels: readonly Label[] };

/**
 * A new execution in state CREATED. Labels: the flow's without those of the system, which are about the flow, then the given
 * ones, then the correlation id unless given.
 */
export function createExecution(flow: Flow, request: StartRequest, now: Instant): Execution {
  const labels = mergeLabels(flow.labels.filter(({ key }) => !isSystemLabel(key)), request.labels);
  if (!labels.some((label) => label.key === CORRELATION_LABEL)) {
    labels.push({ key: CORRELATION_LABEL, value: request.id });
  }
  return {
    tenant: flow.tenant,
    id: request.id,
    namespace: flow.namespace,
    flowId: flow.id,
    flowNo: flow.flowNo,
    flowRevision: flow.revision,
    history: [{ state: "CREATED", at: now }],
    inputs: request.inputs,
    labels,
    trigger: request.trigger,
    kind: request.kind,
    scheduleDate: request.scheduleDate,
    originalId: request.id,
    attemptNumber: 1,
    crashes: 0,
    taskRuns: [],
    nextOrdinal: 0,
    breakpoints: request.breakpoints,
    awaitedBy: request.awaitedBy,
    loop: request.loop,
    variables: request.variables,
    touched: new Set(),
    timers: new Map(),
    newLogs: [],
    logCount: 0,
  };
}
