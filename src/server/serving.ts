/** A server as a process runs it, over its open database: assembly or member of a cluster, and the port it listens on. */
import { systemClock } from "../base/time/clock.ts";
import { systemRandomBytes } from "../base/id.ts";
import type { Logger } from "../base/log.ts";
import { type Config, VERSION } from "../config/mod.ts";
import { isLoopback } from "../base/network/ip.ts";
import { IpRanges } from "../base/network/ip_ranges.ts";
import type { HttpHandler } from "../machine/http_server/connection.ts";
import { connectionCaps, readFileLimit } from "../machine/http_server/file_limit.ts";
import { lastOfConnection } from "../machine/http_server/last_of_connection.ts";
import { startHttpServers } from "../machine/http_server/http_server.ts";
import type { HttpServer } from "../machine/http_server/options.ts";
import { PasswordThread } from "../machine/password_thread.ts";
import { DomainError } from "../model/errors.ts";
import { hostCron } from "../machine/server_process/host_cron.ts";
import type { ServerHandle } from "../machine/server_process/server_process.ts";
import type { OpenDatabase } from "./database.ts";
import type { AssemblyOptions } from "./options.ts";
import { createMember, createSoleServer } from "./roles.ts";
import { createTaskCatalog } from "../tasks/registry.ts";
import { createTriggerCatalog } from "../triggers/registry.ts";
import { serverDefaults } from "./plugin_defaults.ts";
import { readBundle } from "../ui/bundle.ts";
import { RenderWorker } from "./render_worker/render_worker.ts";
import { secureRandom } from "../machine/secure_random.ts";
import type { LeaseWatch } from "../store/lease.ts";
import { checkData, DataMismatchError, keyFingerprint, prepareData } from "../store/meta.ts";

const ROOT_SCRIPTS =
  'Scripts run as root: create a user "sluice", or give another --script-user ("root" if they shall)';

type ServeConfig = Config & Pick<AssemblyOptions, "extraTasks" | "extraTriggers" | "failedPlugins">;

interface ServeDatabase extends OpenDatabase {
  /** Has looked at the lease; absent: no other process uses the database. */
  readonly seen?: LeaseWatch;
}

/** Starts a server over its database; settles once it is ready. @throws DataDirError when the data cannot be used; what `Deno.listen` throws for the port */
export async function serve(
  config: ServeConfig,
  logger: Logger,
  opened: ServeDatabase,
): Promise<ServerHandle> {
  const { kind, store, seen, mismatch, unreadable, release } = opened;
  const slowRenders = config.isDeploy ? undefined : new RenderWorker(systemClock);
  const passwords = config.isDeploy ? undefined : new PasswordThread(systemClock);
  const deriveInBackground = passwords?.derive;
  const options = { ...await assemblyOptions(config, logger, opened), slowRenders, deriveInBackground };
  const fingerprint = await keyFingerprint(opened.encryptionKey);
  // A follower of an older leader must not raise the format.
  const checked = kind === "file" ? prepareData : checkData;
  await checked(store, fingerprint).catch((error) => {
    if (isUnreadable(error)) throw unreadable(error);
    throw error instanceof DataMismatchError ? mismatch(error.message) : error;
  });
  const role = seen
    ? createMember({ config, options, seen, prepareData: () => prepareData(store, fingerprint) })
    : await createSoleServer(options);
  let isStopping = false;
  const listener = await listen(config, logger, (request, connection) => {
    const response = role.fetch(request, connection);
    return isStopping ? lastOfConnection(response) : response;
  });
  // The host stops idle processes: its cron wakes timers and unfinished executions.
  if (config.isDeploy) hostCron.connect(() => role.tick());
  try {
    await role.start();
  } catch (error) {
    await listener.shutdown();
    throw isUnreadable(error) ? unreadable(error) : error;
  }
  if (config.hasRootScripts && runsScripts(config)) logger.warn(ROOT_SCRIPTS);
  return {
    url: config.baseUrl ?? addressOf(listener.addr),
    ...role.login(),
    failed: role.failed,
    stop: async ({ timeoutMs }) => {
      isStopping = true;
      await role.stepDown();
      const drained = listener.shutdown();
      await role.releaseRequests();
      await atMost(drained, timeoutMs / 2);
      await role.stop();
      store.close();
      await role.closed();
      slowRenders?.[Symbol.dispose]();
      passwords?.[Symbol.dispose]();
      await release();
    },
  };
}

async function assemblyOptions(
  config: ServeConfig,
  logger: Logger,
  { kind, store, encryptionKey, dataDir, catalogFiles, backups }: OpenDatabase,
): Promise<AssemblyOptions> {
  return {
    ...config,
    dataDir,
    catalogFiles,
    backups,
    database: kind,
    store,
    logger,
    encryptionKey,
    clock: systemClock,
    randomBytes: systemRandomBytes,
    random: secureRandom,
    credentials: config.protection.type === "basic" ? config.protection.credentials : undefined,
    isUserStored: config.protection.type === "setup",
    noAuthExplicit: config.protection.type === "none",
    timeZone: config.timezone,
    pluginDefaults: await serverDefaults(config.pluginDefaults, () => ({
      tasks: createTaskCatalog(config.extraTasks),
      triggers: createTriggerCatalog(config.extraTriggers),
    })),
    maxRenderMs: config.maxRenderMs,
    bundle: readBundle(),
    version: VERSION,
  };
}

/** Before a server is ready nothing else is refused as unavailable. */
function isUnreadable(error: unknown): error is DomainError {
  return error instanceof DomainError && error.code === "unavailable" && error.cause instanceof Error;
}

/** At least while there is one tenant. */
function runsScripts({ scripts, host, isDeploy }: Config): boolean {
  return !isDeploy && (scripts === "process" || scripts === undefined && isLoopback(host));
}

/** Settles with `work` or at the time limit: a client that never finishes its request must not keep the database open. */
async function atMost(work: Promise<void>, ms: number): Promise<void> {
  const over = Promise.withResolvers<void>();
  const cancel = systemClock.setTimer(ms, over.resolve);
  await Promise.race([work, over.promise]);
  cancel();
}

/** Listens before the recovery, so that a port in use is reported at once; `/health` reports when the server is ready. */
async function listen(config: Config, logger: Logger, handler: HttpHandler): Promise<HttpServer> {
  const { host, port, compatPort, isDeploy, idleTimeoutMs } = config;
  const caps = connectionCaps(config, isDeploy ? undefined : await readFileLimit());
  if (caps.maxConnections < (config.maxConnections ?? 0)) {
    logger.warn("The limit of open files leaves fewer connections than configured: raise it", { ...caps });
  }
  const proxies = new IpRanges(config.trustedProxies ?? []);
  return await startHttpServers({
    ...{ hostname: host, port, isDeploy, logger, clock: systemClock },
    limits: { ...caps, idleMs: idleTimeoutMs },
    isTrustedProxy: (address) => proxies.has(address),
    handler,
  }, compatPort);
}

function addressOf({ hostname, port }: Deno.NetAddr): string {
  const host = hostname === "0.0.0.0" || hostname === "::" ? "localhost" : hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
