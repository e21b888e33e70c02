/** Builds the services that tasks of the core reach KV pairs, executions and log lines through, and that of metrics. */
import type { Clock } from "../base/clock.ts";
import type { IdSource } from "../base/id.ts";
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { Executions } from "../services/executions/executions.ts";
import type { Flows } from "../services/flows/flows.ts";
import type { KvPairs } from "../services/namespaces/kv_pairs.ts";
import type { LogRemovals } from "../services/logs/log_removals.ts";
import { Metrics } from "../services/metrics/metrics.ts";
import { Purges } from "../services/retention/purges.ts";
import { States } from "../services/namespaces/states.ts";
import type { Blobs } from "../store/blobs/blobs.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionFiles } from "../store/blobs/execution_files.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import { KvPairRecords } from "../store/records/kv_pair_records.ts";
import { MetricRecords } from "../store/records/metric_records.ts";
import type { Store } from "../store/store.ts";

/** What they are built from. */
interface TaskServiceSources {
  readonly store: Store;
  readonly committer: Committer;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly tasks: TaskCatalog;
  readonly blobs: Blobs;
  readonly flows: Flows;
  readonly kvPairs: KvPairs;
  readonly executions: Executions;
  readonly executionFiles: ExecutionFiles;
  readonly records: ExecutionRecords;
  readonly catalog: Catalog;
  readonly logRemovals: LogRemovals;
}

/** What they are. */
export interface TaskServices {
  readonly metrics: Metrics;
  readonly purges: Purges;
  readonly states: States;
}

/** The services. */
export function createTaskServices(sources: TaskServiceSources): TaskServices {
  const { store, committer, clock, ids, tasks, blobs, flows } = sources;
  const { kvPairs, executions, executionFiles: files, records, catalog, logRemovals } = sources;
  const metrics = new MetricRecords(store);
  const kvRecords = new KvPairRecords({ store, committer, blobs });
  return {
    metrics: new Metrics({ records, metrics, catalog, flows, tasks }),
    purges: new Purges({
      executions,
      catalog,
      records,
      files,
      metrics,
      logRemovals,
      kvPairs,
      kvRecords,
      committer,
      clock,
      ids,
    }),
    states: new States(kvPairs),
  };
}
