/** What a process is to its database: the only server of a file, or a member of a cluster. */
import type { RandomBytes } from "../base/id.ts";
import type { Config } from "../config/mod.ts";
import { VERSION } from "../config/mod.ts";
import type { HttpHandler } from "../machine/http_server/connection.ts";
import type { ServerHandle } from "../machine/server_process/server_process.ts";
import { readProcessFacts } from "../machine/server_process/process_facts.ts";
import { followerMetrics } from "../services/metrics/server_metrics.ts";
import type { LeaseWatch } from "../store/lease.ts";
import { Assembly } from "./assembly.ts";
import { ClusterMember } from "./cluster/member.ts";
import type { DeskTerm } from "./cluster/term.ts";
import { optionsHash } from "./cluster/options_hash.ts";
import { Forwarding } from "./forwarding.ts";
import type { AssemblyOptions } from "./options.ts";

/** What a process starts, serves and stops. */
interface ServerRole {
  readonly fetch: HttpHandler;
  /** Resolves with the reason when the process cannot continue. */
  readonly failed: Promise<string>;
  /** Resolves when requests can be served. */
  start(): Promise<void>;
  /** Checks executions and timers now: for a host that calls a cron handler. */
  tick(): Promise<void>;
  /** Who can log in, as far as this process knows. */
  login(): Pick<ServerHandle, "user" | "setupToken" | "isFollower">;
  /** Lets another process lead, if there may be one; requests are still served. */
  stepDown(): Promise<void>;
  /** Ends requests that would stay open. */
  releaseRequests(): Promise<void>;
  /** Stops everything but the store. */
  stop(): Promise<void>;
  /** Resolves once the closed store delivers nothing more. */
  closed(): Promise<void>;
}

/** Interval of looks at the lease. On Deno Deploy each read is paid for. */
const WATCH_MS = 200;
const DEPLOY_WATCH_MS = 2_000;
const PROCESS_ID_BYTES = 8;

/** The only server of its database. */
export async function createSoleServer(options: AssemblyOptions): Promise<ServerRole> {
  const assembly = await Assembly.create(options);
  return {
    fetch: (request, connection) => assembly.fetch(request, connection),
    failed: assembly.failed,
    start: () => {
      assembly.findContainers();
      return assembly.start();
    },
    tick: () => assembly.tick(),
    login: () => assembly.login,
    stepDown: () => Promise.resolve(),
    releaseRequests: () => assembly.releaseRequests(),
    stop: () => assembly.stop(),
    closed: () => assembly.closed(),
  };
}

function newProcessId(randomBytes: RandomBytes): string {
  const bytes = new Uint8Array(PROCESS_ID_BYTES);
  randomBytes(bytes);
  return bytes.toHex();
}

interface MemberOptions {
  readonly config: Config;
  readonly options: AssemblyOptions;
  /** The lease as this process sees it. */
  readonly seen: LeaseWatch;
  /** Checks format and key of the database before this process leads; gives the versionstamp of what was checked. */
  readonly prepareData: () => Promise<string>;
}

/** A server that shares its database with others. */
export function createMember({ config, options, seen, prepareData }: MemberOptions): ServerRole {
  const { store, clock, logger, randomBytes, bundle, encryptionKey, database, failedPlugins } = options;
  const { leaseTtlMs: ttlMs, advertise: url } = config;
  const self = {
    holder: newProcessId(options.randomBytes),
    url,
    version: VERSION,
    optionsHash: optionsHash(config, encryptionKey),
    ttlMs,
  };
  const member: ClusterMember = new ClusterMember({
    ...{ store, clock, logger, randomBytes, bundle, database, failedPlugins, self, seen, prepareData },
    watchMs: config.isDeploy ? DEPLOY_WATCH_MS : WATCH_MS,
    createAssembly: (term) => Assembly.create({ ...options, ...term }),
    // It starts processes, for whose end a process waits that has not got the lease.
    onLeading: (assembly) => assembly.findContainers(),
    handsOver: config.isDeploy,
    forwarder: () => forwarding.forwarder,
    ...url === undefined && { createDesk: (term: DeskTerm) => forwarding.createDesk(term) },
    metrics: async () => followerMetrics(VERSION, await readProcessFacts(undefined), member.metrics()),
    mailboxDepth: () => forwarding.mailboxDepth,
  });
  const forwarding = new Forwarding(
    { ...options, process: self.holder, leaseTtlMs: ttlMs },
    member,
    () => member.ledEpoch,
  );
  return {
    fetch: forwarding.receive((request, connection) => member.fetch(request, connection)),
    failed: member.failed,
    start: () => member.start(),
    tick: () => member.tick(),
    login: () => member.assembly?.login ?? { isFollower: true },
    stepDown: async () => {
      await member.stepDown();
      await forwarding.untilUnused();
    },
    releaseRequests: () => member.releaseRequests(),
    stop: async () => {
      await member.stop();
      forwarding[Symbol.dispose]();
    },
    closed: () => Promise.resolve(),
  };
}
