/** What must hold of an execution after every transition, whatever happened before. */
import { countedAttempts, isStopping, retryPolicyOf } from "../../src/engine/attempts.ts";
import { type Branches, eachListener } from "../../src/engine/branches.ts";
import { branchesOfTaskRun, type ExecutionTree, type Phase, phaseOf, PHASES } from "../../src/engine/tree.ts";
import { type TaskRun, taskRunOf } from "../../src/model/executions/execution.ts";
import {
  canMove,
  currentState,
  type History,
  isEnded,
  type StateOwner,
} from "../../src/model/executions/state.ts";
import { treeProblem } from "./tree_agreement.ts";

/** Facts from before a transition, and about the simulation. */
export interface Around {
  /** Ordinal of the first task run that the transition may have created. */
  readonly firstNew: number;
  /** Nothing might begin. */
  readonly wasHeld: boolean;
  /** Pending responses. */
  readonly hasPending: boolean;
  /** It was restarted or its states were changed: attempts and ends are not those of a single run. */
  readonly isChanged: boolean;
}

type Check = (tree: ExecutionTree, around: Around) => string | undefined;

/** The first invariant that does not hold. */
export function findViolation(tree: ExecutionTree, around: Around): string | undefined {
  for (const check of CHECKS) {
    const problem = check(tree, around);
    if (problem) return problem;
  }
  return undefined;
}

const CHECKS: readonly Check[] = [
  histories,
  attempts,
  nothingOpenAfterTheEnd,
  parents,
  order,
  limits,
  nothingNewWhenHeld,
  stateOfWaiting,
  endsOfParents,
  timers,
  (tree) => isEnded(tree.execution.history) ? undefined : treeProblem(tree),
];

function histories({ execution }: ExecutionTree): string | undefined {
  const problem = historyProblem("execution", execution.history);
  if (problem) return `execution: ${problem}`;
  for (const { ordinal, history, attempts } of execution.taskRuns) {
    for (const each of [history, ...attempts.map((attempt) => attempt.history)]) {
      const found = historyProblem("task_run", each);
      if (found) return `task run ${ordinal}: ${found}`;
    }
  }
  return undefined;
}

function historyProblem(owner: StateOwner, history: History): string | undefined {
  for (let i = 1; i < history.length; i++) {
    const [from, to] = [history[i - 1], history[i]];
    if (!from || !to || !canMove(owner, from.state, to.state)) {
      return `${from?.state} → ${to?.state} is illegal`;
    }
    if (to.at < from.at) return `${to.state} is dated before ${from.state}`;
  }
  return undefined;
}

/** Only the latest attempt may be open, and only while its task run works. */
function attempts({ plan, execution }: ExecutionTree, { isChanged }: Around): string | undefined {
  for (const taskRun of execution.taskRuns) {
    const { ordinal, history } = taskRun;
    const openAttempts = taskRun.attempts.filter((attempt) => !isEnded(attempt.history));
    const isWorking = /^(RUNNING|KILLING)$/.test(currentState(history));
    if (openAttempts.length > (isWorking ? 1 : 0)) return `task run ${ordinal} has an open attempt too many`;
    const place = plan.places.get(taskRun.taskId);
    const most = place && retryPolicyOf(plan, place)?.maxAttempts;
    if (!isChanged && countedAttempts(taskRun) > (most ?? Infinity)) {
      return `task run ${ordinal}: too many attempts`;
    }
    if (!isChanged && !place?.task.retry && !most && countedAttempts(taskRun) > 1) {
      return `task run ${ordinal} was tried again without a retry`;
    }
  }
  return undefined;
}

function isAfterTheEnd({ plan, execution }: ExecutionTree, taskRun: TaskRun): boolean {
  const place = plan.places.get(taskRun.taskId);
  if (taskRun.parent === undefined) return place !== undefined && phaseOf(place) === "afterExecution";
  const parent = taskRunOf(execution, taskRun.parent);
  return parent !== undefined && isAfterTheEnd({ plan, execution } as ExecutionTree, parent);
}

function nothingOpenAfterTheEnd(tree: ExecutionTree): string | undefined {
  if (!isEnded(tree.execution.history)) return undefined;
  const open = tree.execution.taskRuns.find((taskRun) =>
    !isEnded(taskRun.history) && !isAfterTheEnd(tree, taskRun)
  );
  return open && `task run ${open.ordinal} is open in an ended execution`;
}

function parents(tree: ExecutionTree): string | undefined {
  for (const { ordinal, parent, history } of tree.execution.taskRuns) {
    if (isEnded(history) || parent === undefined) continue;
    const around = taskRunOf(tree.execution, parent);
    if (!around) return `task run ${ordinal} is open, the one around it is gone`;
    if (isEnded(around.history)) return `task run ${ordinal} is open, the one around it has ended`;
    if (!tree.frameOf(around)) return `task run ${ordinal} is open below one that has not begun`;
  }
  return undefined;
}

/** Branches in order, lists one after the other. */
function order(tree: ExecutionTree, around: Around): string | undefined {
  const { execution } = tree;
  const children = Map.groupBy(execution.taskRuns, ({ parent }) => parent ?? -1);
  for (const [ordinal, all] of children) {
    const owner = ordinal < 0 ? undefined : taskRunOf(execution, ordinal);
    if (owner && isEnded(owner.history)) continue;
    const problem = orderBelow(tree, owner, { all, around });
    if (problem) return `below ${owner?.ordinal ?? "the execution"}: ${problem}`;
  }
  return undefined;
}

function orderBelow(
  tree: ExecutionTree,
  owner: TaskRun | undefined,
  { all, around }: { readonly all: readonly TaskRun[]; readonly around: Around },
): string | undefined {
  const { plan } = tree;
  const lists = Map.groupBy(all, ({ taskId }) => {
    const place = plan.places.get(taskId);
    return place ? phaseOf(place) : "tasks";
  });
  for (const [phase, list] of lists) {
    const earlier = PHASES.slice(0, PHASES.indexOf(phase)).flatMap((before) => lists.get(before) ?? []);
    if (earlier.some(({ history }) => !isEnded(history))) {
      return `${phase} began before the end of what comes first`;
    }
    const problem = branchesProblem(tree, branchesIn(tree, owner, phase), { list, around });
    if (problem) return `${phase}: ${problem}`;
  }
  return undefined;
}

function branchesIn({ plan }: ExecutionTree, owner: TaskRun | undefined, phase: Phase): Branches | undefined {
  if (phase === "tasks") return branchesOfTaskRun(plan, owner);
  const blocks = owner ? plan.places.get(owner.taskId)?.blocks : plan.blocks;
  return eachListener(blocks?.get(phase));
}

function branchesProblem(
  { plan }: ExecutionTree,
  branches: Branches | undefined,
  { list, around: { isChanged, firstNew } }: { readonly list: readonly TaskRun[]; readonly around: Around },
): string | undefined {
  if (!branches) return "children of a task that has none";
  const placeOf = (taskRun: TaskRun) => plan.places.get(taskRun.taskId);
  const byBranch = Map.groupBy(list, (taskRun) => {
    const place = placeOf(taskRun);
    return place ? branches.branchOf(taskRun, place) : 0;
  });
  for (const [branch, runs] of byBranch) {
    const indexes = runs.map((run) => placeOf(run)?.index ?? 0);
    if (indexes.some((index, at) => at > 0 && index <= (indexes[at - 1] ?? 0))) {
      return `branch ${branch}: order`;
    }
    // A restart opens task runs again that others have followed.
    const begun = isChanged ? runs.findIndex(({ ordinal }) => ordinal >= firstNew) : runs.length - 1;
    if (begun < 0) continue;
    if (runs.slice(0, begun).some((run) => !isEnded(run.history) || isStopping(run))) {
      return `branch ${branch} went on after a task that has not ended well`;
    }
    const needed = branches.needs?.(branch) ?? [];
    const isEarly = needed.some((need) => byBranch.get(need)?.some((run) => !isEnded(run.history)));
    if (isEarly) return `branch ${branch} began before what it needs had ended`;
  }
  return undefined;
}

/** No more branches are open than the limit, except after restarts. */
function limits(tree: ExecutionTree, { isChanged }: Around): string | undefined {
  if (isChanged) return undefined;
  for (const { owner, phase, branches } of tree.frames) {
    const open = new Set<number>();
    for (const taskRun of tree.open) {
      const place = tree.placeOf(taskRun);
      const isIn = taskRun.parent === owner?.ordinal && place && phaseOf(place) === phase;
      if (isIn) open.add(branches.branchOf(taskRun, place));
    }
    if (open.size > branches.limit) return `${open.size} branches are open, ${branches.limit} may be`;
  }
  return undefined;
}

function nothingNewWhenHeld({ execution }: ExecutionTree, { firstNew, wasHeld }: Around): string | undefined {
  const isStillHeld = wasHeld && !isEnded(execution.history) &&
    (execution.isHeld || execution.exitState !== undefined || currentState(execution.history) === "KILLING");
  const begun = execution.taskRuns.findLast(({ ordinal }) => ordinal >= firstNew);
  return isStillHeld && begun ? `task run ${begun.ordinal} began while nothing might` : undefined;
}

/** The state of the execution says what it waits for. */
function stateOfWaiting(tree: ExecutionTree, { hasPending }: Around): string | undefined {
  const { execution } = tree;
  const state = currentState(execution.history);
  const [active, retrying, paused] = (["active", "retrying", "paused"] as const).map((what) =>
    tree.count(what)
  );
  if (execution.isHeld || hasPending) return undefined;
  const facts = `it is ${state} with ${active} working, ${retrying} retrying, ${paused} paused`;
  if (state === "PAUSED" && (active || !paused)) return facts;
  if (state === "RETRYING" && (active || !retrying)) return facts;
  return state === "RUNNING" && !active && execution.exitState === undefined ? facts : undefined;
}

/** Nothing ends better than its children, unless that is allowed. */
function endsOfParents({ plan, execution }: ExecutionTree, { isChanged }: Around): string | undefined {
  if (isChanged) return undefined;
  for (const taskRun of execution.taskRuns) {
    if (!isEnded(taskRun.history)) continue;
    const place = plan.places.get(taskRun.taskId);
    if (taskRun.parent === undefined && place && phaseOf(place) === "afterExecution") continue;
    const parent = taskRun.parent === undefined ? undefined : taskRunOf(execution, taskRun.parent);
    const task = parent && plan.places.get(parent.taskId)?.task;
    const isBesidePause = place?.block === "onPause" && parent && currentState(parent.history) === "WARNING";
    if (isBesidePause) continue;
    if (task && (task.allowFailure || task.allowWarning || /AllowFailure/.test(task.kind))) continue;
    const [own, around] = [currentState(taskRun.history), currentState((parent ?? execution).history)];
    const isBetter = around === "SUCCESS" && /^(FAILED|KILLED|WARNING|CANCELLED)$/.test(own) ||
      around === "WARNING" && /^(FAILED|KILLED|CANCELLED)$/.test(own);
    if (isBetter) {
      return `${parent?.ordinal ?? "the execution"} has ended ${around}, ${taskRun.ordinal} ${own}`;
    }
  }
  return undefined;
}

/** A timer belongs to what waits, and what can only wait for a time has one. */
function timers({ execution }: ExecutionTree): string | undefined {
  for (const name of execution.timers.keys()) {
    const [kind, ordinal] = name.split("/");
    if (kind !== "task" && kind !== "timeout") continue;
    const taskRun = taskRunOf(execution, Number(ordinal));
    if (!taskRun || isEnded(taskRun.history)) return `the timer ${name} belongs to nothing that waits`;
  }
  // One that is held or waits for its turn tries again when it goes on.
  if (execution.isHeld || /^(QUEUED|RESTARTED)$/.test(currentState(execution.history))) return undefined;
  const lost = execution.taskRuns.find(({ ordinal, history }) =>
    currentState(history) === "RETRYING" && !execution.timers.has(`task/${ordinal}`)
  );
  return lost && `task run ${lost.ordinal} is RETRYING without a timer`;
}
