/** Cards beside the chart of the dashboard. Each loads its own data, so that one failure does not take the others. */
import type { ComponentChildren } from "preact";
import { get, urlQuery } from "../../api/client.ts";
import { countText } from "../../core/numbers.ts";
import { pagePath } from "../../core/places.ts";
import { type Resource, useResource } from "../../core/resource.ts";
import { sizeText } from "../../core/sizes.ts";
import { durationText, now } from "../../core/time.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import { loadFailing, loadSchedules, metricValues } from "./dashboard_data.ts";
import type { Range } from "./range_choice.tsx";

/** Time between two loads of a card. */
export const REFRESH_MS = 10_000;

/** A card with a title. */
export function Card<Data>({ title, resource, children, kind }: {
  readonly title: string;
  readonly resource: Resource<Data>;
  readonly children: (data: Data) => ComponentChildren;
  /** Its class. */
  readonly kind?: string;
}) {
  return (
    <section class={`card ${kind ?? ""}`} aria-label={title}>
      <h2>{title}</h2>
      <Loaded resource={resource} rows={4}>{children}</Loaded>
    </section>
  );
}

/** The flows with most failures. */
export function FailingFlows({ range }: { readonly range: Range }) {
  const flows = useResource(`failing ${range}`, (signal) => loadFailing(range, signal), {
    refreshMs: REFRESH_MS,
  });
  return (
    <Card title={t("dashboard.failing")} resource={flows}>
      {(rows) =>
        rows.length === 0 ? <p class="dim">{t("dashboard.noneFailing")}</p> : (
          <ul class="rows">
            {rows.map(({ namespace, flow, failed }) => (
              <li key={`${namespace}.${flow}`}>
                <a
                  href={pagePath("executions") +
                    urlQuery({ state: "FAILED", namespace, flowId: flow, timeRange: range })}
                >
                  <FlowName namespace={namespace} flow={flow} />
                </a>
                <span class="bad tone num">
                  {t("dashboard.failedOf", { count: countText(failed) })}
                </span>
                <span class="share" aria-hidden="true">
                  <span class="bad" style={{ width: `${100 * failed / (rows[0]?.failed ?? 1)}%` }} />
                </span>
              </li>
            ))}
          </ul>
        )}
    </Card>
  );
}

/** The schedules that come next. */
export function NextSchedules() {
  const schedules = useResource("schedules", loadSchedules, { refreshMs: REFRESH_MS });
  return (
    <Card title={t("dashboard.schedules")} resource={schedules}>
      {(rows) =>
        rows.length === 0 ? <p class="dim">{t("dashboard.noSchedules")}</p> : (
          <ul class="rows">
            {rows.map(({ namespace, flow, trigger, next }) => (
              <li key={`${namespace}.${flow}.${trigger}`}>
                <span>
                  <a href={pagePath("flows", "edit", namespace, flow, "triggers")}>
                    <FlowName namespace={namespace} flow={flow} />
                  </a>{" "}
                  <span class="dim">{trigger}</span>
                </span>
                <Time at={next} />
              </li>
            ))}
          </ul>
        )}
    </Card>
  );
}

function FlowName({ namespace, flow }: { readonly namespace: string; readonly flow: string }) {
  return (
    <>
      <span class="dim">{namespace}.</span>
      <wbr />
      {flow}
    </>
  );
}

/** Version, health, memory and database. */
export function ServerCard() {
  const server = useResource("server", loadServer, { refreshMs: REFRESH_MS });
  return (
    <Card title={t("dashboard.server")} resource={server}>
      {({ version, status, metrics }) => (
        <dl class="facts">
          <Fact name={t("dashboard.health")}>
            <span class={`tone ${status === "UP" ? "good" : "bad"}`}>
              {status === "UP" ? "✓" : "!"} {status}
            </span>
          </Fact>
          <Fact name={t("dashboard.version")}>{version}</Fact>
          <Metric name={t("dashboard.uptime")} value={metrics.get("process_start_time_seconds")}>
            {(startedAt) => durationText(now.value / 1_000 - startedAt)}
          </Metric>
          <Metric name={t("dashboard.memory")} value={metrics.get("process_resident_memory_bytes")}>
            {sizeText}
          </Metric>
          <Metric name={t("dashboard.database")} value={metrics.get("sluice_store_bytes")}>{sizeText}</Metric>
          <Metric name={t("dashboard.diskFree")} value={metrics.get("sluice_disk_free_bytes")}>
            {sizeText}
          </Metric>
        </dl>
      )}
    </Card>
  );
}

function Metric({ name, value, children }: {
  readonly name: string;
  readonly value: number | undefined;
  readonly children: (value: number) => string;
}) {
  return value === undefined ? null : <Fact name={name}>{children(value)}</Fact>;
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="dim">{name}</dt>
      <dd class="num">{children}</dd>
    </div>
  );
}

interface ServerFacts {
  readonly version: string;
  readonly status: string;
  readonly metrics: ReadonlyMap<string, number>;
}

/** The metrics are left out for those who may not read them. */
async function loadServer(signal: AbortSignal): Promise<ServerFacts> {
  const [{ version }, { status }, metrics] = await Promise.all([
    get<{ version: string }>("/api/v1/configs", {}, signal),
    fetch("/health", { signal }).then((response) => response.json() as Promise<{ status: string }>),
    fetch("/metrics", { signal }).then(async (response) => ({
      isGood: response.ok,
      text: await response.text(),
    })),
  ]);
  return { version, status, metrics: metricValues(metrics.isGood ? metrics.text : "") };
}
