/** Work of flowable tasks themselves, before their children start and after they have ended. */
import type { Command, Event } from "../../engine/events.ts";
import { type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { isEnded } from "../../model/executions/state.ts";
import type { FlowableHooks, FlowableTaskType, TaskCatalog } from "../../model/tasks/task_catalog.ts";
import { type AttemptDeps, contextOf } from "../attempts/attempt.ts";
import type { BackgroundWork } from "../live/background_work.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import { repeated } from "../live/repeated_work.ts";
import type { LiveExecutions } from "../live/live_executions.ts";
import { renderDecision } from "./command_rendering.ts";

interface FlowableHookDeps extends AttemptDeps {
  readonly catalog: TaskCatalog;
}

type RenderDecision = Extract<Command, { type: "render_decision" }>;

/** Renders the decision of a flowable task, or runs its hooks. */
export function decideOrRunHooks(
  live: LiveExecution,
  command: RenderDecision,
  deps: FlowableHookDeps,
): Event | Promise<Event> {
  const type = deps.catalog.find(command.task.kind);
  if (type?.form !== "flowable" || !type.hooks) return renderDecision(live, command);
  return runHooks(live, command, { ...deps, type, hooks: type.hooks });
}

async function runHooks(
  live: LiveExecution,
  command: RenderDecision,
  deps: FlowableHookDeps & { readonly type: FlowableTaskType; readonly hooks: FlowableHooks },
): Promise<Event> {
  const { taskRun: ordinal, task } = command;
  const { type, hooks } = deps;
  const taskRun = taskRunOf(live.execution, ordinal) as TaskRun;
  const isAfter = live.tree.frameOf(taskRun) !== undefined;
  const attempt = { type: "run_attempt", taskRun: ordinal, task, attemptNumber: 1 } as const;
  const run = {
    ...deps,
    live,
    command: attempt,
    taskRun,
    type,
    controller: new AbortController(),
    files: {},
    logBytes: 0,
  };
  const context = contextOf(run);
  const rendered = { type: "decision_rendered", taskRun: ordinal } as const;
  try {
    const render = async () => ({
      properties: await live.renderer.properties(task, type, taskRun),
      limit: isAfter ? {} : await live.renderer.members(["timeout"], { task, taskRun }),
    });
    const isOver = () => isEnded(taskRun.history);
    const { properties, limit } = await repeated(render, { live, deps, isOver });
    const resources = live.resources ??= new Map();
    const held = resources.get(ordinal) ?? { release: () => hooks.release(context) };
    resources.set(ordinal, held);
    if (!isAfter) held.before = await hooks.before(properties, context);
    const outputs = isAfter ? await hooks.after(properties, context, held.before) : {};
    return { ...rendered, properties: { ...limit, outputs }, files: context.files.pending };
  } catch (error) {
    void context.files.pending?.discard();
    const message = error instanceof Error ? error.message : String(error);
    return { ...rendered, properties: {}, error: live.renderer.hostCalls.mask(message) };
  } finally {
    // It was killed meanwhile: nothing else releases what was created since.
    if (isEnded(taskRun.history)) await hooks.release(context);
  }
}

/** Releases the local resources of ended task runs, once no attempt within them is running. */
export function releaseEnded(live: LiveExecution, work: BackgroundWork): void {
  const { execution, resources } = live;
  for (const [ordinal, { release }] of resources ?? []) {
    const taskRun = taskRunOf(execution, ordinal);
    if (taskRun && !isEnded(taskRun.history)) continue;
    if (hasRunningAttempt(live, ordinal)) continue; // Its end is an event, which calls this again.
    resources?.delete(ordinal);
    work.track(release());
  }
}

/**
 * Releases the local resources of an execution that was deleted or discarded, once nothing of it runs. What a task run holds again
 * in the object that has taken its place in memory stays.
 */
export function releaseDropped(
  live: LiveExecution,
  { live: executions, work }: { readonly live: LiveExecutions; readonly work: BackgroundWork },
): void {
  const { execution: { tenant, id }, resources, running, awaiting } = live;
  if (!resources || awaiting > 0 || (running?.size ?? 0) > 0) return; // Their end calls this again.
  live.resources = undefined;
  const inUse = executions.get(tenant, id)?.resources;
  for (const [ordinal, { release }] of resources) if (!inUse?.has(ordinal)) work.track(release());
}

function hasRunningAttempt({ execution, running }: LiveExecution, ancestor: number): boolean {
  return [...running?.keys() ?? []].some((ordinal) => {
    let at = taskRunOf(execution, ordinal)?.parent;
    while (at !== undefined && at !== ancestor) at = taskRunOf(execution, at)?.parent;
    return at === ancestor;
  });
}
