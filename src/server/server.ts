/**
 * Opens the database of a server and looks at the lease of its leader; only then loads the rest of the server, which takes longer
 * than both. Another process may lead a certain time after it first saw the lease, so this look decides when.
 */
import { systemClock } from "../base/time/clock.ts";
import { Logger } from "../base/log.ts";
import type { Config } from "../config/mod.ts";
import { LineWriter } from "../machine/server_process/line_writer.ts";
import type { ServerHandle } from "../machine/server_process/server_process.ts";
import type { TaskType } from "../model/tasks/task_catalog.ts";
import { LeaseWatch } from "../store/lease.ts";
import { openDatabase } from "./database.ts";
import type { ServerPlugins } from "./plugin/server_plugins.ts";

/** Starts a server, with task types beside the built-in ones; settles once it is ready. @throws DataDirError when the data cannot be used; what `Deno.listen` throws for the port */
export async function startServer(
  config: Config,
  extraTasks: readonly TaskType[] = [],
): Promise<ServerHandle> {
  const lines = new LineWriter(Deno.stderr, systemClock);
  const logger = createLogger(config, lines);
  const opened = await openDatabase(config, logger);
  const seen = opened.kind === "file" ? undefined : new LeaseWatch(opened.store, systemClock);
  try {
    // What fails is repeated when the server is started.
    await seen?.read().catch(() => undefined);
    const { serve } = await import("./serving.ts");
    const { tasks, triggers, failed } = await pluginsOf(config, logger);
    const handle = await serve(
      { ...config, extraTasks: [...tasks, ...extraTasks], extraTriggers: triggers, failedPlugins: failed },
      logger,
      { ...opened, seen },
    );
    return { ...handle, stop: (options) => handle.stop(options).finally(() => lines.flush()) };
  } catch (error) {
    lines.flush();
    opened.store.close();
    await opened.release();
    throw error;
  }
}

/** What reads plugins is loaded only where there are some. */
async function pluginsOf(config: Config, logger: Logger): Promise<ServerPlugins> {
  if (config.plugins === undefined) return { tasks: [], triggers: [], failed: [] };
  const { readPlugins } = await import("./plugin/server_plugins.ts");
  return await readPlugins(config.plugins, config, logger);
}

function createLogger({ logLevel: level, logFormat: format }: Config, lines: LineWriter): Logger {
  return new Logger({
    level,
    format,
    clock: systemClock,
    write: (line, severity) => lines.write(line, severity),
  });
}
