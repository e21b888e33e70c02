/** Builds the runtime of a server: what works on executions, wakes them, and keeps house. */
import type { FlowPlan } from "../engine/plan.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { TaskCatalog } from "../model/tasks/task_catalog.ts";
import type { TaskPorts } from "../model/ports/task_ports.ts";
import type { Executor } from "../runtime/executor.ts";
import { IntervalLoop } from "../runtime/interval_loop.ts";
import { Retention } from "../services/retention/retention.ts";
import type { TemplateCache } from "../rendering/renderer.ts";
import { Sweep } from "../runtime/sweep.ts";
import { TaskCache } from "../runtime/attempts/task_cache.ts";
import { TaskConditions } from "../runtime/attempts/task_conditions.ts";
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
  readonly executor: Executor;
  readonly templates: TemplateCache;
  readonly http: HttpClientPort;
}

/** The loops of a server; the assembly starts and stops them in order. */
export interface Runtime {
  readonly sweep: Sweep;
  readonly loops: readonly IntervalLoop[];
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
  const taskCache = createTaskCache(parts);
  const platform = createPlatform(parts.options, parts.services, parts.http);
  const ports = createTaskPorts(parts.services, platform, clock);
  const willStart = (plan: FlowPlan) => parts.templates.prepare(plan, parts.tasks);
  const triggers = new TriggerRuntime(parts.options, parts.services, { ports, willStart });
  connectExecutor({ ...parts, taskCache, platform, ports, triggers });
  const sweep = new Sweep({ store, logger, committer, manifests, executor: parts.executor });
  const loops = createLoops({ ...parts, taskCache, platform });
  return { sweep, loops, platform, triggers };
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
}

function connectExecutor(parts: ExecutorParts): void {
  const { options, services, platform } = parts;
  const { clock, timeZone } = options;
  const { flows, subflows } = services;
  parts.executor.connect({
    ports: parts.ports,
    reactions: parts.triggers.reactions,
    taskCache: parts.taskCache,
    conditions: new TaskConditions({ catalog: services.triggerTypes, clock, timeZone }),
    createChild: (request) => subflows.create(request),
    planOf: ({ tenant, namespace, flowId: id, flowRevision: revision }) =>
      flows.plan(tenant, { namespace, id }, { revision, allowDeleted: true }),
    render: withPlatform(createRenderDeps(options, services), platform),
  });
}

function createLoops(parts: CachedParts): IntervalLoop[] {
  const { options: { clock, logger }, services: { catalog, kvPairs, idempotency }, taskCache } = parts;
  const compact = () => catalog.compact();
  const sweepExpired = async () => await kvPairs.sweepExpired() > 0;
  return [
    new IntervalLoop({
      name: "seal the catalog",
      intervalMs: COMPACT_INTERVAL_MS,
      clock,
      logger,
      round: compact,
    }),
    new IntervalLoop({
      name: "remove expired KV pairs",
      intervalMs: KV_SWEEP_INTERVAL_MS,
      clock,
      logger,
      round: sweepExpired,
    }),
    new IntervalLoop({
      name: "remove expired outputs of tasks",
      intervalMs: CACHE_SWEEP_INTERVAL_MS,
      clock,
      logger,
      round: async () => await taskCache.sweepExpired() > 0,
    }),
    new IntervalLoop({
      name: "forget answers to starts",
      intervalMs: IDEMPOTENCY_SWEEP_INTERVAL_MS,
      clock,
      logger,
      round: async () => await idempotency.sweepExpired() > 0,
    }),
    ...createRetention(parts),
  ];
}

function createRetention({ options, services }: RuntimeParts): IntervalLoop[] {
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
    new IntervalLoop({
      name: "remove old executions",
      intervalMs: RETENTION_INTERVAL_MS,
      clock,
      logger,
      round,
    }),
  ];
}
