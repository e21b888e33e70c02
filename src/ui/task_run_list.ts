/** The task runs of an execution: states, times, outputs. */
import type { Instant } from "../base/clock.ts";
import type { Attempt, Execution, TaskRun } from "../model/executions/execution.ts";
import { changedAt, currentState, type History, isEnded, startedAt } from "../model/executions/state.ts";
import { type Html, markup } from "./markup.ts";
import { jsonView } from "./json_view.ts";
import { section } from "./layout.ts";
import { stateBadge, toneOf } from "./state_badge.ts";
import { dateTimeTag, durationText } from "./time_text.ts";

/** Most task runs on a page, in order of creation. */
export const MAX_SHOWN_TASK_RUNS = 300;

/** The time range of the bars. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
  readonly now: Instant;
}

/** The section of task runs; `count` is the number of all, if the execution does not have all. */
export function taskRunSection(execution: Execution, now: Instant, count = execution.taskRuns.length): Html {
  const { taskRuns, history } = execution;
  if (taskRuns.length === 0) {
    const text = isEnded(history) ? "No task ran." : "No task has started yet.";
    return section("Tasks", markup`<p class="empty">${text}</p>`);
  }
  const shown = taskRuns.slice(0, MAX_SHOWN_TASK_RUNS);
  const span = spanOf(execution, now);
  const hidden = count - shown.length;
  return section(
    "Tasks",
    markup`<ol class="runs">${shown.map((taskRun) => taskRunItem(taskRun, span))}</ol>
${
      hidden > 0 &&
      markup`<p class="note">The first ${shown.length} of ${count}; the API has all of them.</p>`
    }`,
    markup`${count} task ${count === 1 ? "run" : "runs"}`,
  );
}

/** Milliseconds from the first to the last state, or to now. */
export function elapsedMs(history: History, now: Instant): number {
  return Math.max(0, endOf(history, now) - startedAt(history));
}

function taskRunItem(taskRun: TaskRun, span: Span): Html {
  const { history, attempts, outputs = {} } = taskRun;
  const hasOutputs = Object.keys(outputs).length > 0;
  const state = currentState(history);
  const isOpen = state === "FAILED" || state === "WARNING";
  return markup`<li>
      <details class="run" id="run-${taskRun.ordinal}"${isOpen && markup` open`}><summary>
    <span class="name">${taskRun.taskId}${
    taskRun.value !== undefined && markup` <small>${taskRun.value}</small>`
  }</span>${stateBadge(state)}${bar(taskRun, span)}<span class="num">${
    durationText(elapsedMs(history, span.now))
  }</span></summary>
    <dl class="facts"><div><dt>Started</dt><dd>${dateTimeTag(startedAt(history))}</dd></div>
    <div><dt>Attempts</dt><dd>${attempts.length}</dd></div></dl>
    ${
    attempts.length > 1 &&
    markup`<ol class="attempts">${attempts.map((attempt) => attemptItem(attempt, span))}</ol>`
  }
    ${hasOutputs && markup`<h3>Outputs</h3>${jsonView(outputs)}`}
      </details>
    </li>`;
}

function attemptItem({ history }: Attempt, { now }: Span): Html {
  return markup`<li>${stateBadge(currentState(history))}<span class="num">${
    durationText(elapsedMs(history, now))
  }</span></li>`;
}

/** The attempts of a task run in the time range of the execution, over a paler bar of the task run. */
function bar(taskRun: TaskRun, span: Span): Html {
  const { history, attempts } = taskRun;
  return markup`<svg class="bar ${
    toneOf(currentState(history))
  }" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">${barPart(history, span, "whole")}${
    attempts.map((attempt) => barPart(attempt.history, span, "try"))
  }</svg>`;
}

function barPart(history: History, span: Span, kind: string): Html {
  const scale = 1000 / Math.max(1, span.to - span.from);
  const width = Math.max(6, Math.round(elapsedMs(history, span.now) * scale));
  const x = Math.min(1000 - width, Math.round((startedAt(history) - span.from) * scale));
  return markup`<rect class="${kind}" x="${Math.max(0, x)}" width="${width}" y="0" height="10" rx="2"/>`;
}

function spanOf({ history, taskRuns }: Execution, now: Instant): Span {
  let to = endOf(history, now);
  for (const taskRun of taskRuns) to = Math.max(to, endOf(taskRun.history, now));
  return { from: startedAt(history), to, now };
}

function endOf(history: History, now: Instant): Instant {
  return isEnded(history) ? changedAt(history) : Math.max(now, changedAt(history));
}
