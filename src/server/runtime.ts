/** Builds the runtime of a server: what works on executions, wakes them, and keeps house. */
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import { Executor } from "../runtime/executor.ts";
import { Loop } from "../runtime/loop.ts";
import { Sweep } from "../runtime/sweep.ts";
import { Timers } from "../runtime/timers.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { Manifests } from "../store/manifests.ts";
import type { AssemblyOptions } from "./options.ts";
import type { Services } from "./services.ts";

/** What the runtime is built from. */
export interface RuntimeParts {
  readonly options: AssemblyOptions;
  readonly tasks: TaskCatalog;
  readonly services: Services;
  readonly committer: Committer;
  readonly manifests: Manifests;
  readonly changes: Changes;
}

/** The loops of a server; the assembly starts and stops them in order. */
export interface Runtime {
  readonly executor: Executor;
  readonly timers: Timers;
  readonly sweep: Sweep;
  readonly loops: readonly Loop[];
}

const COMPACT_INTERVAL_MS = 1_000;
const KV_SWEEP_INTERVAL_MS = 60_000;

/** Builds the runtime. */
export function createRuntime(parts: RuntimeParts): Runtime {
  const { store, clock, logger } = parts.options;
  const { committer, manifests } = parts;
  const executor: Executor = createExecutor(parts, (timer) => timers.add(timer));
  const timers = new Timers({ store, clock, logger, fire: (timer) => executor.fireTimer(timer) });
  const sweep = new Sweep({ store, logger, committer, manifests, executor, timers });
  return { executor, timers, sweep, loops: createLoops(parts) };
}

function createExecutor(parts: RuntimeParts, timerSet: Timers["add"]): Executor {
  const { options, tasks, committer, manifests, changes } = parts;
  const { clock, logger, timeZone, random, envs } = options;
  const { flows, records, secrets, kvPairs } = parts.services;
  return new Executor({
    clock,
    logger,
    committer,
    records,
    manifests,
    changes,
    timerSet,
    catalog: tasks,
    planOf: ({ tenant, namespace, flowId: id, flowRevision: revision }) =>
      flows.plan(tenant, { namespace, id }, { revision, allowDeleted: true }),
    render: {
      clock,
      timeZone,
      random,
      server: { envs: toObject(envs) },
      hostValues: {
        secret: (tenant, namespace, name) => secrets.valueFor(tenant, { namespace, name }),
        kvPair: async (tenant, { namespace, key, isExact }) =>
          (await kvPairs.valueFor(tenant, { namespace, key }, { isExact }))?.value,
      },
    },
  });
}

function createLoops({ options: { clock, logger }, services: { catalog, kvPairs } }: RuntimeParts): Loop[] {
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
  ];
}

function toObject(entries: ReadonlyMap<string, string>): JsonObject {
  const object: JsonObject = {};
  for (const [name, value] of entries) setOwnProperty(object, name, value);
  return object;
}
