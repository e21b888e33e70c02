/** `fs.ssh.Command` with OpenSSH. */
import { assertEquals } from "@std/assert";
import { sshCommand } from "../../../src/integrations/fs/ssh_command.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { hasFileServers, withSshServer } from "../../support/servers/file_servers.ts";

Deno.test({
  name: "fs.ssh.Command waits after each line until there is room for the next one in the log",
  ignore: !hasFileServers(),
  async fn() {
    await withSshServer(async ({ port, privateKey }) => {
      const server = { host: "localhost", port, username: "root", authMethod: "PUBLIC_KEY", privateKey };
      let waits = 0, waiting = 0, most = 0;
      const logged = async () => {
        waits++;
        most = Math.max(most, ++waiting);
        await Promise.resolve();
        waiting--;
      };
      const { logs } = await runDefinition(
        sshCommand,
        { ...server, commands: ["seq 100"] },
        { logged },
      );
      assertEquals([logs.length, waits, most], [100, 100, 1]);
    });
  },
});
