/** The JSON text of an execution as the API answers it. Built by concatenation: it is made for each start and each GET. */
import { type Instant, toIso } from "../base/clock.ts";
import { taskRunId } from "../base/id.ts";
import { type JsonObject, stringifyJson } from "../base/json.ts";
import type { Attempt, Execution, TaskRun } from "./execution.ts";
import { CORRELATION_LABEL } from "./label.ts";
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
  const { id, history, inputs, outputs, variables, scheduleDate, parentId, kind } = execution;
  const createdDate = toIso(startedAt(history));
  return `{"id":"${id}","namespace":"${execution.namespace}","flowId":"${execution.flowId}"` +
    `,"flowRevision":${execution.flowRevision}` +
    (options.taskRuns ? `,"taskRunList":[${taskRunsText(execution, options.now)}]` : "") +
    (inputs ? member("inputs", inputs) : "") +
    (outputs ? member("outputs", outputs) : "") +
    (variables ? member("variables", variables) : "") +
    `,"labels":${labelsText(execution)},"state":${stateText(history, options.now)}` +
    (parentId === undefined ? "" : `,"parentId":"${parentId}"`) +
    `,"originalId":"${execution.originalId}"${triggerText(execution)},"deleted":false` +
    `,"metadata":{"attemptNumber":${execution.attemptNumber},"originalCreatedDate":"${createdDate}"}` +
    `,"scheduleDate":"${scheduleDate === undefined ? createdDate : toIso(scheduleDate)}"` +
    (kind === "NORMAL" ? "" : `,"kind":"${kind}"`) +
    (options.url === undefined ? "}" : `,"url":${quote(options.url)}}`);
}

/** Most executions have their own id as correlation label and no other. */
function labelsText({ id, labels }: Execution): string {
  const [first] = labels;
  const isOwn = labels.length === 1 && first?.key === CORRELATION_LABEL && first.value === id;
  return isOwn ? `[{"key":"${CORRELATION_LABEL}","value":"${id}"}]` : stringifyJson(labels);
}

function triggerText({ trigger }: Execution): string {
  if (!trigger) return "";
  const { id, type, variables } = trigger;
  return `,"trigger":{"id":${quote(id)},"type":${quote(type)}${member("variables", variables)}}`;
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
  const first = startedAt(history);
  const last = changedAt(history);
  const startDate = toIso(first);
  let entries = "";
  let date = startDate;
  for (const { state, at } of history) {
    date = at === first ? startDate : toIso(at);
    entries += `${entries === "" ? "" : ","}{"state":"${state}","date":"${date}"}`;
  }
  const duration = ((ended ? last : Math.max(now, last)) - first) / 1000;
  return `{"current":"${currentState(history)}","histories":[${entries}],"duration":${duration}` +
    `,"startDate":"${startDate}"${ended ? `,"endDate":"${date}"` : ""}}`;
}

function member(name: string, value: JsonObject): string {
  return `,"${name}":${stringifyJson(value)}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
