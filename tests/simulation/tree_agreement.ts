/** Compares the tree that transitions have updated with one derived from the execution. */
import { ExecutionTree, type Frame, opensNoMore } from "../../src/engine/tree.ts";
import { currentState } from "../../src/model/executions/state.ts";

const WAITING = ["active", "retrying", "paused", "children"] as const;

/** Where both differ; `undefined` when they agree. */
export function treeProblem(kept: ExecutionTree): string | undefined {
  const { execution, plan } = kept;
  const state = currentState(execution.history);
  // At a breakpoint the next list of tasks was entered before its first task was held; nothing else comes of it.
  if (state === "BREAKPOINT") return undefined;
  const derived = new ExecutionTree(plan, execution);
  // What is being stopped opens nothing more: how far its branches are no longer matters.
  const hasFrames = state !== "KILLING" && execution.exitState === undefined;
  const [a, b] = [textOf(kept, hasFrames), textOf(derived, hasFrames)];
  return a === b ? undefined : `The tree differs from the derived one\n  kept:    ${a}\n  derived: ${b}`;
}

function textOf(tree: ExecutionTree, hasFrames: boolean): string {
  const [active, retrying, paused, children] = WAITING.map((what) => tree.count(what)) as [
    number,
    ...number[],
  ];
  // A crash loses pending responses: they are requested again.
  const asking = [...tree.frames].filter(({ owner, expected }) => owner && expected).length;
  const counts = [active - asking, retrying, paused, Number(children) + asking];
  const open = [...tree.open].map(({ ordinal }) => ordinal).sort((a, b) => a - b);
  const nameOf = ({ owner }: Frame) => String(owner?.ordinal ?? "root");
  const frames = [...tree.frames].map(hasFrames ? frameText : nameOf).sort();
  return `counts ${counts} open ${open} frames ${frames.join(" ")}`;
}

function frameText(frame: Frame): string {
  const { owner, phase, branches, open, ready, worst } = frame;
  const head = `${owner?.ordinal ?? "root"} ${phase} ${worst}`;
  // Then nothing more is opened, and what is ready is dropped: only what is under way matters.
  if (opensNoMore(frame)) return `[${head} failed, ${open - ready.length} under way]`;
  // A branch without a task that is enabled is passed when the next one is looked for.
  const hasTask = (branch: number) => branches.next(branch) !== undefined;
  const listOf = (numbers: Iterable<number> = []) => [...numbers].filter(hasTask).sort((a, b) => a - b);
  let { nextBranch } = frame;
  while (nextBranch > 0 && !hasTask(nextBranch - 1)) nextBranch--;
  const begun = branches.needs ? `${listOf(frame.started)} done ${listOf(frame.done)}` : nextBranch;
  const next = ready.map(({ branch, place }) => `${branch}:${place.task.id}`).sort();
  return `[${head} begun ${begun}, open ${open}, ready ${next}]`;
}
