/** Which actions an execution allows now, and why not the others. The server has the last word. */
import type { State } from "../../../../model/executions/state.ts";
import { type ExecutionInfo, hasEnded } from "../../api/execution.ts";
import { may } from "../../core/access.ts";
import type { TextName } from "../../texts/mod.ts";

/** Names of the actions, in the order of the menu. */
export const EXECUTION_ACTIONS = [
  "resume",
  "restart",
  "replay",
  "pause",
  "forceRun",
  "unqueue",
  "kill",
  "changeState",
  "labels",
  "delete",
] as const;

/** One of {@link EXECUTION_ACTIONS}. */
export type ExecutionAction = typeof EXECUTION_ACTIONS[number];

type Rule = (execution: ExecutionInfo) => TextName | undefined;

const inStates = (states: readonly State[], reason: TextName): Rule => ({ state }) =>
  states.includes(state.current) ? undefined : reason;

const onceEnded: Rule = (execution) => hasEnded(execution) ? undefined : "execution.why.mustHaveEnded";

const RULES: Readonly<Record<ExecutionAction, Rule>> = {
  resume: inStates(["PAUSED", "BREAKPOINT"], "execution.why.notPaused"),
  restart: inStates(
    ["FAILED", "KILLED", "CANCELLED", "WARNING", "RETRIED", "PAUSED"],
    "execution.why.nothingFailed",
  ),
  replay: () => undefined,
  pause: inStates(["RUNNING"], "execution.why.notRunning"),
  forceRun: inStates(["CREATED", "QUEUED", "RESTARTED"], "execution.why.notWaiting"),
  unqueue: inStates(["QUEUED"], "execution.why.notQueued"),
  kill: (execution) =>
    hasEnded(execution) && execution.state.current !== "RETRIED" ? "execution.why.hasEnded" : undefined,
  changeState: onceEnded,
  labels: onceEnded,
  delete: onceEnded,
};

/** Why an action is refused now; `undefined` if it can be tried. */
export function refusalOf(action: ExecutionAction, execution: ExecutionInfo): TextName | undefined {
  return may("change") ? RULES[action](execution) : "me.readOnly";
}

/** Those that one wants most in a state; they have buttons of their own. */
const FIRST: ReadonlyMap<State, readonly ExecutionAction[]> = new Map<State, readonly ExecutionAction[]>([
  ["CREATED", ["forceRun", "kill"]],
  ["QUEUED", ["forceRun", "kill"]],
  ["RUNNING", ["pause", "kill"]],
  ["PAUSED", ["resume", "kill"]],
  ["BREAKPOINT", ["resume", "kill"]],
  ["RETRYING", ["kill"]],
  ["SUCCESS", ["replay"]],
]);

/** The actions with a button of their own; the first is the most likely one. */
export function mainActions({ state }: ExecutionInfo): readonly ExecutionAction[] {
  return FIRST.get(state.current) ?? ["restart", "replay"];
}
