/** The start page: address of the API, a first flow, the latest executions. */
import type { Instant } from "../base/clock.ts";
import { MAIN_TENANT } from "../model/flows/flow.ts";
import type { ServerProblem } from "../model/server_health.ts";
import type { State } from "../model/executions/state.ts";
import { executionPath } from "./execution_page.ts";
import { type Html, markup } from "./markup.ts";
import { pageText, section } from "./layout.ts";
import { stateBadge } from "./state_badge.ts";
import { dateTimeTag, durationText } from "./time_text.ts";

/** An execution of the list. */
export interface ExecutionSummary {
  readonly id: string;
  readonly namespace: string;
  readonly flowId: string;
  readonly state: State;
  readonly startedAt: Instant;
  readonly durationMs: number;
  readonly triggerId?: string;
}

interface StartPage {
  readonly version: string;
  /** Public address of the server, without a trailing slash. */
  readonly baseUrl: string;
  /** Newest first. */
  readonly executions: readonly ExecutionSummary[];
  readonly total: number;
  readonly problem?: ServerProblem;
  readonly canLogOut?: boolean;
}

/** The document. */
export function startPage(page: StartPage): string {
  const { version, baseUrl, executions, total, problem, canLogOut } = page;
  const api = `${baseUrl}/api/v1/${MAIN_TENANT}`;
  return pageText({
    title: "Executions",
    problem,
    canLogOut,
    context: markup`version ${version}`,
    content: markup`<main id="main">
<section class="card top"><div class="title"><h1>The server is running</h1></div>
<dl class="facts"><div><dt>API</dt><dd><code>${api}</code></dd></div></dl>
<h3>Save a flow and start it</h3>
${samplePre(api)}</section>
${total === 0 ? emptySection() : listSection(executions, total)}
</main>`,
  });
}

function samplePre(api: string): Html {
  const flow =
    "id: hello\\nnamespace: demo\\ntasks:\\n  - id: say\\n    type: io.svc.plugin.core.log.Log\\n    message: Hello";
  return markup`<pre class="json" tabindex="0">printf '${flow}' |
  curl -H 'Content-Type: application/x-yaml' --data-binary @- ${api}/flows
curl -X POST ${api}/executions/demo/hello</pre>`;
}

function emptySection(): Html {
  return section(
    "Latest executions",
    markup`<p class="empty">Nothing has run yet. The two lines above start a first execution.</p>`,
  );
}

function listSection(executions: readonly ExecutionSummary[], total: number): Html {
  return section(
    "Latest executions",
    markup`<div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">State</th>
              <th scope="col">Flow</th>
              <th scope="col">Execution</th>
              <th scope="col">Started</th>
              <th scope="col" class="num">Duration</th>
              <th scope="col">Started by</th>
            </tr>
          </thead>
          <tbody>${executions.map(row)}</tbody>
        </table>
      </div>`,
    markup`${executions.length} of ${total}`,
  );
}

function row(execution: ExecutionSummary): Html {
  const { id, namespace, flowId, state, startedAt, durationMs, triggerId } = execution;
  const path = executionPath(MAIN_TENANT, { namespace, id: flowId }, id);
  return markup`<tr>
      <td>${stateBadge(state)}</td>
      <td><b>${flowId}</b> <small>${namespace}</small></td>
      <td><a href="${path}"><code>${id}</code></a></td>
      <td>${dateTimeTag(startedAt)}</td>
      <td class="num">${durationText(durationMs)}</td>
      <td>${triggerId ?? markup`<small>API call</small>`}</td>
    </tr>`;
}
