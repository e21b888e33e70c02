/** What tasks and expressions reach outside of this server: other servers, and processes of this machine. */
import type { Logger } from "../base/log.ts";
import type { HttpClientPort } from "../model/ports/http.ts";
import type { ProcessPort } from "../model/ports/processes.ts";
import type { RenderDeps } from "../rendering/renderer.ts";
import { createExpressionHttp } from "./rendering.ts";
import { HttpClient } from "../machine/http_client/http_client.ts";
import type { WorkingDirectoryPort } from "../model/ports/working_directories.ts";
import type { AssemblyOptions } from "./options.ts";
import { createProcesses, type Processes } from "../machine/scripts/processes.ts";
import { ScriptOwner } from "../machine/scripts/script_owner.ts";
import { WorkDirectories } from "../machine/scripts/work_directories.ts";
import type { Services } from "./services.ts";

/** Access to other servers and to this machine; to be disposed of when nothing runs. */
export interface Platform extends AsyncDisposable {
  readonly http: HttpClientPort;
  readonly processes: ProcessPort;
  readonly workingDirectories: WorkingDirectoryPort;
}

/** The HTTP client of a server; opens no connection until it is used. */
export function createHttpClient(options: AssemblyOptions, tenantCount: () => number): HttpClient {
  const { clock, random, httpAddresses: addresses, version, credentials } = options;
  const isShared = () => credentials !== undefined || tenantCount() > 1;
  return new HttpClient({ clock, random, addresses, isShared, userAgent: `sluice/${version}` });
}

/** Builds the platform; starts no process until it is used. */
export function createPlatform(
  options: AssemblyOptions,
  services: Pick<Services, "tenants">,
  http: HttpClientPort,
): Platform {
  const owner = options.scriptUser && new ScriptOwner(options.scriptUser);
  const workingDirectories = new WorkDirectories(options.dataDir, owner);
  const processes = createProcesses(options, () => services.tenants.count, workingDirectories);
  void logLimits(processes, options.logger);
  return {
    http,
    processes,
    workingDirectories,
    async [Symbol.asyncDispose]() {
      await processes[Symbol.asyncDispose]();
      await workingDirectories[Symbol.asyncDispose]();
    },
  };
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
