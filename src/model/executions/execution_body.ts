/** The JSON text of an execution in API responses. Built by concatenation, since every start and every GET needs it. */
import { type Instant, toIso } from "../../base/time/clock.ts";
import { type DurationForm, durationJson } from "../../base/time/duration.ts";
import { taskRunId } from "../../base/id.ts";
import { type JsonObject, stringifyJson } from "../../base/json.ts";
import type { Execution, TaskRun } from "./execution.ts";
import { publicTenantId } from "../access/tenant.ts";
import { CORRELATION_LABEL } from "../flows/label.ts";
import { logFileUri } from "./log_file.ts";
import { viewOf } from "./loop_run.ts";
import { shortenedTaskRuns } from "./shortened_value.ts";
import { changedAt, currentState, type History, isEnded, startedAt } from "./state.ts";

/** When a text is made, and how. */
export interface BodyForm {
  /** End of `duration` of executions and task runs that have not ended. */
  readonly now: Instant;
  /** By default in seconds. */
  readonly durations?: DurationForm;
}

/** Inputs of the text beside the execution. */
interface BodyOptions extends BodyForm {
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
  return head + durationText(execution.history, options) + tail;
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
    chunk += separator + taskRunText(execution, taskRun, owner, options);
    separator = ",";
    if (chunk.length < CHUNK_CHARS) continue;
    yield chunk;
    chunk = "";
  }
  const { head, tail } = restParts(execution, options);
  yield `${chunk}]${head}${durationText(execution.history, options)}${tail}`;
}

/** The JSON text without the duration. */
export function executionBodyParts(execution: Execution, options: BodyOptions): BodyParts {
  const { head, tail } = restParts(execution, options);
  const list = options.taskRuns ? `,"taskRunList":[${taskRunsText(execution, options)}]` : "";
  return { head: startText(execution) + list + head, tail };
}

/** The members before the task runs. */
function startText({ id, tenant, namespace, flowId, flowRevision }: Execution): string {
  return `{"id":"${id}","tenantId":"${publicTenantId(tenant)}","namespace":"${namespace}"` +
    `,"flowId":"${flowId}","flowRevision":${flowRevision}`;
}

/** The members after the task runs. */
function restParts(execution: Execution, options: Omit<BodyOptions, keyof BodyForm | "taskRuns">): BodyParts {
  const { history, inputs, outputs, variables, scheduleDate, parentId, kind } = execution;
  const createdDate = toIso(startedAt(history));
  const { originalCreatedAt } = execution;
  const originalDate = originalCreatedAt === undefined ? createdDate : toIso(originalCreatedAt);
  const state = stateParts(history);
  const head = (inputs ? member("inputs", inputs) : "") +
    (outputs && Object.keys(outputs).length > 0 ? member("outputs", outputs) : "") +
    (variables ? member("variables", variables) : "") +
    `,"labels":${labelsText(execution)},"state":${state.head}`;
  const tail = state.tail +
    (parentId === undefined ? "" : `,"parentId":"${parentId}"`) +
    `,"originalId":"${execution.originalId}"${triggerText(execution)},"deleted":false` +
    `,"metadata":{"attemptNumber":${execution.attemptNumber},"originalCreatedDate":"${originalDate}"}` +
    `,"scheduleDate":"${scheduleDate === undefined ? createdDate : toIso(scheduleDate)}"` +
    (kind === "NORMAL" ? "" : `,"kind":"${kind}"`) + breakpointsText(execution) + loopText(execution) +
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

/** The tasks that it will stop before; `value` is that of a branch. */
function breakpointsText({ breakpoints = [] }: Execution): string {
  if (breakpoints.length === 0) return "";
  const points = breakpoints.map((point) => {
    const [id = "", ...value] = point.split(".");
    return value.length === 0 ? { id } : { id, value: value.join(".") };
  });
  return `,"breakpoints":${stringifyJson(points)}`;
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

function taskRunsText(execution: Execution, form: BodyForm): string {
  const owner = ownerText(execution);
  return execution.taskRuns.map((taskRun) => taskRunText(execution, taskRun, owner, form)).join(",");
}

/** The JSON text of one task run. */
export function taskRunBody(execution: Execution, taskRun: TaskRun, form: BodyForm): string {
  return taskRunText(execution, taskRun, ownerText(execution), form);
}

function ownerText({ id, tenant, namespace, flowId }: Execution): string {
  return `,"tenantId":"${publicTenantId(tenant)}","executionId":"${id}","namespace":"${namespace}"` +
    `,"flowId":"${flowId}"`;
}

function taskRunText(execution: Execution, taskRun: TaskRun, owner: string, form: BodyForm): string {
  const { id: executionId } = execution;
  const { parent, value, iteration } = taskRun;
  return `{"id":"${taskRunId(executionId, taskRun.ordinal)}"${owner},"taskId":"${taskRun.taskId}"` +
    (parent === undefined ? "" : `,"parentTaskRunId":"${taskRunId(executionId, parent)}"`) +
    (value === undefined ? "" : `,"value":${quote(value)}`) +
    (iteration === undefined ? "" : `,"iteration":${iteration}`) +
    attemptsText(execution, taskRun, form) +
    `,"outputs":${taskRun.outputs ? stringifyJson(taskRun.outputs) : "{}"}` +
    `,"state":${stateText(taskRun.history, form)}}`;
}

function attemptsText(execution: Execution, taskRun: TaskRun, form: BodyForm): string {
  const { attempts } = taskRun;
  if (attempts.length === 0) return "";
  const texts = attempts.map(({ history, hasLogFile }, index) => {
    const logFile = hasLogFile ? `,"logFile":"${logFileUri(execution, taskRun, index)}"` : "";
    return `{"state":${stateText(history, form)}${logFile}}`;
  });
  return `,"attempts":[${texts.join(",")}]`;
}

/** `{current, histories, duration, startDate, endDate?}`. */
export function stateText(history: History, form: BodyForm): string {
  const { head, tail } = stateParts(history);
  return head + durationText(history, form) + tail;
}

/** The time from the start to the end, or to now if it has not ended. All durations of responses are written here. */
export function durationText(history: History, { now, durations = "seconds" }: BodyForm): string {
  const last = changedAt(history);
  return durationJson((isEnded(history) ? last : Math.max(now, last)) - startedAt(history), durations);
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
