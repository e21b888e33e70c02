/** `redis.cli.RedisCLI` with a fake program that prints how it is called. */
import { assertEquals } from "@std/assert";
import { Harness } from "../../../support/harness.ts";
import { runScripts } from "../../../support/script_flows.ts";
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
