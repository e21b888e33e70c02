/** What the dashboard of an empty server shows. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import { May } from "../../core/access.ts";
import { apiPath, apiRoot, pagePath } from "../../core/places.ts";
import { navigate } from "../../core/router.ts";
import { attempt, EmptyState } from "../../kit/feedback.tsx";
import { CopyButton } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { executionHref } from "../executions/execution_columns.tsx";
import { SAMPLE, SAMPLE_SOURCE } from "./sample_flow.ts";

/** Offers the sample flow, the editor, and the first request. */
export function FirstSteps() {
  const isBusy = useSignal(false);
  const run = async () => {
    isBusy.value = true;
    const started = await attempt(runSample);
    isBusy.value = false;
    if (started) navigate(executionHref(started));
  };
  const command = `curl -X POST ${location.origin}${apiRoot()}/executions/${SAMPLE.namespace}/${SAMPLE.id}`;
  return (
    <EmptyState title={t("dashboard.welcome")}>
      <p class="welcome">{t("dashboard.welcomeText")}</p>
      <May>
        <div class="actions">
          <button type="button" class="primary" disabled={isBusy.value} onClick={() => void run()}>
            {t("dashboard.runSample")}
          </button>
          <a class="button" href={pagePath("flows", "new")}>{t("dashboard.newFlow")}</a>
        </div>
        <details class="command">
          <summary>{t("dashboard.source")}</summary>
          <pre tabIndex={0}>{SAMPLE_SOURCE}</pre>
        </details>
        <p>{t("dashboard.curl")}</p>
        <p class="command">
          <code>{command}</code> <CopyButton text={command} />
        </p>
      </May>
    </EmptyState>
  );
}

/** Stores the flow unless it is there, and starts it. */
async function runSample(): Promise<ExecutionRow> {
  const { namespace, id } = SAMPLE;
  const { results } = await get<Page<{ readonly id: string }>>("/flows/search", { namespace, q: id });
  if (!results.some((flow) => flow.id === id)) {
    const headers = { "content-type": "application/x-yaml" };
    await send("POST", "/flows", { body: SAMPLE_SOURCE, headers });
  }
  return await send<ExecutionRow>("POST", `/executions${apiPath(namespace, id)}`);
}
