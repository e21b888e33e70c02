/** `sluice worker`: a process without a database that runs attempts for a server. */
import { systemClock } from "../base/time/clock.ts";
import { IdSource } from "../base/id.ts";
import { Logger } from "../base/log.ts";
import { type Config, VERSION, type WorkerOptions } from "../config/mod.ts";
import { HttpClient } from "../machine/http_client/http_client.ts";
import { secureRandom } from "../machine/secure_random.ts";
import {
  createContainerHost,
  createProcesses,
  DEFAULT_PROCESSES,
  scriptPolicy,
} from "../machine/scripts/processes.ts";
import { ScriptOwner } from "../machine/scripts/script_owner.ts";
import { AllowedFiles, programPaths } from "../machine/local_files.ts";
import { Evaluators } from "../machine/evaluators/evaluators.ts";
import { SqliteProcesses } from "../machine/sqlite/sqlite_processes.ts";
import { WorkDirectories } from "../machine/scripts/work_directories.ts";
import type { ProcessPlatform } from "../machine/server_process/server_process.ts";
import { listenStopSignals } from "../machine/server_process/stop_signals.ts";
import type { TaskType } from "../model/tasks/task_catalog.ts";
import { createTaskCatalog } from "../tasks/registry.ts";
import { ServerApi } from "./server_api.ts";
import { Session } from "./session.ts";
import type { WorkerMachine } from "./worker_context.ts";

/** Reads the task types of plugin files. */
type ReadPlugins = (folder: string, config: Config, logger: Logger) => Promise<readonly TaskType[]>;

/** Runs a worker until a signal ends it; returns the exit code. A later one ends the process at once. */
export async function runWorker(
  options: WorkerOptions,
  platform: ProcessPlatform,
  readPlugins: ReadPlugins,
): Promise<number> {
  const { config, groups, concurrency = DEFAULT_PROCESSES, name = "worker", server: url, token } = options;
  const { clock } = platform;
  const { logLevel: level, logFormat: format } = config;
  const logger = new Logger({ level, format, clock, write: (line) => platform.printError(line) });
  const ownTypes = config.plugins === undefined ? [] : await readPlugins(config.plugins, config, logger);
  await using machine = createMachine({ ...options, concurrency });
  const api = new ServerApi({ url, token, version: VERSION, send: (request) => fetch(request), clock });
  const session = new Session({
    api,
    machine,
    logger,
    catalog: createTaskCatalog(ownTypes),
    ids: new IdSource(),
    version: VERSION,
    hello: { name, groups, concurrency, version: VERSION },
  });
  const stopListening = listenStopSignals(platform, {
    stop: () => session.stop(),
    exit: (code) => platform.exit(code),
  });
  try {
    const refusal = await session.work();
    if (refusal === undefined) return 0;
    platform.printError(`Cannot work for ${url}: ${refusal}`);
    return 1;
  } finally {
    stopListening();
  }
}

function createMachine(
  { config, concurrency }: WorkerOptions & { readonly concurrency: number },
): WorkerMachine & AsyncDisposable {
  const { scripts, scriptUser, scriptLimits, containerRuntime: runtime, containerAllow: allowed } = config;
  const options = {
    ...{ clock: systemClock, host: "127.0.0.1", scripts, scriptUser, scriptLimits },
    maxProcesses: concurrency,
  };
  const containers = createContainerHost({
    ...{ clock: systemClock, runtime, allowed },
    policyOf: () => scriptPolicy(options, 1),
  });
  const workingDirectories = new WorkDirectories(undefined, scriptUser && new ScriptOwner(scriptUser));
  const processes = createProcesses(options, () => 1, { containers, directories: workingDirectories });
  return {
    clock: systemClock,
    // A worker always serves others: requests reach no internal address unless the operator allows it.
    http: new HttpClient({
      clock: systemClock,
      random: secureRandom,
      addresses: config.httpAddresses,
      isShared: () => true,
      userAgent: `sluice/${VERSION}`,
    }),
    processes,
    sqlite: new SqliteProcesses(),
    evaluators: new Evaluators(),
    localFiles: new AllowedFiles({
      folders: config.localFiles?.folders ?? [],
      ownPaths: () => [
        ...config.localFiles?.ownPaths ?? [],
        ...[workingDirectories.pathOf(""), ...programPaths()],
      ],
    }),
    workingDirectories,
    isOffline: config.isOffline ?? false,
    async [Symbol.asyncDispose]() {
      await processes[Symbol.asyncDispose]();
      await workingDirectories[Symbol.asyncDispose]();
    },
  };
}
