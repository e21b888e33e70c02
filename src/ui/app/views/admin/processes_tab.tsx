/** The processes beside this one: workers that run attempts, and servers that share the database. */
import { get, type Page } from "../../api/client.ts";
import { useResource } from "../../core/resource.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { CopyButton, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

const REFRESH_MS = 5_000;

interface WorkerRow {
  readonly id: string;
  readonly name: string;
  readonly groups: readonly string[];
  readonly version: string;
  /** Attempts that it runs at a time, and those that it runs now. */
  readonly concurrency: number;
  readonly attempts: number;
  readonly isConnected: boolean;
  readonly connectedAt: string;
  readonly lastSeenAt: string;
}

interface MemberRow {
  readonly id: string;
  readonly role: "LEADER" | "CANDIDATE" | "FOLLOWER";
  readonly url?: string;
  readonly version: string;
  readonly since: string;
  readonly seenAt: string;
  readonly refusal?: string;
}

interface Cluster {
  readonly processes: readonly MemberRow[];
}

/** The tab. */
export function ProcessesTab() {
  return (
    <>
      <Workers />
      <Members />
    </>
  );
}

function Workers() {
  const load = (signal: AbortSignal) => get<Page<WorkerRow>>("/workers", {}, signal);
  const workers = useResource("workers", load, { refreshMs: REFRESH_MS });
  return (
    <section class="section">
      <h2>{t("admin.workers")}</h2>
      <p class="dim">{t("admin.workersHint")}</p>
      <Loaded resource={workers} rows={2}>
        {({ results }) =>
          results.length === 0 ? <NoWorkers /> : (
            <Table
              label={t("admin.workers")}
              rows={results}
              keyOf={({ id }) => id}
              columns={workerColumns()}
            />
          )}
      </Loaded>
    </section>
  );
}

function NoWorkers() {
  const command = `SLUICE_TOKEN=sluice_… sluice worker --server ${location.origin} --group default`;
  return (
    <EmptyState title={t("admin.noWorkers")}>
      <p>{t("admin.startWorker")}</p>
      <pre class="code">{command}</pre>
      <CopyButton text={command} />
    </EmptyState>
  );
}

const workerColumns = (): readonly Column<WorkerRow>[] => [
  { name: "name", title: t("namespaces.name"), cell: ({ name }) => name },
  {
    name: "state",
    title: t("common.state"),
    cell: ({ isConnected }) => (
      <Outcome
        tone={isConnected ? "good" : "bad"}
        text={t(isConnected ? "admin.connected" : "admin.disconnected")}
      />
    ),
  },
  { name: "groups", title: t("admin.groups"), cell: ({ groups }) => groups.join(", ") },
  {
    name: "load",
    title: t("admin.attempts"),
    isNumber: true,
    cell: ({ attempts, concurrency }) => t("admin.attemptsOf", { attempts, concurrency }),
  },
  { name: "version", title: t("admin.version"), cell: ({ version }) => version },
  { name: "since", title: t("admin.since"), cell: ({ connectedAt }) => <Time at={connectedAt} /> },
  { name: "seen", title: t("admin.lastSeen"), cell: ({ lastSeenAt }) => <Time at={lastSeenAt} /> },
];

function Members() {
  const load = (signal: AbortSignal) => get<Cluster>("/cluster", {}, signal);
  const cluster = useResource("cluster", load, { refreshMs: REFRESH_MS });
  return (
    <section class="section">
      <h2>{t("admin.members")}</h2>
      <p class="dim">{t("admin.membersHint")}</p>
      <Loaded resource={cluster} rows={1}>
        {({ processes }) => (
          <Table
            label={t("admin.members")}
            rows={processes}
            keyOf={({ id }) => id}
            columns={memberColumns()}
          />
        )}
      </Loaded>
    </section>
  );
}

const ROLE_TONES = { LEADER: "good", CANDIDATE: "busy", FOLLOWER: "idle" } as const;

const memberColumns = (): readonly Column<MemberRow>[] => [
  { name: "process", title: "Id", cell: ({ id }) => <code>{id}</code> },
  {
    name: "role",
    title: t("admin.role"),
    cell: ({ role, refusal }) => (
      <>
        <Outcome tone={ROLE_TONES[role]} text={role} /> {refusal}
      </>
    ),
  },
  { name: "address", title: t("admin.address"), cell: ({ url }) => url ?? <span class="dim">–</span> },
  { name: "version", title: t("admin.version"), cell: ({ version }) => version },
  { name: "since", title: t("admin.since"), cell: ({ since }) => <Time at={since} /> },
  { name: "seen", title: t("admin.lastSeen"), cell: ({ seenAt }) => <Time at={seenAt} /> },
];
