/** Server metrics: executions, flows, commits, the process. */
import {
  type ProcessFacts,
  type ServerMetric,
  serverMetric,
  type ServerMetricSample,
} from "../../model/server_metric.ts";
import type { ClusterMetrics } from "../../model/cluster.ts";
import { publicTenantId } from "../../model/access/tenant.ts";
import type { ContainerPort, ContainerState } from "../../model/ports/containers.ts";
import type { State } from "../../model/executions/state.ts";
import type { Catalog } from "../../store/catalog/catalog.ts";
import type { Committer } from "../../store/committer.ts";
import type { Flows } from "../flows/flows.ts";
import type { Tenants } from "../access/tenants.ts";

interface ServerMetricsDeps {
  readonly catalog: Catalog;
  readonly flows: Flows;
  readonly tenants: Tenants;
  readonly committer: Committer;
  /** Executions that the process works on now. */
  readonly liveCount: () => number;
  readonly readProcess: () => Promise<ProcessFacts>;
  readonly version: string;
  readonly containers: Pick<ContainerPort, "known">;
  /** Absent: the server has its database for itself. */
  readonly cluster?: { readonly metrics: () => ClusterMetrics };
  readonly workers: { readonly count: number };
}

/** Namespaces (of all tenants) with samples of their own, those with the most executions; the others share one. */
export const MAX_LABELLED_NAMESPACES = 200;
/** Label of all other namespaces and their tenants; not a valid name of either. */
const OTHER = "_other";

interface NamespaceCounts {
  readonly tenant: string;
  readonly namespace: string;
  readonly states: Map<State, number>;
}

/** Collects server metrics. */
export class ServerMetrics {
  readonly #deps: ServerMetricsDeps;

  constructor(deps: ServerMetricsDeps) {
    this.#deps = deps;
  }

  /** The current values. */
  async collect(): Promise<ServerMetric[]> {
    return [
      ...processMetrics(this.#deps.version, await this.#deps.readProcess()),
      containerMetric(this.#deps.containers.known),
      ...this.#deps.cluster ? clusterMetrics(this.#deps.cluster.metrics()) : [],
      serverMetric("gauge", "sluice_workers", "Connected workers", this.#deps.workers.count),
      ...this.#writeServerMetrics(),
      ...await this.#executionMetrics(),
    ];
  }

  #writeServerMetrics(): ServerMetric[] {
    const { committer, catalog } = this.#deps;
    const { groups, entries, mutations } = committer.stats;
    return [
      counter("sluice_commits_total", "Atomic commits of the database", groups),
      counter("sluice_commit_entries_total", "Changes in those commits", entries),
      counter("sluice_commit_mutations_total", "Keys written or deleted by them", mutations),
      gauge("sluice_commit_waiting_entries", "Changes that wait for a commit", committer.pendingCount),
      gauge("sluice_read_only", "1 while the database takes no writes", committer.isReadOnly ? 1 : 0),
      gauge("sluice_catalog_cached_bytes", "Rows of executions in memory", catalog.cachedBytes),
    ];
  }

  async #executionMetrics(): Promise<ServerMetric[]> {
    const counts = await this.#countByNamespace();
    const samples = withOthersMerged(counts).flatMap(({ tenant, namespace, states }) =>
      [...states].map(([state, value]): ServerMetricSample => ({
        labels: { tenant, namespace, state },
        value,
      }))
    );
    const queued = counts.reduce((sum, { states }) => sum + (states.get("QUEUED") ?? 0), 0);
    return [
      gauge("sluice_live_executions", "Executions that the process works on", this.#deps.liveCount()),
      gauge("sluice_queued_executions", "Executions that wait for others of their flow", queued),
      { name: "sluice_executions", help: "Stored executions", type: "gauge", samples },
      { name: "sluice_flows", help: "Flows", type: "gauge", samples: this.#flowSamples() },
    ];
  }

  #flowSamples(): ServerMetricSample[] {
    const { tenants, flows } = this.#deps;
    return tenants.internalIds().slice(0, MAX_LABELLED_NAMESPACES).map((tenant) => {
      let value = 0;
      for (const head of flows.heads(tenant)) if (!head.deleted) value++;
      return { labels: { tenant: publicTenantId(tenant) }, value };
    });
  }

  async #countByNamespace(): Promise<NamespaceCounts[]> {
    const { tenants, catalog, flows } = this.#deps;
    const found = new Map<string, NamespaceCounts>();
    for (const internalId of tenants.internalIds()) {
      const tenant = publicTenantId(internalId);
      for (const [flowNo, states] of await catalog.counts(internalId)) {
        const namespace = flows.byNumber(flowNo)?.namespace ?? OTHER;
        const key = `${tenant}/${namespace}`;
        const counts = found.get(key) ?? { tenant, namespace, states: new Map<State, number>() };
        found.set(key, counts);
        addCounts(counts.states, states);
      }
    }
    return [...found.values()];
  }
}

/** The namespaces with the most executions, and one entry for all others. */
function withOthersMerged(counts: NamespaceCounts[]): NamespaceCounts[] {
  if (counts.length <= MAX_LABELLED_NAMESPACES) return counts;
  const sorted = counts.toSorted((a, b) => totalOf(b) - totalOf(a));
  const rest: NamespaceCounts = { tenant: OTHER, namespace: OTHER, states: new Map() };
  for (const { states } of sorted.splice(MAX_LABELLED_NAMESPACES)) addCounts(rest.states, states);
  return [...sorted, rest];
}

function addCounts(into: Map<State, number>, states: ReadonlyMap<State, number>): void {
  for (const [state, count] of states) into.set(state, (into.get(state) ?? 0) + count);
}

function totalOf({ states }: NamespaceCounts): number {
  return [...states.values()].reduce((sum, count) => sum + count, 0);
}

function processMetrics(version: string, facts: ProcessFacts): ServerMetric[] {
  const { residentBytes, heapBytes, cpuSeconds, storeBytes, disk } = facts;
  const samples = [{ labels: { version }, value: 1 }];
  return [
    { name: "sluice_info", help: "The version", type: "gauge", samples },
    gauge("process_resident_memory_bytes", "Memory of the process", residentBytes),
    gauge("process_heap_bytes", "Memory of its objects", heapBytes),
    counter("process_cpu_seconds_total", "Time of processors that it took", cpuSeconds),
    ...(storeBytes === undefined ? [] : [gauge("sluice_store_bytes", "Size of the database", storeBytes)]),
    ...(disk === undefined ? [] : [
      gauge("sluice_disk_bytes", "Size of the disk of the database", disk.totalBytes),
      gauge("sluice_disk_free_bytes", "Bytes that this disk has left", disk.freeBytes),
    ]),
  ];
}

/** The metrics of a process that does not lead. */
export function followerMetrics(
  version: string,
  facts: ProcessFacts,
  cluster: ClusterMetrics,
): ServerMetric[] {
  return [...processMetrics(version, facts), ...clusterMetrics(cluster)];
}

function clusterMetrics(metrics: ClusterMetrics): ServerMetric[] {
  const { isLeader, epoch, leaseAgeMs, takeOvers, forwarded, mailboxDepth } = metrics;
  return [
    gauge("sluice_leader", "1 if this process leads", isLeader ? 1 : 0),
    gauge("sluice_epoch", "The term of the leader; 0 while there is no leader", epoch),
    gauge("sluice_lease_age_seconds", "Time since the last renewal of the lease", leaseAgeMs / 1_000),
    counter("sluice_takeovers_total", "Terms that this process has begun", takeOvers),
    counter("sluice_forwarded_total", "Requests that this process sent to the leader", forwarded),
    gauge("sluice_mailbox_depth", "Requests under way by way of the database", mailboxDepth),
  ];
}

function containerMetric(state: ContainerState | undefined): ServerMetric {
  const isFound = state !== undefined && "runtime" in state;
  const labels = isFound ? { ...state } : { runtime: "none" };
  return {
    name: "sluice_container_runtime",
    help: "1 if script tasks can run in containers",
    type: "gauge",
    samples: [{ labels, value: isFound ? 1 : 0 }],
  };
}

function counter(name: string, help: string, value: number): ServerMetric {
  return serverMetric("counter", name, help, value);
}

function gauge(name: string, help: string, value: number): ServerMetric {
  return serverMetric("gauge", name, help, value);
}
