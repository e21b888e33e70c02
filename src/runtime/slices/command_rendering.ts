/**
 * Renders what the engine asks for; the result is the event that it waits for. Returns a promise only if data must be
 * fetched: an event that is known at once belongs to the same slice and needs no further commit. The promise rejects only for
 * a fault of the database.
 */
import type { JsonObject } from "../../base/json.ts";
import type { Command, Event } from "../../engine/events.ts";
import { slaKey } from "../../engine/endings/sla.ts";
import { isTruthyText } from "../../expr/mod.ts";
import { throwDatabaseFault } from "../../model/errors.ts";
import { type TaskRun, taskRunOf } from "../../model/executions/execution.ts";
import { isRenderError } from "../../rendering/host_functions/mod.ts";
import { failure, limitOutputs } from "../attempts/attempt.ts";
import type { LiveExecution } from "../live/live_execution.ts";
import type { RenderedOutputs } from "../../rendering/renderer.ts";
import type { TaskConditions } from "../attempts/task_conditions.ts";

/** `runIf` of a task, and before it the conditions of its listener. */
export function renderCondition(
  live: LiveExecution,
  command: Extract<Command, { type: "render_condition" }>,
  conditions: Pick<TaskConditions, "hold">,
): Event | Promise<Event> {
  const { taskRun: ordinal, task } = command;
  const taskRun = taskRunOf(live.execution, ordinal) as TaskRun;
  const decide = (text: string): Event => ({
    type: "condition_rendered",
    taskRun: ordinal,
    holds: isTruthyText(text),
  });
  const fail = (error: unknown): Event => ({
    type: "condition_rendered",
    taskRun: ordinal,
    holds: false,
    error: renderMessage(error),
  });
  const runIf = () => live.renderer.text(task.runIf ?? "true", { task, taskRun });
  if (!task.conditions) return tryRender(runIf, decide, fail);
  const listener = async (): Promise<Event> => {
    if (await conditions.hold(live, { task, taskRun })) return decide(await runIf());
    return { type: "condition_rendered", taskRun: ordinal, holds: false, isListenerOff: true };
  };
  return listener().catch(fail);
}

/** Properties that determine the children of a flowable task. */
export function renderDecision(
  live: LiveExecution,
  command: Extract<Command, { type: "render_decision" }>,
): Event | Promise<Event> {
  const { taskRun: ordinal, task, properties: names } = command;
  const taskRun = taskRunOf(live.execution, ordinal) as TaskRun;
  const done = (properties: JsonObject): Event => ({
    type: "decision_rendered",
    taskRun: ordinal,
    properties,
  });
  const fail = (error: unknown): Event => ({
    type: "decision_rendered",
    taskRun: ordinal,
    properties: {},
    error: renderMessage(error),
  });
  return tryRender(() => live.renderer.members(names, { task, taskRun }), done, fail);
}

/** The end of a task for which there is a fixture. */
export function renderFixture(
  live: LiveExecution,
  { taskRun: ordinal, task, fixture, attempt }: Extract<Command, { type: "render_fixture" }>,
): Event | Promise<Event> {
  const taskRun = taskRunOf(live.execution, ordinal) as TaskRun;
  const ended = (event: ReturnType<typeof failure>): Event => ({
    ...event,
    attempt,
    outcome: { ...event.outcome, isFixture: true },
  });
  const done = (outputs: JsonObject) => ended(limitOutputs(ordinal, { state: fixture.state, outputs }));
  const fail = (error: unknown) =>
    ended(failure(live, ordinal, `Cannot use the fixture of task "${task.id}": ${renderMessage(error)}`));
  return tryRender(() => live.renderer.values(fixture.outputs ?? {}, { task, taskRun }), done, fail);
}

/** Assertions of SLAs. One that cannot be rendered is not violated: it may read what does not exist yet. */
export function renderAssertions(
  live: LiveExecution,
  { isLast }: Extract<Command, { type: "render_assertions" }>,
): Event | Promise<Event> {
  const slas = live.plan.flow.sla.filter(({ assertion }) => assertion !== undefined);
  const violated: string[] = [];
  const ignored: string[] = [];
  const done = (): Event => ({ type: "assertions_rendered", violated, ignored, isLast });
  const renders = slas.map((sla) => {
    const take = (text: string) => {
      if (!isTruthyText(text)) violated.push(slaKey(live.plan.flow.sla, sla));
    };
    const fail = (error: unknown) => {
      ignored.push(`SLA '${sla.id}' cannot be evaluated: ${renderMessage(error)}`);
    };
    return tryRender(() => live.renderer.text(sla.assertion ?? "true"), take, fail);
  });
  return renders.some((render) => render instanceof Promise) ? Promise.all(renders).then(done) : done();
}

/** The outputs of the flow. */
export function renderOutputs(live: LiveExecution): Event | Promise<Event> {
  const done = ({ converted, ignored }: RenderedOutputs): Event => ({
    type: "outputs_rendered",
    ...("problem" in converted ? { error: converted.problem } : converted),
    ignored,
  });
  const fail = (error: unknown): Event => ({ type: "outputs_rendered", error: renderMessage(error) });
  return tryRender(() => live.renderer.outputs(), done, fail);
}

function tryRender<T, R>(
  render: () => T | Promise<T>,
  done: (value: T) => R,
  fail: (error: unknown) => R,
): R | Promise<R> {
  try {
    const value = render();
    return value instanceof Promise ? value.then(done, fail) : done(value);
  } catch (error) {
    return fail(error);
  }
}

/** A bug in the renderer must not look like a mistake in the flow. @throws DomainError a fault of the database: the render is repeated */
function renderMessage(error: unknown): string {
  throwDatabaseFault(error);
  if (isRenderError(error)) return error.message;
  return `Internal error while rendering: ${error instanceof Error ? error.message : String(error)}`;
}
