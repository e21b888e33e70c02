import { EventEmitter } from "node:events";
import { assertEquals } from "../../support/assert.ts";
import { startCommand } from "../../../src/integrations/fs/ssh_client.ts";
import type { CommandChannel, SshConnection } from "../../../src/integrations/fs/ssh2.ts";

Deno.test("startCommand() gives the exit code of a command that ends together with the response", async () => {
  const channel = new EventEmitter();
  const exec: SshConnection["exec"] = (_command, done) => {
    done(undefined, channel as unknown as CommandChannel);
    channel.emit("exit", 3);
    channel.emit("close");
  };
  const { exitCode } = await startCommand({ exec } as SshConnection, "exit 3");
  assertEquals(await exitCode, 3);
});
