/** The command line: arguments → command → exit code. */
import { type Command, readCommand } from "./src/config/mod.ts";
import { narrowPermissions } from "./src/machine/server_process/permissions.ts";
import { runServer, systemPlatform } from "./src/machine/server_process/server_process.ts";
import { runDoctor } from "./src/server/doctor/doctor.ts";
import { runMigrate } from "./src/server/migrate/migrate.ts";
import { startServer } from "./src/server/server.ts";

/** Does what the command says; gives the exit code. */
async function run(command: Command): Promise<number> {
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
    case "doctor":
      return await runDoctor(command.options, systemPlatform);
    case "migrate":
      return await runMigrate(command.options, { ...systemPlatform, send: fetch });
  }
}

if (import.meta.main) Deno.exit(await run(readCommand()));
