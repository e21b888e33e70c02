/** `redis.cli.RedisCLI`. https://redis.io/docs/latest/develop/tools/cli/ */
import { type JsonObject, setOwnProperty } from "../../../base/json.ts";
import { shellWord } from "../../../base/text/shell_word.ts";
import { MAX_OUTPUT_BYTES } from "../../../model/limits.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { hasFile, openLocalFile } from "../../local_files.ts";
import { flagOf, requiredTextOf, textOf, wholeNumberOf } from "../../property_values.ts";
import { auxiliaryFolder, listOf } from "../script_commands.ts";
import type { HookWork, ScriptAdditions, ScriptFindings } from "../script_hooks.ts";
import { cliTask, givenVariables } from "./cli_type.ts";

const DEFAULT_PORT = 6379;
/** A command of Redis within quotes as a shell has them; nothing is expanded. */
const WORD = /(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs;

/** `vars.command_1`, `vars.command_2`, … are the results. */
export const redisCliTask = cliTask({
  type: "redis.cli.RedisCLI",
  title: "Run commands of Redis",
  description:
    "Runs commands of Redis with `redis-cli`, one after the other. The first error ends the task. `vars.command_1` is what the first one has printed.",
  image: "redis:7-alpine",
  properties: {
    host: dynamicText("Name or address of the server.", { required: true }),
    port: dynamicProperty("integer", "Port of the server.", {
      default: DEFAULT_PORT,
      minimum: 1,
      maximum: 65_535,
    }),
    database: dynamicProperty("integer", "Number of the database.", { default: 0, minimum: 0 }),
    username: dynamicText("User name."),
    password: dynamicText("Password of the user, or of the server."),
    tls: dynamicFlag(false, "Whether the connection is encrypted."),
    jsonOutput: dynamicFlag(false, "Whether results are JSON; needs redis-cli 7."),
  },
  metrics: { "executed.commands.count": { type: "counter", description: "Number of commands." } },
  examples: [{
    title: "Set and read a key",
    yaml: `id: redis
type: io.kestra.plugin.redis.cli.RedisCLI
host: redis.example.com
password: "{{ secret('REDIS_PASSWORD') }}"
commands:
  - SET greeting "Hello World"
  - GET greeting`,
  }],
  hooks: { additions, prepare, finish },
});

function additions(properties: JsonObject): ScriptAdditions {
  return {
    env: givenVariables({ REDISCLI_AUTH: textOf(properties, "password") }),
    // Makes the folder of the results.
    files: { results: "" },
  };
}

/** What a command prints goes to a file, from which it is read as it is. */
function prepare({ properties, context, directory }: HookWork): Promise<JsonObject> {
  const program = programOf(properties);
  const commands = listOf(properties, "commands").map((command, index) => {
    const file = shellWord(`${directory}/${auxiliaryFolder(context)}/${resultName(index)}`);
    const run = `${program} ${wordsOf(command).map(shellWord).join(" ")} > ${file} && cat ${file}`;
    return `{ ${run}; } || { code=$?; cat ${file} >&2; exit $code; }`;
  });
  return Promise.resolve({ ...properties, failFast: true, commands });
}

/** With `-e`, an error of the server is one of the program. */
function programOf(properties: JsonObject): string {
  const username = textOf(properties, "username");
  return [
    ...["redis-cli", "-e", "-h", shellWord(requiredTextOf(properties, "host"))],
    ...["-p", String(wholeNumberOf(properties, "port", { fallback: DEFAULT_PORT, minimum: 1 }))],
    ...["-n", String(wholeNumberOf(properties, "database", { fallback: 0, minimum: 0 }))],
    ...username ? ["--user", shellWord(username)] : [],
    ...flagOf(properties, "tls", false) ? ["--tls"] : [],
    ...flagOf(properties, "jsonOutput", false) ? ["--json"] : [],
  ].join(" ");
}

/** The words of a command, without the quotes around them. */
function wordsOf(command: string): string[] {
  return (command.match(WORD) ?? []).map((word) =>
    word.replace(
      /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"/gs,
      (_all, escaped?: string, single?: string, double?: string) =>
        escaped ?? single ?? (double ?? "").replace(/\\(["\\])/g, "$1"),
    )
  );
}

function resultName(index: number): string {
  return `result-${index + 1}`;
}

async function finish(
  { properties, context, directory }: HookWork,
  { vars }: { readonly vars: JsonObject },
): Promise<ScriptFindings> {
  const count = listOf(properties, "commands").length;
  const results: JsonObject = { ...vars };
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const name = `${auxiliaryFolder(context)}/${resultName(index)}`;
    if (!await hasFile(directory, name)) break;
    bytes += (await Deno.lstat(`${directory}/${name}`)).size;
    if (bytes > MAX_OUTPUT_BYTES) {
      throw new Error(`The results are larger than ${MAX_OUTPUT_BYTES} bytes: read less with a command`);
    }
    const text = await new Response(await openLocalFile(directory, name)).text();
    setOwnProperty(results, `command_${index + 1}`, text.replace(/\n$/, ""));
  }
  context.metric({ name: "executed.commands.count", type: "counter", value: count });
  return { outputs: { vars: results } };
}
