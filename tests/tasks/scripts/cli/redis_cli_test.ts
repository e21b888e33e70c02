/** `redis.cli.RedisCLI` with a fake program that prints how it is called and, where it is installed, with a real server. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../../src/base/json.ts";
import { freePort } from "../../../support/processes/free_port.ts";
import { Harness } from "../../../support/harness.ts";
import { runScripts } from "../../../support/flows/script_flows.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

const FAKE = `#!/bin/sh
printf '%s' "$REDISCLI_AUTH"
for each; do printf ' [%s]' "$each"; done
echo
case "$*" in *WRONG*) exit 1;; esac
`;
const OPTIONS = "secret [-e] [-h] [h] [-p] [6380] [-n] [2] [--user] [u] [--tls] [--json]";

/** Commands, their arguments, and the state of the task. */
const CASES: readonly (readonly [commands: readonly string[], words: readonly string[], state: string])[] = [
  [["GET a", 'SET b "x  y"'], ["[GET] [a]", "[SET] [b] [x  y]"], "SUCCESS"],
  [["SET a\\ b ''"], ["[SET] [a b] []"], "SUCCESS"],
  [['ECHO "a \\"b\\" \\\\"'], ['[ECHO] [a "b" \\]'], "SUCCESS"],
  [["ECHO $(id); id", "ECHO `id` $HOME"], ["[ECHO] [$(id);] [id]", "[ECHO] [`id`] [$HOME]"], "SUCCESS"],
  [["WRONG", "GET a"], ["[WRONG]"], "FAILED"],
];

Deno.test("RedisCLI passes words of commands without expansion and gives what they print", async () => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    await writeProgram(`${folder}/redis-cli`, FAKE);
    for (const [commands, words, state] of CASES) {
      const properties = {
        ...{
          host: "h",
          port: 6380,
          database: 2,
          username: "u",
          password: "secret",
          tls: true,
          jsonOutput: true,
        },
        ...{ id: "c", type: "io.kestra.plugin.redis.cli.RedisCLI", commands },
        env: { PATH: `${folder}:/usr/bin:/bin` },
      };
      const { execution, outputs } = await runScripts(app, `  - ${JSON.stringify(properties)}\n`);
      const results = words.map((text, index) => [`command_${index + 1}`, `${OPTIONS} ${text}`]);
      assertEquals([execution.state.current, outputs.vars], [state, Object.fromEntries(results)]);
    }
  });
});

const hasRedis = await new Deno.Command("redis-server", { args: ["--version"] }).output().then(
  () => true,
  () => false,
);

/** Runs a server of Redis without persistence. */
async function withRedis(use: (port: number) => Promise<void>): Promise<void> {
  await withTempDir(async (dir) => {
    const port = freePort();
    const server = new Deno.Command("redis-server", {
      args: [
        "--port",
        String(port),
        "--bind",
        "127.0.0.1",
        "--save",
        "",
        "--requirepass",
        "secret",
        "--dir",
        dir,
      ],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = server.stdout.pipeThrough(new TextDecoderStream());
    try {
      let log = "";
      for await (const text of lines.values({ preventCancel: true })) {
        log += text;
        if (log.includes("Ready to accept")) break;
      }
      await use(port);
    } finally {
      server.kill("SIGTERM");
      await lines.cancel();
      await server.status;
    }
  });
}

Deno.test({
  name: "RedisCLI runs commands on a real server, and fails for an error of the server",
  ignore: !hasRedis,
  async fn() {
    await withRedis(async (port) => {
      await using app = await Harness.start();
      const task = (commands: readonly string[], further: JsonObject = {}) => {
        const type = "io.kestra.plugin.redis.cli.RedisCLI";
        const given = { id: "c", type, host: "127.0.0.1", port, password: "secret", commands, ...further };
        return runScripts(app, `  - ${JSON.stringify(given)}\n`);
      };
      const worked = await task(['SET a "x y"', "GET a", "LRANGE none 0 -1"], { jsonOutput: true });
      assertEquals(worked.outputs.vars, { command_1: '"OK"', command_2: '"x y"', command_3: "[]" });
      const failed = await task(["INCR a", "GET a"]);
      assertEquals([failed.execution.state.current, Object.keys(failed.outputs.vars as object)], [
        ...["FAILED", ["command_1"]],
      ]);
      assertMatch(failed.lines.join("\n"), /ERROR ERR value is not an integer/);
      assertEquals((await task(["GET a"], { password: "wrong" })).execution.state.current, "FAILED");
    });
  },
});
