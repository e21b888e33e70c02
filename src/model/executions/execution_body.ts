/** The JSON text of an execution in API responses. Built by concatenation, since every start and every GET needs it. */
import { type Instant, toIso } from "../../base/clock.ts";
import { taskRunId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { Execution, TaskRun } from "./execution.ts";
import { CORRELATION_LABEL } from "../flows/label.ts";
import { logFileUri } from "./log_file.ts";
import { viewOf } from "./loop_run.ts";
import { shortenedTaskRuns } from "./shortened_value.ts";
import { changedAt, currentState, type History, isEnded, startedAt } from "./state.ts";

/** Inputs of the text beside the execution. */
interface BodyOptions {
  /** End of `duration` of executions and task runs that have not ended. */
  readonly now: Instant;
  /** False in lists and in the start response. */
  readonly taskRuns: boolean;
  /** URL of the execution's page. */
  readonly url?: string;
  /** Result of `waitingOf`. */
  readonly waiting?: JsonObject;
  /** Number of further task runs; a mark stands for them. */
  readonly hiddenTaskRuns?: number;
}

/** The JSON text. Null members are omitted. */
export function executionBody(execution: Execution, options: BodyOptions): string {
  const { head, tail } = executionBodyParts(execution, options);
  return head + durationOf(execution.history, options.now) + tail;
}

/** The text before and after the duration: the only part of a list entry that changes with time alone. */
export interface BodyParts {
  readonly head: string;
  readonly tail: string;
}

/** Characters of one chunk of {@link executionBodyChunks}, at least. */
const CHUNK_CHARS = 64 * 1024;

/** The JSON text of an execution with task runs in chunks; each task run is read when its chunk is pulled. */
export async function* executionBodyChunks(
  execution: Execution,
  taskRuns: AsyncIterable<TaskRun>,
  options: Omit<BodyOptions, "taskRuns">,
): AsyncGenerator<string> {
  const owner = ownerText(execution);
  let chunk = `${startText(execution)},"taskRunList":[`;
  let separator = "";
  for await (const taskRun of taskRuns) {
    chunk += separator + taskRunText(execution, taskRun, owner, options.now);
    separator = ",";
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  const { head, tail } = restParts(execution, options);
  yield `${chunk}]${head}${durationOf(execution.history, options.now)}${tail}`;
}

/** The JSON text without the duration. */
export function executionBodyParts(execution: Execution, options: BodyOptions): BodyParts {
  const { head, tail } = restParts(execution, options);
  const list = options.taskRuns ? `,"taskRunList":[${taskRunsText(execution, options.now)}]` : "";
  return { head: startText(execution) + list + head, tail };
}

/** The members before the task runs. */
function startText({ id, namespace, flowId, flowRevision }: Execution): string {
  return `{"id":"${id}","namespace":"${namespace}","flowId":"${flowId}","flowRevision":${flowRevision}`;
}

/** The members after the task runs. */
function restParts(execution: Execution, options: Omit<BodyOptions, "now" | "taskRuns">): BodyParts {
  const { history, inputs, outputs, variables, scheduleDate, parentId, kind } = execution;
  const createdDate = toIso(startedAt(history));
  const { originalCreatedAt } = execution;
  const originalDate = originalCreatedAt === undefined ? createdDate : toIso(originalCreatedAt);
  const state = stateParts(history);
  const head = (inputs ? member("inputs", inputs) : "") +
    (outputs ? member("outputs", outputs) : "") +
    (variables ? member("variables", variables) : "") +
    `,"labels":${labelsText(execution)},"state":${state.head}`;
  const tail = state.tail +
    (parentId === undefined ? "" : `,"parentId":"${parentId}"`) +
    `,"originalId":"${execution.originalId}"${triggerText(execution)},"deleted":false` +
    `,"metadata":{"attemptNumber":${execution.attemptNumber},"originalCreatedDate":"${originalDate}"}` +
    `,"scheduleDate":"${scheduleDate === undefined ? createdDate : toIso(scheduleDate)}"` +
    (kind === "NORMAL" ? "" : `,"kind":"${kind}"`) + loopText(execution) +
    (options.waiting ? member("waiting", options.waiting) : "") +
    (options.hiddenTaskRuns ? hiddenText(execution, options.hiddenTaskRuns) : "") +
    (options.url === undefined ? "}" : `,"url":${quote(options.url)}}`);
  return { head, tail };
}

function hiddenText({ tenant, id }: Execution, count: number): string {
  return member("$shortened", shortenedTaskRuns(tenant, id, count));
}

/** Fast path for the common case: the only label is the correlation label with the own id. */
function labelsText({ id, labels }: Execution): string {
  const [first] = labels;
  const isOwn = labels.length === 1 && first?.key === CORRELATION_LABEL && first.value === id;
  return isOwn ? `[{"key":"${CORRELATION_LABEL}","value":"${id}"}]` : stringifyJson(labels);
}

function loopText({ loop }: Execution): string {
  if (!loop) return "";
  const { taskId, executionId, taskRun, item, parents } = loop;
  return member("loopRun", {
    taskId,
    executionId,
    taskRunId: taskRunId(executionId, taskRun),
    ...viewOf(item),
    parents: parents.map(viewOf),
  });
}

function triggerText({ trigger }: Execution): string {
  if (!trigger) return "";
  const { id, type, variables } = trigger;
  return `,"trigger":{"id":${quote(id)},"type":${quote(type)}${member("variables", variables)}}`;
}

function taskRunsText(execution: Execution, now: Instant): string {
  const owner = ownerText(execution);
  return execution.taskRuns.map((taskRun) => taskRunText(execution, taskRun, owner, now)).join(",");
}

/** The JSON text of one task run. */
export function taskRunBody(execution: Execution, taskRun: TaskRun, now: Instant): string {
  return taskRunText(execution, taskRun, ownerText(execution), now);
}

function ownerText({ id, namespace, flowId }: Execution): string {
  return `,"executionId":"${id}","namespace":"${namespace}","flowId":"${flowId}"`;
}

function taskRunText(execution: Execution, taskRun: TaskRun, owner: string, now: Instant): string {
  const { id: executionId } = execution;
  const { parent, value, iteration } = taskRun;
  return `{"id":"${taskRunId(executionId, taskRun.ordinal)}"${owner},"taskId":"${taskRun.taskId}"` +
    (parent === undefined ? "" : `,"parentTaskRunId":"${taskRunId(executionId, parent)}"`) +
    (value === undefined ? "" : `,"value":${quote(value)}`) +
    (iteration === undefined ? "" : `,"iteration":${iteration}`) +
    attemptsText(execution, taskRun, now) +
    `,"outputs":${taskRun.outputs ? stringifyJson(taskRun.outputs) : "{}"}` +
    `,"state":${stateText(taskRun.history, now)}}`;
}

function attemptsText(execution: Execution, taskRun: TaskRun, now: Instant): string {
  const { attempts } = taskRun;
  if (attempts.length === 0) return "";
  const texts = attempts.map(({ history, hasLogFile }, index) => {
    const logFile = hasLogFile ? `,"logFile":"${logFileUri(execution, taskRun, index)}"` : "";
    return `{"state":${stateText(history, now)}${logFile}}`;
  });
  return `,"attempts":[${texts.join(",")}]`;
}

/** `{current, histories, duration, startDate, endDate?}`; `duration` in seconds. */
export function stateText(history: History, now: Instant): string {
  const { head, tail } = stateParts(history);
  return head + durationOf(history, now) + tail;
}

/** Seconds from the start to the end, or to `now` if it has not ended. */
export function durationOf(history: History, now: Instant): number {
  const last = changedAt(history);
  return ((isEnded(history) ? last : Math.max(now, last)) - startedAt(history)) / 1000;
}

function stateParts(history: History): BodyParts {
  const first = startedAt(history);
  const startDate = toIso(first);
  let entries = "";
  let date = startDate;
  for (const { state, at } of history) {
    date = at === first ? startDate : toIso(at);
    entries += `${entries === "" ? "" : ","}{"state":"${state}","date":"${date}"}`;
  }
  const endDate = isEnded(history) ? `,"endDate":"${date}"` : "";
  return {
    head: `{"current":"${currentState(history)}","histories":[${entries}],"duration":`,
    tail: `,"startDate":"${startDate}"${endDate}}`,
  };
}

function member(name: string, value: JsonObject): string {
  return `,"${name}":${stringifyJson(value)}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
