/** Builds what searches and deletes log lines, and what removes old executions with theirs. */
import type { Clock } from "../base/clock.ts";
import type { Executor } from "../runtime/executor.ts";
import type { ExecutionCleanup } from "../services/executions/execution_cleanup.ts";
import { ExecutionRetention } from "../services/retention/execution_retention.ts";
import { LogRemovals } from "../services/logs/log_removals.ts";
import { LogSearch } from "../services/logs/log_search.ts";
import type { Catalog } from "../store/catalog/catalog.ts";
import { Pace } from "../store/catalog/pace.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { ExecutionRecords } from "../store/records/execution_records.ts";
import { LogRecords } from "../store/records/log_records.ts";
import type { Store } from "../store/store.ts";
import { createExecutorPort } from "./executor_port.ts";

/** What they are built from. */
interface LogServicesParts {
  readonly store: Store;
  readonly committer: Committer;
  readonly changes: Changes;
  readonly clock: Clock;
  readonly executor: () => Executor;
  readonly records: ExecutionRecords;
  readonly catalog: Catalog;
  readonly cleanup: ExecutionCleanup;
}

/** What works on log lines of many executions. */
export interface LogServices {
  readonly logSearch: LogSearch;
  readonly logRemovals: LogRemovals;
  readonly executionRetention: ExecutionRetention;
}

/** The services. */
export function createLogServices(parts: LogServicesParts): LogServices {
  const { store, committer, changes, clock, records, catalog, cleanup } = parts;
  const logs = new LogRecords(store, records);
  const executor = createExecutorPort(parts.executor);
  // Each is one work at a time, with a pace of its own.
  const pace = () => new Pace(clock, () => parts.executor().isBusy);
  return {
    logSearch: new LogSearch({ catalog, logs, pace: pace() }),
    logRemovals: new LogRemovals({ logs, catalog, committer, changes, executor, pace: pace() }),
    executionRetention: new ExecutionRetention({
      catalog,
      records,
      cleanup,
      committer,
      changes,
      executor,
    }),
  };
}
