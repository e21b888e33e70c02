/** The command line. A process of a plugin loads nothing else: it starts for each attempt. */
import { isOnDeploy } from "./src/config/hosted.ts";
import { hostCron } from "./src/machine/server_process/host_cron.ts";

/** The first argument of a process of a plugin in the compiled binary. */
const PLUGIN_HOST = "plugin-host";
/** That of a process of a SQLite database. */
const SQLITE_HOST = "sqlite-host";
/** That of a process that evaluates expressions. */
const EVALUATOR_HOST = "evaluator-host";
/** That of a process that copies the database. */
const BACKUP_HOST = "backup-host";

if (import.meta.main) {
  if (Deno.args[0] === PLUGIN_HOST) {
    const { runPluginHost } = await import("./src/machine/plugins/host.ts");
    await runPluginHost();
  } else if (Deno.args[0] === SQLITE_HOST) {
    const { runSqliteHost } = await import("./src/machine/sqlite/host.ts");
    await runSqliteHost();
  } else if (Deno.args[0] === EVALUATOR_HOST) {
    const { runEvaluatorHost } = await import("./src/machine/evaluators/host.ts");
    await runEvaluatorHost();
  } else if (Deno.args[0] === BACKUP_HOST) {
    const { runBackupHost } = await import("./src/machine/backup/host.ts");
    await runBackupHost();
  } else {
    if (isOnDeploy(Deno.env.toObject())) hostCron.register();
    const { runCommand } = await import("./src/server/commands.ts");
    Deno.exit(await runCommand());
  }
}
