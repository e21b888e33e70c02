/**
 * The requests that may be refused, and every rule that refuses one. `step` checks them first; the functions that carry
 * out a request repeat none of them.
 */
import { assertNever } from "../../base/assert_never.ts";
import { type Execution, taskRunOf } from "../../model/executions/execution.ts";
import type { ErrorCode } from "../../model/errors.ts";
import { canMove, currentState, isEnded, type State } from "../../model/executions/state.ts";
import {
  hasLabel,
  isSystemLabel,
  type Label,
  labelsProblem,
  mergeLabels,
  systemLabelMessage,
} from "../../model/flows/label.ts";
import type { Event, EventOf, Refusal } from "../events.ts";
import { isPausedItself } from "./pause.ts";
import type { FlowPlan } from "../plan.ts";
import { canRestart, handlersOf, isAtRest, restartUnitOf } from "./restart.ts";
import { ancestorsOf } from "../tree.ts";

/** Types of the events that may be refused. */
export const REQUEST_TYPES = [
  "kill_asked",
  "pause_asked",
  "resumed",
  "breakpoint_passed",
  "restarted",
  "state_set",
  "task_state_set",
  "labels_set",
  "unqueued",
  "run_forced",
] as const satisfies readonly Event["type"][];
type RequestType = typeof REQUEST_TYPES[number];
const REQUESTS: ReadonlySet<string> = new Set(REQUEST_TYPES);

/** An event that may be refused. */
export type Request = EventOf<RequestType>;

/** True for an event that may be refused. */
export function isRequest(event: Event): event is Request {
  return REQUESTS.has(event.type);
}

/** The codes of refusals because of a state, with the first words of their messages. */
const PREFIXES = {
  conflict: "Illegal state",
  invalid_argument: "Illegal argument",
  bad_request: "Bad Request",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** What clients of this API know of a refusal, by its verb: the code, and a sentence that comes before ours. */
const KNOWN_RULES: ReadonlyMap<string, readonly [code: keyof typeof PREFIXES, sentence: string]> = new Map([
  ["kill", ["conflict", "Execution is already finished, can't kill it"]],
  ["restart", ["conflict", "Execution must be terminated to be restarted"]],
  ["pause", ["invalid_argument", "The execution is not running"]],
  ["change the state of", [
    "invalid_argument",
    "You can only change the status of a terminated execution",
  ]],
  ["unqueue", ["invalid_argument", "Only QUEUED execution can be unqueued"]],
  ["force the run of", ["invalid_argument", "Only non terminated executions can be forced run"]],
  ["set labels of", ["bad_request", "The execution is not terminated"]],
]);

type Rule<T extends RequestType> = (
  plan: FlowPlan,
  execution: Execution,
  request: EventOf<T>,
) => Refusal | undefined;

/** Why the request is refused now; `undefined` when it is carried out, even if nothing is left to do. */
export function refusalOf(plan: FlowPlan, execution: Execution, request: Request): Refusal | undefined {
  switch (request.type) {
    case "kill_asked":
      return refuseKill(plan, execution, request);
    case "pause_asked":
      return refuseUnless("pause", execution, "RUNNING");
    case "resumed":
      return refuseResume(plan, execution, request);
    case "breakpoint_passed":
      return refuseUnless("resume", execution, "BREAKPOINT");
    case "restarted":
      return refuseRestart(plan, execution, request);
    case "state_set":
      return refuseUnlessEnded("change the state of", execution);
    case "task_state_set":
      return refuseTaskState(plan, execution, request);
    case "labels_set":
      return refuseLabels(plan, execution, request);
    case "unqueued":
      return refuseUnless("unqueue", execution, "QUEUED");
    case "run_forced":
      return isEnded(execution.history)
        ? wrongState("force the run of", execution, `it is ${stateOf(execution)}, and has ended`)
        : undefined;
    default:
      return assertNever(request);
  }
}

/** The kill of a RETRIED execution is passed on to its successor. */
const refuseKill: Rule<"kill_asked"> = (_plan, execution) => {
  const state = stateOf(execution);
  return isEnded(execution.history) && state !== "RETRIED"
    ? wrongState("kill", execution, `it has already ended in state ${state}`)
    : undefined;
};

const refuseResume: Rule<"resumed"> = (_plan, execution, { taskRun: ordinal }) => {
  const taskRun = ordinal === undefined ? undefined : taskRunOf(execution, ordinal);
  const isPaused = ordinal === undefined
    ? isPausedItself(execution)
    : taskRun !== undefined && currentState(taskRun.history) === "PAUSED";
  return isPaused ? undefined : notPaused(execution);
};

/** A parent execution has already checked that there is something to restart from. */
const refuseRestart: Rule<"restarted"> = (plan, execution, { by }) => {
  const refusal = refuseUnlessAtRest("restart", execution);
  if (refusal || by !== undefined || canRestart(plan, execution)) return refusal;
  return { code: "invalid_argument", message: "Illegal argument: No task found to restart execution from!" };
};

const refuseTaskState: Rule<"task_state_set"> = (plan, execution, { taskRun: ordinal, state }) => {
  const verb = "change the state of a task run of";
  const refusal = refuseUnlessAtRest(verb, execution);
  const taskRun = taskRunOf(execution, ordinal);
  if (refusal || !taskRun) return refusal ?? wrongState(verb, execution, "it has no such task run");
  const unit = restartUnitOf(plan, execution, taskRun);
  if (unit !== taskRun) {
    const reason = `the task "${taskRun.taskId}" runs again only with all of "${unit.taskId}"; ` +
      `change the state of "${unit.taskId}"`;
    return wrongState(verb, execution, reason);
  }
  const current = currentState(taskRun.history);
  if (current === state) return undefined;
  if (handlersOf(plan, execution, new Set(ancestorsOf(execution, taskRun))).has(taskRun)) {
    const reason = `the task "${taskRun.taskId}" is part of errors, finally or afterExecution, ` +
      "which run again after a change";
    return wrongState(verb, execution, reason);
  }
  if (canMove("task_run", current, state)) return undefined;
  return wrongState(verb, execution, `it is ${current}, and cannot become ${state}`);
};

/** Labels that it has may be sent back unchanged. */
const refuseLabels: Rule<"labels_set"> = (_plan, execution, { labels, isMark }) => {
  if (isMark) return undefined;
  const refusal = refuseUnlessEnded("set labels of", execution);
  const problem = problemOf(execution, labels);
  if (refusal || problem === undefined) return refusal;
  return { code: "invalid_entity", message: `Invalid entity: labels: ${problem}` };
};

function problemOf({ labels: present }: Execution, labels: readonly Label[]): string | undefined {
  const changed = labels.find((label) => isSystemLabel(label.key) && !hasLabel(present, label));
  if (changed) return systemLabelMessage(changed.key, changed.value);
  return labelsProblem(mergeLabels(present, labels).filter(({ key }) => !isSystemLabel(key)), present);
}

/** The refusal of what needs an ended execution, or a paused one without a running attempt. */
export function refuseUnlessAtRest(verb: string, execution: Execution): Refusal | undefined {
  if (isAtRest(execution)) return undefined;
  const state = stateOf(execution);
  const reason = state === "PAUSED" ? "a task is still running" : `it is ${state}`;
  return wrongState(verb, execution, `${reason}; it must have ended or be paused`);
}

function refuseUnlessEnded(verb: string, execution: Execution): Refusal | undefined {
  if (isEnded(execution.history)) return undefined;
  return wrongState(verb, execution, `it is ${stateOf(execution)}, and must have ended`);
}

function refuseUnless(verb: string, execution: Execution, state: State): Refusal | undefined {
  if (stateOf(execution) === state) return undefined;
  return wrongState(verb, execution, `it is ${stateOf(execution)}, and must be ${state}`);
}

/** A refusal because of the state of an execution. */
export function wrongState(verb: string, { id }: Pick<Execution, "id">, reason: string): Refusal {
  const [code, sentence] = KNOWN_RULES.get(verb) ?? ["conflict"];
  const message = `Cannot ${verb} execution "${id}": ${reason}`;
  return { code, message: `${PREFIXES[code]}: ${sentence === undefined ? "" : `${sentence}. `}${message}` };
}

/** The refusal of a resume. Clients know the words. */
export function notPaused({ id }: Pick<Execution, "id">): Refusal {
  return { code: "conflict", message: `Illegal state: Execution '${id}' is not paused, can't resume it` };
}

function stateOf({ history }: Execution): State {
  return currentState(history);
}
