/** How the server is: version, health, process, database, requests. */
import type { ComponentChildren } from "preact";
import { ApiError, get } from "../../api/client.ts";
import { countText, decimalText } from "../../core/numbers.ts";
import { useResource } from "../../core/resource.ts";
import { sizeText } from "../../core/sizes.ts";
import { durationText, now } from "../../core/time.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { type Metric, parseMetrics, slowestRoutes, sumOf } from "./metrics_text.ts";

interface Health {
  readonly status: "UP" | "DEGRADED" | "DOWN";
  readonly reason?: string;
  readonly since?: string;
}

interface Configs {
  readonly version: string;
  readonly commitId?: string;
  readonly uuid?: string;
  readonly url?: string;
}

interface Fact {
  readonly title: TextName;
  readonly metric: string;
  readonly show?: (value: number) => string;
}

const REFRESH_MS = 5_000;
const HEALTH_TONES = { UP: "good", DEGRADED: "warn", DOWN: "bad" } as const;
const count = (value: number) => countText(value);
const FACTS: readonly Fact[] = [
  { title: "admin.memory", metric: "process_resident_memory_bytes", show: sizeText },
  { title: "admin.heap", metric: "process_heap_bytes", show: sizeText },
  { title: "admin.cpu", metric: "process_cpu_seconds_total", show: durationText },
  { title: "admin.files", metric: "process_open_fds" },
  { title: "admin.database", metric: "sluice_store_bytes", show: sizeText },
  { title: "admin.live", metric: "sluice_live_executions" },
  { title: "admin.queued", metric: "sluice_queued_executions" },
  { title: "nav.flows", metric: "sluice_flows" },
  { title: "admin.commits", metric: "sluice_commits_total" },
  { title: "admin.waiting", metric: "sluice_commit_waiting_entries" },
  { title: "admin.streams", metric: "sluice_event_streams" },
];

/** The tab. */
export function ServerTab() {
  return (
    <>
      <Identity />
      <Numbers />
    </>
  );
}

function Identity() {
  const configs = useResource("configs", (signal) => get<Configs>("/api/v1/configs", {}, signal));
  const health = useResource("health", readHealth, { refreshMs: REFRESH_MS });
  return (
    <Loaded resource={configs} rows={2}>
      {({ version, commitId, uuid, url }) => (
        <dl class="cards">
          <Card title={t("admin.health")}>
            {health.data && <HealthBadge health={health.data} />}
          </Card>
          <Card title={t("admin.version")}>
            {version} {commitId && <code class="dim">{commitId.slice(0, 12)}</code>}
          </Card>
          {url && <Card title={t("admin.address")}>{url}</Card>}
          {uuid && (
            <Card title={t("admin.id")}>
              <code class="long">{uuid}</code>
            </Card>
          )}
        </dl>
      )}
    </Loaded>
  );
}

function HealthBadge({ health: { status, reason, since } }: { readonly health: Health }) {
  return (
    <>
      <Outcome tone={HEALTH_TONES[status]} text={status} />
      {reason && <p>{reason} {since && <Time at={since} />}</p>}
    </>
  );
}

/** The response has a body for each status. */
async function readHealth(signal: AbortSignal): Promise<Health> {
  const response = await fetch("/health", { signal });
  return await response.json();
}

function Numbers() {
  const load = async (signal: AbortSignal) => parseMetrics(await readMetrics(signal));
  const metrics = useResource("metrics", load, { refreshMs: REFRESH_MS });
  return (
    <Loaded resource={metrics}>
      {(found) => {
        const startedAt = sumOf(found, "process_start_time_seconds");
        return (
          <>
            <dl class="cards">
              {startedAt !== undefined && (
                <Card title={t("admin.uptime")}>{durationText(now.value / 1_000 - startedAt)}</Card>
              )}
              <DiskCard metrics={found} />
              {FACTS.map(({ title, metric, show = count }) => {
                const value = sumOf(found, metric);
                return value === undefined ? null : <Card key={metric} title={t(title)}>{show(value)}</Card>;
              })}
            </dl>
            <SlowRoutes metrics={found} />
            <details class="card">
              <summary>{t("admin.allMetrics", { count: found.length })}</summary>
              <MetricTable metrics={found} />
            </details>
          </>
        );
      }}
    </Loaded>
  );
}

/** How much of its disk the database may still use. */
function DiskCard({ metrics }: { readonly metrics: readonly Metric[] }) {
  const total = sumOf(metrics, "sluice_disk_bytes");
  const free = sumOf(metrics, "sluice_disk_free_bytes");
  if (total === undefined || free === undefined) return null;
  const text = t("admin.diskFree", { free: sizeText(free), total: sizeText(total) });
  return (
    <Card title={t("admin.disk")}>
      {text}
      <progress class="disk" aria-label={text} value={total - free} max={total} />
    </Card>
  );
}

function SlowRoutes({ metrics }: { readonly metrics: readonly Metric[] }) {
  const rows = slowestRoutes(metrics);
  if (rows.length === 0) return null;
  return (
    <section class="section">
      <h2>{t("admin.slowest")}</h2>
      <p class="dim">{t("admin.slowestHint")}</p>
      <Table
        label={t("admin.slowest")}
        rows={rows}
        keyOf={({ route, method }) => `${method} ${route}`}
        columns={[
          {
            name: "route",
            title: t("admin.request"),
            cell: ({ route, method }) => <code>{method} {route}</code>,
          },
          {
            name: "requests",
            title: t("admin.requests"),
            isNumber: true,
            cell: ({ requests }) => count(requests),
          },
          {
            name: "mean",
            title: t("admin.meanTime"),
            isNumber: true,
            cell: ({ meanSeconds }) => `${decimalText(meanSeconds * 1_000, 1)} ms`,
          },
        ]}
      />
    </section>
  );
}

async function readMetrics(signal: AbortSignal): Promise<string> {
  const response = await fetch("/metrics", { signal });
  const text = await response.text();
  if (!response.ok) throw new ApiError(t("admin.noMetrics"), response.status);
  return text;
}

function MetricTable({ metrics }: { readonly metrics: readonly Metric[] }) {
  return (
    <Table
      label={t("admin.metrics")}
      rows={metrics}
      keyOf={labelText}
      columns={[
        { name: "name", title: t("namespaces.name"), cell: (metric) => <code>{labelText(metric)}</code> },
        { name: "value", title: t("namespaces.value"), isNumber: true, cell: ({ value }) => count(value) },
      ]}
    />
  );
}

function labelText({ name, labels }: Metric): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(",")}}`;
}

function Card({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div class="card fact">
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}
