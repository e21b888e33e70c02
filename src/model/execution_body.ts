/** The JSON text of an execution as the API answers it. Built by concatenation: it is made for each start and each GET. */
import { type Instant, toIso } from "../base/clock.ts";
import { taskRunId } from "../base/id.ts";
import { type JsonObject, stringifyJson } from "../base/json.ts";
import type { Attempt, Execution, TaskRun } from "./execution.ts";
import { changedAt, currentState, type History, isEnded, startedAt } from "./state.ts";

/** What belongs to an answer beside the execution itself. */
export interface BodyOptions {
  /** `duration` of what has not ended counts up to now. */
  readonly now: Instant;
  /** Lists and the start response leave task runs out. */
  readonly taskRuns: boolean;
  /** Link to the execution's page. */
  readonly url?: string;
}

/** The answer's text. Members whose value is null are left out. */
export function executionBody(execution: Execution, options: BodyOptions): string {
  const { trigger } = execution;
  const parts = [
    `{"id":"${execution.id}","namespace":"${execution.namespace}","flowId":"${execution.flowId}"`,
    `,"flowRevision":${execution.flowRevision}`,
    options.taskRuns ? `,"taskRunList":[${taskRunsText(execution, options.now)}]` : "",
    member("inputs", execution.inputs),
    member("outputs", execution.outputs),
    member("variables", execution.variables),
    `,"labels":${stringifyJson(execution.labels)}`,
    `,"state":${stateText(execution.history, options.now)}`,
    execution.parentId === undefined ? "" : `,"parentId":"${execution.parentId}"`,
    `,"originalId":"${execution.originalId}"`,
    trigger ? `,"trigger":{"id":${quote(trigger.id)},"type":${quote(trigger.type)}` : "",
    trigger ? `${member("variables", trigger.variables)}}` : "",
    `,"deleted":false,"metadata":{"attemptNumber":${execution.attemptNumber}`,
    `,"originalCreatedDate":"${toIso(startedAt(execution.history))}"}`,
    `,"scheduleDate":"${toIso(execution.scheduleDate ?? startedAt(execution.history))}"`,
    execution.kind === "NORMAL" ? "" : `,"kind":"${execution.kind}"`,
    options.url === undefined ? "" : `,"url":${quote(options.url)}`,
    "}",
  ];
  return parts.join("");
}

/** Texts of the task runs, comma-separated. */
function taskRunsText(execution: Execution, now: Instant): string {
  const owner =
    `,"executionId":"${execution.id}","namespace":"${execution.namespace}","flowId":"${execution.flowId}"`;
  return execution.taskRuns.map((taskRun) => taskRunText(execution.id, taskRun, owner, now)).join(",");
}

function taskRunText(executionId: string, taskRun: TaskRun, owner: string, now: Instant): string {
  const { parent, value, iteration } = taskRun;
  return `{"id":"${taskRunId(executionId, taskRun.ordinal)}"${owner},"taskId":"${taskRun.taskId}"` +
    (parent === undefined ? "" : `,"parentTaskRunId":"${taskRunId(executionId, parent)}"`) +
    (value === undefined ? "" : `,"value":${quote(value)}`) +
    (iteration === undefined ? "" : `,"iteration":${iteration}`) +
    attemptsText(taskRun.attempts, now) +
    `,"outputs":${taskRun.outputs ? stringifyJson(taskRun.outputs) : "{}"}` +
    `,"state":${stateText(taskRun.history, now)}}`;
}

function attemptsText(attempts: readonly Attempt[], now: Instant): string {
  if (attempts.length === 0) return "";
  return `,"attempts":[${attempts.map(({ history }) => `{"state":${stateText(history, now)}}`).join(",")}]`;
}

/** `{current, histories, duration, startDate, endDate?}`; `duration` in seconds. */
export function stateText(history: History, now: Instant): string {
  const ended = isEnded(history);
  const last = changedAt(history);
  const duration = ((ended ? last : Math.max(now, last)) - startedAt(history)) / 1000;
  const entries = history.map(({ state, at }) => `{"state":"${state}","date":"${toIso(at)}"}`).join(",");
  return `{"current":"${currentState(history)}","histories":[${entries}],"duration":${duration}` +
    `,"startDate":"${toIso(startedAt(history))}"${ended ? `,"endDate":"${toIso(last)}"` : ""}}`;
}

function member(name: string, value: JsonObject | undefined): string {
  return value === undefined ? "" : `,"${name}":${stringifyJson(value)}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
