/** The commands of the program: arguments → command → exit code. Each loads only what it needs. */
import { systemClock } from "../base/time/clock.ts";
import { readCommand } from "../config/mod.ts";
import { narrowPermissions } from "../machine/server_process/permissions.ts";
import { runServer, systemPlatform } from "../machine/server_process/server_process.ts";
import { startServer } from "./server.ts";

/** Does what the arguments of this process say; returns the exit code. */
export async function runCommand(): Promise<number> {
  const command = readCommand();
  switch (command.type) {
    case "print":
      systemPlatform.print(command.text);
      return 0;
    case "refuse":
      systemPlatform.printError(command.message);
      return command.exitCode;
    case "serve":
      return await runServer(command.config, async (config) => {
        const server = await startServer(config);
        await narrowPermissions(config);
        return server;
      });
    case "doctor": {
      const { runDoctor } = await import("./doctor/doctor.ts");
      return await runDoctor(command.options, systemPlatform);
    }
    case "backup": {
      const { runBackup } = await import("./backup/backup.ts");
      return await runBackup(command.options, systemPlatform);
    }
    case "migrate": {
      const { runMigrate } = await import("./migrate/migrate.ts");
      return await runMigrate(command.options, { ...systemPlatform, send: fetch, clock: systemClock });
    }
    case "worker": {
      const { runWorker } = await import("../worker/worker.ts");
      return await runWorker(command.options, systemPlatform, async (...folder) => {
        const { readPlugins } = await import("./plugin/server_plugins.ts");
        return (await readPlugins(...folder)).tasks;
      });
    }
    case "plugin": {
      const { runPlugin } = await import("./plugin/plugin.ts");
      return await runPlugin(command.options, systemPlatform);
    }
  }
}
