/** The page of one execution: facts, states, task runs, values, logs. */
import type { Instant } from "../base/clock.ts";
import { isId } from "../base/id.ts";
import { publicTenantId } from "../model/access/tenant.ts";
import type { Execution } from "../model/executions/execution.ts";
import { type FlowKey, MAIN_TENANT, type TenantId } from "../model/flows/flow.ts";
import type { ServerProblem } from "../model/server_health.ts";
import { changedAt, currentState, type HistoryEntry, isEnded, startedAt } from "../model/executions/state.ts";
import { type Html, type HtmlPart, markup } from "./markup.ts";
import { foldedJson } from "./json_view.ts";
import { pageText, section, UI_PATH } from "./layout.ts";
import { logSection, type LogView } from "./log_list.ts";
import { stateBadge } from "./state_badge.ts";
import { elapsedMs, taskRunSection } from "./task_run_list.ts";
import { dateTimeTag, durationText } from "./time_text.ts";

/** What the page of an execution shows. */
export interface ExecutionPage {
  readonly execution: Execution;
  /** Number of all task runs, if the execution does not have all. */
  readonly taskRunCount?: number;
  /** Oldest first; at least the latest ones. */
  readonly logs: readonly LogView[];
  /** Number of all lines, if `logs` does not have all. */
  readonly logCount?: number;
  /** The last line of level ERROR, if `logs` does not have all lines. */
  readonly lastError?: LogView;
  readonly now: Instant;
  readonly problem?: ServerProblem;
  readonly canLogOut?: boolean;
}

/** Reload interval for a live execution in browsers without scripts, in seconds. */
const REFRESH_S = 3;

/** Path of an execution's page; without the tenant `main`. */
export function executionPath(tenant: TenantId, { namespace, id }: FlowKey, executionId: string): string {
  const owner = tenant === MAIN_TENANT ? UI_PATH : `${UI_PATH}/${publicTenantId(tenant)}`;
  return `${owner}/executions/${namespace}/${id}/${executionId}`;
}

/** The document. */
export function executionPage(page: ExecutionPage): string {
  const { execution, logs, logCount = logs.length, now, problem } = page;
  const error = page.lastError ?? logs.findLast(({ level }) => level === "ERROR");
  const { tenant, namespace, flowId, id } = execution;
  const isLive = !isEnded(execution.history);
  const api = `/api/v1/${publicTenantId(tenant)}`;
  return pageText({
    title: `${flowId} ${currentState(execution.history)}`,
    context: markup`${namespace}`,
    problem,
    canLogOut: page.canLogOut,
    head: markup`<link rel="canonical" href="${executionPath(tenant, { namespace, id: flowId }, id)}">
${
      isLive && markup`<noscript><meta http-equiv="refresh" content="${REFRESH_S}"></noscript>
<script src="${UI_PATH}/assets/follow.js" type="module"></script>`
    }`,
    content: markup`<main id="main"${isLive && markup` data-follow="${api}/executions/${id}/follow"`}>
      ${header(execution, now)}
      ${notice(execution, error, now)}
      ${historySection(execution, now)}
      ${taskRunSection(execution, now, page.taskRunCount)}
      ${valuesSection(execution)}
      ${logSection(logs, logCount, `${api}/logs/${id}/download`)}
      <p class="foot"><a href="${api}/executions/${id}">This execution as JSON</a></p>
      </main>`,
  });
}

function header(execution: Execution, now: Instant): Html {
  const { history, labels, trigger, tenant } = execution;
  const ended = isEnded(history);
  return markup`<section class="card top">
      <div class="title"><h1>${execution.flowId}</h1>${stateBadge(currentState(history))}</div>
      <dl class="facts">
    ${fact("Execution", markup`<code>${execution.id}</code>`)}
    ${fact("Namespace", execution.namespace)}
    ${tenant !== MAIN_TENANT && fact("Tenant", publicTenantId(tenant))}
    ${fact("Revision", execution.flowRevision)}
    ${
    fact(
      ended ? "Duration" : "Running for",
      markup`<span class="num">${durationText(elapsedMs(history, now))}</span>`,
    )
  }
    ${fact("Started", dateTimeTag(startedAt(history)))}
    ${ended && fact("Ended", dateTimeTag(changedAt(history)))}
    ${execution.scheduleDate !== undefined && fact("Scheduled for", dateTimeTag(execution.scheduleDate))}
    ${fact("Started by", trigger ? markup`${trigger.id} <small>${trigger.type}</small>` : "API call")}
    ${execution.parentId !== undefined && fact("Parent", parentText(execution.parentId))}
    ${execution.attemptNumber > 1 && fact("Attempt", execution.attemptNumber)}
    ${execution.kind !== "NORMAL" && fact("Kind", execution.kind)}
      </dl>
      <ul class="labels" aria-label="Labels">${
    labels.map(({ key, value }) => markup`<li><span>${key}</span>${value}</li>`)
  }</ul>
    </section>`;
}

function parentText(id: string): HtmlPart {
  return markup`<code>${isId(id) ? id : "unknown"}</code>`;
}

function fact(name: string, value: HtmlPart): Html {
  return markup`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
}

/** The most important fact: why it failed, or what it waits for. */
function notice(execution: Execution, error: LogView | undefined, now: Instant): HtmlPart {
  const state = currentState(execution.history);
  if (state === "FAILED") {
    const task = error?.taskId ??
      execution.taskRuns.findLast(({ history }) => currentState(history) === "FAILED")?.taskId;
    return markup`<div class="notice bad" role="alert"><strong>Failed${
      task !== undefined && markup` in task ${task}`
    }</strong>${error && markup`<pre>${error.message}</pre>`}</div>`;
  }
  const { scheduleDate } = execution;
  if (state === "CREATED" && scheduleDate !== undefined && scheduleDate > now) {
    return markup`<div class="notice">Starts in ${durationText(scheduleDate - now)}.</div>`;
  }
  if (state === "CREATED") return markup`<div class="notice">Waits for its first task to start.</div>`;
  if (state === "QUEUED") {
    return markup`<div class="notice">Waits for a free slot: its flow limits how many run at a time.</div>`;
  }
  return undefined;
}

function historySection({ history }: Execution, now: Instant): Html {
  return section(
    "States",
    markup`<ol class="history">${
      history.map((entry, index) => historyItem(entry, history[index + 1]?.at, now))
    }</ol>`,
  );
}

function historyItem({ state, at }: HistoryEntry, until: Instant | undefined, now: Instant): Html {
  const isLast = until === undefined;
  const isOpen = isLast && !isEnded([{ state, at }]);
  return markup`<li>${stateBadge(state)}${dateTimeTag(at)}${
    (!isLast || isOpen) && markup`<span class="num">${durationText((until ?? Math.max(now, at)) - at)}</span>`
  }</li>`;
}

function valuesSection({ inputs, outputs, variables, trigger }: Execution): HtmlPart {
  const folds = [
    inputs && foldedJson("Inputs", inputs, { key: "inputs", isOpen: true }),
    outputs && foldedJson("Outputs", outputs, { key: "outputs", isOpen: true }),
    variables && foldedJson("Variables", variables, { key: "variables", isOpen: false }),
    trigger && foldedJson("Trigger", trigger.variables, { key: "trigger", isOpen: false }),
  ].filter((fold) => fold !== undefined);
  return folds.length > 0 && section("Values", folds);
}
