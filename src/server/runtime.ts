/** Builds the runtime of a server: what works on executions, wakes them, and keeps house. */
import type { IdSource } from "../base/id.ts";
import type { FlowPlan } from "../engine/plan.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import { Executor } from "../runtime/executor.ts";
import { Loop } from "../runtime/interval_loop.ts";
import { Retention } from "../services/retention/retention.ts";
import { TemplateCache } from "../rendering/renderer.ts";
import { Slots } from "../runtime/live/slots.ts";
import { Sweep } from "../runtime/sweep.ts";
import { TaskCache } from "../runtime/attempts/task_cache.ts";
import { TaskConditions } from "../runtime/attempts/task_conditions.ts";
import { Timers } from "../runtime/timers/timers.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { Manifests } from "../store/manifests.ts";
import type { AssemblyOptions } from "./options.ts";
import { createPlatform, type Platform, withPlatform } from "./platform.ts";
import { createRenderDeps } from "./render_deps.ts";
import type { Services } from "./services.ts";
import { createTaskPorts } from "./task_ports.ts";
import { TriggerRuntime } from "./trigger_runtime.ts";

/** What the runtime is built from. */
interface RuntimeParts {
  readonly options: AssemblyOptions;
  readonly tasks: TaskCatalog;
  readonly services: Services;
  readonly committer: Committer;
  readonly manifests: Manifests;
  readonly changes: Changes;
  readonly ids: IdSource;
  readonly http: HttpClientPort;
}

/** The loops of a server; the assembly starts and stops them in order. */
export interface Runtime {
  readonly executor: Executor;
  readonly slots: Slots;
  readonly timers: Timers;
  readonly sweep: Sweep;
  readonly loops: readonly Loop[];
  readonly platform: Platform;
  readonly triggers: TriggerRuntime;
}

const COMPACT_INTERVAL_MS = 1_000;
const KV_SWEEP_INTERVAL_MS = 60_000;
const CACHE_SWEEP_INTERVAL_MS = 60_000;
const IDEMPOTENCY_SWEEP_INTERVAL_MS = 60_000;
const RETENTION_INTERVAL_MS = 60_000;

/** Builds the runtime. */
export function createRuntime(parts: RuntimeParts): Runtime {
  const { store, clock, logger } = parts.options;
  const { committer, manifests } = parts;
  const slots = new Slots();
  const taskCache = createTaskCache(parts);
  const platform = createPlatform(parts.options, parts.services, parts.http);
  const ports = createTaskPorts(parts.services, platform, clock);
  const templates = new TemplateCache();
  const willStart = (plan: FlowPlan) => templates.prepare(plan, parts.tasks);
  const triggers = new TriggerRuntime(parts.options, parts.services, { ports, willStart });
  const executor: Executor = createExecutor(
    { ...parts, taskCache, platform, ports, triggers, templates },
    slots,
    (timer) => timers.add(timer),
  );
  const timers = new Timers({ store, clock, logger, fire: (timer) => executor.fireTimer(timer) });
  const sweep = new Sweep({ store, logger, committer, manifests, executor, timers });
  const loops = createLoops({ ...parts, taskCache, platform });
  return { executor, slots, timers, sweep, loops, platform, triggers };
}

function createTaskCache({ options: { store, clock }, committer, services }: RuntimeParts): TaskCache {
  const tenants = () => services.tenants.list().map(({ id }) => id);
  return new TaskCache({ store, committer, clock, tenants });
}

interface CachedParts extends RuntimeParts {
  readonly taskCache: TaskCache;
  readonly platform: Platform;
}

interface ExecutorParts extends CachedParts {
  readonly ports: TaskPorts;
  readonly triggers: TriggerRuntime;
  readonly templates: TemplateCache;
}

function createExecutor(parts: ExecutorParts, slots: Slots, timerSet: Timers["add"]): Executor {
  const { options, tasks, committer, manifests, changes, ids } = parts;
  const { clock, logger } = options;
  const { flows, records, subflows, triggerTypes } = parts.services;
  return new Executor({
    clock,
    logger,
    committer,
    records,
    manifests,
    changes,
    timerSet,
    ids,
    slots,
    reactions: parts.triggers.reactions,
    ports: parts.ports,
    taskCache: parts.taskCache,
    conditions: new TaskConditions({ catalog: triggerTypes, clock, timeZone: options.timeZone }),
    createChild: (request) => subflows.create(request),
    catalog: tasks,
    templates: parts.templates,
    planOf: ({ tenant, namespace, flowId: id, flowRevision: revision }) =>
      flows.plan(tenant, { namespace, id }, { revision, allowDeleted: true }),
    render: withPlatform(createRenderDeps(options, parts.services), parts.platform),
  });
}

function createLoops(parts: CachedParts): Loop[] {
  const { options: { clock, logger }, services: { catalog, kvPairs, idempotency }, taskCache } = parts;
  const compact = () => catalog.compact();
  const sweepExpired = async () => await kvPairs.sweepExpired() > 0;
  return [
    new Loop({ name: "seal the catalog", intervalMs: COMPACT_INTERVAL_MS, clock, logger, round: compact }),
    new Loop({
      name: "remove expired KV pairs",
      intervalMs: KV_SWEEP_INTERVAL_MS,
      clock,
      logger,
      round: sweepExpired,
    }),
    new Loop({
      name: "remove expired outputs of tasks",
      intervalMs: CACHE_SWEEP_INTERVAL_MS,
      clock,
      logger,
      round: async () => await taskCache.sweepExpired() > 0,
    }),
    new Loop({
      name: "forget answers to starts",
      intervalMs: IDEMPOTENCY_SWEEP_INTERVAL_MS,
      clock,
      logger,
      round: async () => await idempotency.sweepExpired() > 0,
    }),
    ...createRetention(parts),
  ];
}

function createRetention({ options, services }: RuntimeParts): Loop[] {
  const { clock, logger, retention: rules = {} } = options;
  if (!Retention.isNeeded(rules)) return [];
  const retention = new Retention({
    executions: services.executionRetention,
    rules,
    tenants: () => services.tenants.list().map(({ id }) => id),
    clock,
    logger,
  });
  const round = () => retention.round();
  return [
    new Loop({ name: "remove old executions", intervalMs: RETENTION_INTERVAL_MS, clock, logger, round }),
  ];
}
