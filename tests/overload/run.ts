/** `deno task test:overload`: attacks the real server and measures what others see of it meanwhile. Loopback only. */
import { readFileLimit } from "../../src/machine/http_server/file_limit.ts";
import { ATTACKS } from "./attacks/all.ts";
import { type OverloadOptions, readOptions, USAGE } from "./options.ts";
import { failuresOf, type ScenarioResult, table } from "./report.ts";
import { runScenario, type ScenarioOptions } from "./scenario.ts";
import { print } from "../support/processes/command_line.ts";

/** Open files that the attacking process needs beside its connections. */
const OTHER_FILES = 100;
const TOGETHER = "together";

/** Nothing, each attack alone, all together; or those that were asked for. @throws Error for an unknown name */
function scenariosOf({ only, seconds, connections }: OverloadOptions): ScenarioOptions[] {
  const all = [
    { name: "nothing", attacks: [] },
    ...ATTACKS.map((attack) => ({ name: attack.name, attacks: [attack] })),
    { name: TOGETHER, attacks: ATTACKS },
  ];
  const unknown = only.find((name) => !all.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    throw new Error(`There is no attack "${unknown}": give ${all.map(({ name }) => name).join(", ")}`);
  }
  return all.filter(({ name }) => only.length === 0 || only.includes(name))
    .map((scenario) => ({ ...scenario, seconds, connections }));
}

async function run(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.wantsHelp) {
    print(USAGE);
    return 0;
  }
  const openFiles = await readFileLimit() ?? 1_024;
  const connections = Math.min(options.connections, openFiles - OTHER_FILES);
  print(`${connections} idle connections (limit of open files: ${openFiles}), ${options.seconds} s each`);
  const results: ScenarioResult[] = [];
  for (const scenario of scenariosOf({ ...options, connections })) {
    const folder = await Deno.makeTempDir({ prefix: "sluice-overload-" });
    try {
      const result = await runScenario(folder, scenario);
      results.push(result);
      print(table([result]).at(-1) ?? "");
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
  print("");
  for (const line of table(results)) print(line);
  const failures = results.flatMap(failuresOf);
  for (const failure of failures) print(failure);
  return failures.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await run(Deno.args));
