/** Builds the runtime of a server: what works on executions, wakes them, and keeps house. */
import type { IdSource } from "../base/id.ts";
import { type JsonObject, setOwnProperty } from "../base/json.ts";
import { convertOutputs } from "../flow/mod.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import { Executor } from "../runtime/executor.ts";
import { Loop } from "../runtime/loop.ts";
import { Slots } from "../runtime/slots.ts";
import { Sweep } from "../runtime/sweep.ts";
import { Timers } from "../runtime/timers.ts";
import type { Changes } from "../store/changes.ts";
import type { Committer } from "../store/committer.ts";
import type { Manifests } from "../store/manifests.ts";
import { createHostValues } from "./host_values.ts";
import type { AssemblyOptions } from "./options.ts";
import type { Services } from "./services.ts";
import { createTaskPorts } from "./task_ports.ts";

/** What the runtime is built from. */
export interface RuntimeParts {
  readonly options: AssemblyOptions;
  readonly tasks: TaskCatalog;
  readonly services: Services;
  readonly committer: Committer;
  readonly manifests: Manifests;
  readonly changes: Changes;
  readonly ids: IdSource;
}

/** The loops of a server; the assembly starts and stops them in order. */
export interface Runtime {
  readonly executor: Executor;
  readonly slots: Slots;
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
  const slots = new Slots();
  const executor: Executor = createExecutor(parts, slots, (timer) => timers.add(timer));
  const timers = new Timers({ store, clock, logger, fire: (timer) => executor.fireTimer(timer) });
  const sweep = new Sweep({ store, logger, committer, manifests, executor, timers });
  return { executor, slots, timers, sweep, loops: createLoops(parts) };
}

function createExecutor(parts: RuntimeParts, slots: Slots, timerSet: Timers["add"]): Executor {
  const { options, tasks, committer, manifests, changes, ids } = parts;
  const { clock, logger, timeZone, random, envs, baseUrl } = options;
  const { flows, records, inputCipher, subflows } = parts.services;
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
    ports: createTaskPorts(parts.services),
    createChild: (request) => subflows.create(request),
    catalog: tasks,
    planOf: ({ tenant, namespace, flowId: id, flowRevision: revision }) =>
      flows.plan(tenant, { namespace, id }, { revision, allowDeleted: true }),
    render: {
      clock,
      timeZone,
      random,
      server: {
        envs: toObject(envs),
        kestra: baseUrl === undefined ? undefined : { url: baseUrl },
        openInput: (flow, value) => inputCipher.open(flow, value),
      },
      hostValues: createHostValues(parts.services),
      convertOutputs: (flow, rendered) =>
        convertOutputs(flow, rendered, { seal: (text) => inputCipher.seal(flow, text) }),
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
