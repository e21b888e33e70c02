/** Builds the runtime of a server: runs executions, wakes them and runs maintenance. */
import type { ContainerHost } from "../machine/scripts/container_host.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { Executor } from "../runtime/executor.ts";
import { IntervalLoop } from "../runtime/interval_loop.ts";
import { Retention } from "../services/retention/retention.ts";
import { ClockWatch } from "../runtime/timers/clock_watch.ts";
import { Sweep } from "../runtime/sweep.ts";
import { TaskCache } from "../runtime/attempts/task_cache.ts";
import { TaskConditions } from "../runtime/attempts/task_conditions.ts";
import type { Committer } from "../store/committer.ts";
import type { Manifests } from "../store/manifests.ts";
import type { SpaceWatch } from "../store/space_watch.ts";
import type { AssemblyOptions } from "./options.ts";
import { createPlatform, type Platform, withPlatform } from "./platform.ts";
import { createRenderDeps } from "./rendering.ts";
import type { Services } from "./services.ts";
import { createTaskPorts } from "./task_ports.ts";
import { TriggerRuntime } from "./trigger_services.ts";

interface RuntimeDeps {
  readonly options: AssemblyOptions;
  readonly services: Services;
  readonly committer: Committer;
  readonly manifests: Manifests;
  readonly executor: Executor;
  readonly space: SpaceWatch;
  readonly http: HttpClientPort;
  readonly containers: ContainerHost;
}

/** What runs in the background; the assembly starts and stops it in order. */
export interface Runtime {
  readonly sweep: Sweep;
  readonly loops: readonly IntervalLoop[];
  readonly platform: Platform;
  readonly triggers: TriggerRuntime;
}

const CLOCK_INTERVAL_MS = 10_000;
const SPACE_INTERVAL_MS = 1_000;
const SEAL_INTERVAL_MS = 1_000;
const WORKERS_INTERVAL_MS = 1_000;
const SWEEP_INTERVAL_MS = 60_000;
const BACKUP_INTERVAL_MS = 60_000;
const USES_INTERVAL_MS = 60_000;
/** Of a database without a queue. */
const WAKE_INTERVAL_MS = 2_000;

/** Builds the background loops and connects the executor to the services. */
export function createRuntime(deps: RuntimeDeps): Runtime {
  const { store, clock, logger } = deps.options;
  const { committer, manifests } = deps;
  const taskCache = createTaskCache(deps);
  const platform = createPlatform(deps.options, deps.services, deps);
  const ports = createTaskPorts(deps.services, platform, clock);
  const triggers = new TriggerRuntime(deps.options, deps.services, ports);
  connectExecutor({ ...deps, taskCache, platform, ports });
  const sweep = new Sweep({ store, clock, logger, committer, manifests, executor: deps.executor });
  const watch = new ClockWatch({
    clock,
    logger,
    jumped: () => {
      deps.executor.timers.check();
      triggers.check();
    },
  });
  const loops = [
    ...createLoops(deps, taskCache),
    ...store.hasQueue ? [] : [
      new IntervalLoop({
        name: "look for executions that wait",
        intervalMs: WAKE_INTERVAL_MS,
        clock,
        logger,
        round: () => sweep.run().then(() => false),
      }),
    ],
    new IntervalLoop({
      name: "watch the clock",
      intervalMs: CLOCK_INTERVAL_MS,
      clock,
      logger,
      round: () => {
        watch.check();
        return Promise.resolve(false);
      },
    }),
    new IntervalLoop({
      name: "watch the free space of the disk",
      intervalMs: SPACE_INTERVAL_MS,
      clock,
      logger,
      round: () => deps.space.check().then(() => false),
    }),
  ];
  return { sweep, loops, platform, triggers };
}

function createTaskCache({ options: { store, clock }, committer, services }: RuntimeDeps): TaskCache {
  const { attemptStorage, contents } = services;
  return new TaskCache({
    store,
    committer,
    clock,
    files: { storage: attemptStorage, find: (tenant, place) => contents.file(tenant, place) },
    tenants: () => tenantIds(services),
  });
}

interface ConnectDeps extends RuntimeDeps {
  readonly taskCache: TaskCache;
  readonly platform: Platform;
  readonly ports: TaskPorts;
}

function connectExecutor(deps: ConnectDeps): void {
  const { options, services, platform } = deps;
  const { clock, timeZone } = options;
  const { flows, subflows } = services;
  deps.executor.connect({
    ports: deps.ports,
    reactions: services.reactionQueue,
    taskCache: deps.taskCache,
    workers: services.workers,
    conditions: new TaskConditions({ catalog: services.triggerTypes, clock, timeZone }),
    createChild: (request) => {
      deps.committer.frozen.checkOpen(request.tenant, request.namespace);
      return subflows.create(request);
    },
    planOf: ({ tenant, namespace, flowId: id, flowRevision: revision }) =>
      flows.plan(tenant, { namespace, id }, { revision, allowDeleted: true }),
    render: withPlatform(createRenderDeps(options, services), platform),
  });
}

function createLoops({ options, services }: RuntimeDeps, taskCache: TaskCache): IntervalLoop[] {
  const { clock, logger, retention: rules = {}, backupSchedule } = options;
  const { catalog, secrets, kvPairs, idempotency, executionRetention: executions } = services;
  const loop = (name: string, intervalMs: number, round: () => Promise<boolean>) =>
    new IntervalLoop({ name, intervalMs, clock, logger, round });
  const sweep = (name: string, sweepExpired: () => Promise<number>) =>
    loop(name, SWEEP_INTERVAL_MS, async () => await sweepExpired() > 0);
  const retention = new Retention({ executions, rules, tenants: () => tenantIds(services), clock, logger });
  return [
    loop("look for silent workers", WORKERS_INTERVAL_MS, () => {
      services.workers.sweep();
      return Promise.resolve(false);
    }),
    loop("seal the catalog", SEAL_INTERVAL_MS, () => catalog.compact()),
    loop("store the last uses of secrets", USES_INTERVAL_MS, () => secrets.writeUses().then(() => false)),
    sweep("remove expired KV pairs", () => kvPairs.sweepExpired()),
    sweep("remove expired outputs of tasks", () => taskCache.sweepExpired()),
    sweep("remove old records of the audit log", () => services.audit.sweepExpired()),
    sweep("remove expired idempotency records", () => idempotency.sweepExpired()),
    ...backupSchedule
      ? [loop("back up the database", BACKUP_INTERVAL_MS, () => services.backups.round().then(() => false))]
      : [],
    ...Retention.isNeeded(rules)
      ? [loop("remove old executions", SWEEP_INTERVAL_MS, () => retention.round())]
      : [],
  ];
}

function tenantIds({ tenants }: Services): string[] {
  return tenants.internalIds();
}
