/** What tasks and expressions reach outside of this server: other servers, and processes of this machine. */
import type { Logger } from "../base/log.ts";
import { type HttpClientPort, HttpError } from "../model/ports/http.ts";
import type { ListenPort } from "../model/ports/listening.ts";
import type { LocalFilePort } from "../model/ports/local_files.ts";
import type { ProcessPort, ScriptPlaces } from "../model/ports/processes.ts";
import type { ServerPort } from "../model/ports/server.ts";
import type { EvaluatorPort } from "../model/ports/evaluators.ts";
import type { SqlitePort } from "../model/ports/sqlite.ts";
import type { RenderDeps } from "../rendering/renderer.ts";
import { createExpressionHttp } from "./rendering.ts";
import { HttpClient } from "../machine/http_client/http_client.ts";
import type { WorkingDirectoryPort } from "../model/ports/working_directories.ts";
import type { AssemblyOptions } from "./options.ts";
import type { ContainerHost } from "../machine/scripts/container_host.ts";
import {
  createContainerHost,
  createProcesses,
  type Processes,
  scriptPolicy,
} from "../machine/scripts/processes.ts";
import { ListenPolicy } from "../machine/listen_policy.ts";
import { AllowedFiles, programPaths } from "../machine/local_files.ts";
import { Evaluators } from "../machine/evaluators/evaluators.ts";
import { SqliteProcesses } from "../machine/sqlite/sqlite_processes.ts";
import { ScriptOwner } from "../machine/scripts/script_owner.ts";
import { WorkDirectories } from "../machine/scripts/work_directories.ts";
import type { Services } from "./services.ts";

/** Where a program of this machine reaches a server that listens on all addresses. */
const ANY_HOST: ReadonlyMap<string, string> = new Map([["0.0.0.0", "127.0.0.1"], ["::", "::1"]]);

/** Access to other servers and to this machine; to be disposed of when nothing runs. */
export interface Platform extends AsyncDisposable {
  readonly http: HttpClientPort;
  readonly processes: ProcessPort;
  readonly sqlite: SqlitePort;
  readonly evaluators: EvaluatorPort;
  readonly localFiles: LocalFilePort;
  readonly listening: ListenPort;
  readonly workingDirectories: WorkingDirectoryPort;
  readonly server: ServerPort;
}

/** What services need of the world outside before the platform is built; nothing opens a connection or starts a process yet. */
export function createAdapters(options: AssemblyOptions, tenantCount: () => number) {
  return {
    http: whileLeading(createHttpClient(options, tenantCount), options),
    ...createContainers(options, tenantCount),
  };
}

/** Refuses requests once another process may send them, too. */
function whileLeading(http: HttpClientPort, { mayAct }: AssemblyOptions): HttpClientPort {
  if (!mayAct) return http;
  const refused = () => Promise.reject(new HttpError("this server does not lead any more"));
  return {
    send: (request) => mayAct() ? http.send(request) : refused(),
    addressOf: (target, signal) => mayAct() ? http.addressOf(target, signal) : refused(),
  };
}

function createHttpClient(options: AssemblyOptions, tenantCount: () => number): HttpClient {
  const { clock, random, httpAddresses: addresses, version, credentials, isUserStored } = options;
  const isShared = () => credentials !== undefined || isUserStored === true || tenantCount() > 1;
  return new HttpClient({ clock, random, addresses, isShared, userAgent: `sluice/${version}` });
}

/** The containers of a server, and where its scripts may run. */
function createContainers(
  options: AssemblyOptions,
  tenantCount: () => number,
): { readonly containers: ContainerHost; readonly scriptPlaces: ScriptPlaces } {
  const { containerRuntime: runtime, containerAllow: allowed } = options;
  const policyOf = () => scriptPolicy(options, tenantCount());
  const containers = createContainerHost({ ...options, runtime, allowed, policyOf });
  const scriptPlaces = {
    containers,
    get policy() {
      return policyOf();
    },
  };
  return { containers, scriptPlaces };
}

/** Looks for the program that runs containers, and logs what was found. */
export async function logContainers(
  { containers, policy: { mode } }: ScriptPlaces,
  { logger, containerRuntime }: AssemblyOptions,
): Promise<void> {
  if (mode === "off" || containerRuntime === "none") return;
  const state = await containers.find();
  if ("runtime" in state) logger.info(`Containers of scripts run with ${state.runtime} ${state.version}`);
  else if (mode === "container") {
    logger.warn("Scripts cannot run: they need containers, and no container runtime works here", state);
  } else logger.info("Scripts that name an image run as processes: no container runtime works here", state);
}

/** Builds the platform; starts no process until it is used. */
export function createPlatform(
  options: AssemblyOptions,
  services: Pick<Services, "tenants">,
  { http, containers }: { readonly http: HttpClientPort; readonly containers: ContainerHost },
): Platform {
  const owner = options.scriptUser && new ScriptOwner(options.scriptUser);
  const workingDirectories = new WorkDirectories(options.dataDir, owner);
  services.tenants.onRemove({ removed: (tenant) => workingDirectories.dropCache(tenant) });
  const processes = createProcesses(options, () => services.tenants.count, {
    containers,
    directories: workingDirectories,
  });
  void logLimits(processes, options.logger);
  return {
    http,
    processes,
    sqlite: new SqliteProcesses(),
    evaluators: new Evaluators({ inThreads: options.isDeploy }),
    localFiles: createLocalFiles(options, workingDirectories),
    listening: new ListenPolicy(options.listenTriggers),
    workingDirectories,
    server: { url: localUrl(options), isOffline: options.isOffline ?? false },
    async [Symbol.asyncDispose]() {
      await processes[Symbol.asyncDispose]();
      await workingDirectories[Symbol.asyncDispose]();
    },
  };
}

function createLocalFiles(
  { localFiles, dataDir }: Pick<AssemblyOptions, "localFiles" | "dataDir">,
  directories: WorkingDirectoryPort,
): AllowedFiles {
  return new AllowedFiles({
    folders: localFiles?.folders ?? [],
    ownPaths: () => [
      ...[...localFiles?.ownPaths ?? [], ...dataDir === undefined ? [] : [dataDir]],
      ...[directories.pathOf(""), ...programPaths()],
    ],
  });
}

/** The public address, else the one that the server listens on; none where the system chooses the port. */
function localUrl({ baseUrl, host, port }: AssemblyOptions): string | undefined {
  if (baseUrl !== undefined) return baseUrl.replace(/(?<!\/)\/+$/, "");
  if (port === 0) return undefined;
  const name = ANY_HOST.get(host) ?? host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

async function logLimits(processes: Processes, logger: Logger): Promise<void> {
  try {
    const text = await processes.prepare();
    if (text !== undefined) logger.info(text);
  } catch (error) {
    // The next script tries again.
    logger.warn("Control groups of scripts could not be prepared", { error: String(error) });
  }
}

/** Adds what rendering needs of the platform: `http()` and the directories of tasks. */
export function withPlatform(deps: RenderDeps, { http, workingDirectories }: Platform): RenderDeps {
  return {
    ...deps,
    server: { ...deps.server, pathOf: (name) => workingDirectories.pathOf(name) },
    hostValues: { ...deps.hostValues, http: createExpressionHttp(http) },
  };
}
