/** Serves the ports of tasks by services. */
import type { Clock } from "../base/time/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { KeyedLock } from "../base/keyed_lock.ts";
import { publicTenantId } from "../model/access/tenant.ts";
import { DomainError } from "../model/errors.ts";
import type { Execution } from "../model/executions/execution.ts";
import { executionSelectionQuery } from "../model/executions/execution_selection.ts";
import type { ExecutionSummary } from "../model/executions/execution_summary.ts";
import { changedAt, currentState, isEnded, startedAt } from "../model/executions/state.ts";
import type { KvPairId } from "../model/namespaces/kv_pair.ts";
import type { ExecutionPort } from "../model/ports/executions.ts";
import type { KvPairPort } from "../model/ports/kv_pairs.ts";
import type { LogPort, LogSelection } from "../model/ports/logs.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import { createTaskTypePort } from "../runtime/attempts/task_type_port.ts";
import { AttemptDashboards } from "../services/charts/attempt_dashboards.ts";
import { AttemptFlows } from "../services/flows/attempt_flows.ts";
import { logEntries } from "../services/logs/log_entries.ts";
import { givenValues } from "../services/starts/subflows.ts";
import type { Platform } from "./platform.ts";
import type { Services } from "./services.ts";

/** Builds the ports. */
export function createTaskPorts(services: Services, platform: Platform, clock: Clock): TaskPorts {
  const { http, processes, sqlite, evaluators, localFiles, listening, workingDirectories } = platform;
  const { inputCipher } = services;
  return {
    http,
    processes,
    sqlite,
    evaluators,
    localFiles,
    listening,
    workingDirectories,
    cipher: {
      seal: ({ tenant, namespace, flowId: id }, text) => inputCipher.seal({ tenant, namespace, id }, text),
    },
    storage: services.attemptStorage,
    namespaceFiles: services.attemptNamespaceFiles,
    itemExecutions: services.itemExecutions,
    flowCaches: services.flowCaches,
    taskTypes: createTaskTypePort(services.tasks, clock),
    server: platform.server,
    ...createCoreTaskPorts(services, { clock, url: platform.server.url }),
  };
}

/** The user in whose name tasks act. */
const TASK_USER = "task";

function createCoreTaskPorts(
  services: Services,
  summaries: SummaryOptions,
): Pick<
  TaskPorts,
  "kvPairs" | "states" | "executions" | "flows" | "dashboards" | "namespaces" | "logs" | "triggers"
> {
  return {
    kvPairs: kvPairPort(services),
    states: services.states,
    executions: executionPort(services, summaries),
    flows: new AttemptFlows({
      flows: services.flows,
      revisions: services.flowRevisions,
      user: TASK_USER,
    }),
    dashboards: new AttemptDashboards({ dashboards: services.dashboards, user: TASK_USER }),
    namespaces: {
      names: async (tenant) =>
        (await services.namespaces.list({ tenant, user: TASK_USER })).map(({ id }) => id),
    },
    logs: logPort(services),
    triggers: services.triggers,
  };
}

function kvPairPort({ kvPairs, purges }: Services): KvPairPort {
  const locks = new KeyedLock();
  return {
    checkAccess: (tenant, namespace, from) => kvPairs.checkAccess(tenant, namespace, from),
    get: async (tenant, id, { isInherited }) =>
      (await kvPairs.valueFor(tenant, id, { isExact: !isInherited }))?.value,
    async set(tenant, id, { value, ttl, description, overwrite }) {
      const put = async () => void await kvPairs.put({ tenant }, id, value, { ttl, description });
      if (overwrite) return await put();
      // A write without overwrite may be a lock: of two at once, the second must see the first.
      await locks.run(`${tenant}/${id.namespace}/${id.key}`, async () => {
        if (await kvPairs.valueFor(tenant, id, { isExact: true }) !== undefined) throw keyIsTaken(id);
        await put();
      });
    },
    update: async (tenant, id, change) => void await kvPairs.update({ tenant }, id, change),
    delete: async (tenant, id) => await kvPairs.delete({ tenant }, id),
    keys: async (tenant, namespace) => (await kvPairs.list({ tenant }, namespace)).map(({ key }) => key),
    purge: (tenant, purge) => purges.kvPairs(tenant, purge),
  };
}

function keyIsTaken({ key }: KvPairId): DomainError {
  return new DomainError(
    "conflict",
    `Cannot set value for key '${key}'. Key already exists and \`overwrite\` is set to \`false\`.`,
  );
}

function executionPort(
  { catalog, flows, purges, executionActions, records }: Services,
  options: SummaryOptions,
): ExecutionPort {
  return {
    async summary(tenant, id) {
      const found = await records.view(tenant, id);
      return found && summaryOf(found.execution, options);
    },
    count: async (tenant, selection) =>
      (await catalog.query(tenant, executionSelectionQuery(selection))).total,
    flowIds: (tenant, namespace) =>
      Promise.resolve(flows.inNamespace({ tenant, user: TASK_USER }, namespace).map(({ id }) => id)),
    async resume(tenant, id, inputs: JsonObject) {
      const given = givenValues(inputs);
      await executionActions.resume({ tenant, user: TASK_USER }, id, () => Promise.resolve(given));
    },
    purge: (caller, selection, parts) => purges.executions(caller, selection, parts),
    purgeFiles: (caller, selection, options) => purges.executionFiles(caller, selection, options),
  };
}

interface SummaryOptions {
  readonly clock: Clock;
  /** Address of this server. */
  readonly url?: string;
}

function summaryOf(execution: Execution, { clock, url }: SummaryOptions): ExecutionSummary {
  const { tenant, id, namespace, flowId, history, taskRuns } = execution;
  const begin = startedAt(history);
  const end = isEnded(history) ? changedAt(history) : clock.now();
  const failed = taskRuns.filter((taskRun) => currentState(taskRun.history) === "FAILED");
  const path = ["ui", publicTenantId(tenant), "executions", namespace, flowId, id];
  return {
    id,
    namespace,
    flowId,
    state: currentState(history),
    startedAt: new Date(begin).toISOString(),
    durationMs: end - begin,
    failedTasks: [...new Set(failed.map(({ taskId }) => taskId))],
    ...url !== undefined && { url: [url, ...path.map(encodeURIComponent)].join("/") },
  };
}

function logPort({ records, purges }: Services): LogPort {
  return {
    async entries(tenant, { executionId, minLevel, taskIds }: LogSelection) {
      const stored = await records.outline(tenant, executionId);
      if (!stored) return undefined;
      const isWanted = (taskId: unknown) => taskIds === undefined || taskIds.includes(String(taskId));
      return (async function* () {
        for await (const lines of records.logLines(stored)) {
          const entries = logEntries(stored.execution, lines, { minLevel });
          yield* entries.filter(({ taskId }) => isWanted(taskId));
        }
      })();
    },
    purge: (caller, purge) => purges.logs(caller, purge),
  };
}
