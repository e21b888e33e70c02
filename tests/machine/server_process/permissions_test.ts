import { assertEquals } from "@std/assert";
import type { Config } from "../../../src/config/mod.ts";
import { narrowPermissions } from "../../../src/machine/server_process/permissions.ts";

const CASES:
  readonly (readonly [Pick<Config, "host" | "scripts" | "isDeploy" | "plugins">, revoked: string[]])[] = [
    [{ host: "127.0.0.1", isDeploy: false }, []],
    [{ host: "127.0.0.1", scripts: "off", isDeploy: false }, ["run"]],
    [{ host: "127.0.0.1", scripts: "container", isDeploy: false }, []],
    [{ host: "127.0.0.1", scripts: "off", isDeploy: false, plugins: "plugins" }, []],
    [{ host: "0.0.0.0", isDeploy: false }, ["run"]],
    [{ host: "0.0.0.0", scripts: "process", isDeploy: false }, []],
    [{ host: "0.0.0.0", isDeploy: true }, []],
  ];

for (const [config, expected] of CASES) {
  Deno.test(`a server with ${JSON.stringify(config)} gives up ${expected[0] ?? "no permission"}`, async () => {
    const revoked: string[] = [];
    await narrowPermissions(config, {
      revoke: ({ name }) => {
        revoked.push(name);
        return Promise.resolve({} as Deno.PermissionStatus);
      },
    });
    assertEquals(revoked, expected);
  });
}
