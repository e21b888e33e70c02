/** `deno task test:overload`: attacks the real server and measures what others see of it meanwhile. Loopback only. */
import { readFileLimit } from "../../src/machine/http_server/file_limit.ts";
import { ATTACKS } from "./attacks/all.ts";
import { failuresOf, type ScenarioResult, table } from "./report.ts";
import { runScenario } from "./scenario.ts";
import { names, print, runTask, type ValuesOf, wholeNumber } from "../support/processes/command_line.ts";

/** Open files that the attacking process needs beside its connections. */
const OTHER_FILES = 100;
const TOGETHER = "together";
/** Longest attack: the run must end. */
const MAX_SECONDS = 600;
const MAX_CONNECTIONS = 50_000;

const ALL = [
  { name: "nothing", attacks: [] },
  ...ATTACKS.map((attack) => ({ name: attack.name, attacks: [attack] })),
  { name: TOGETHER, attacks: ATTACKS },
];
const OPTIONS = {
  seconds: wholeNumber("length of each attack", 20, MAX_SECONDS),
  connections: wholeNumber(
    "idle connections; fewer if the limit of open files is lower",
    10_000,
    MAX_CONNECTIONS,
  ),
  only: names("attacks, by default each alone and all together", ALL.map(({ name }) => name)),
};

async function run(options: ValuesOf<typeof OPTIONS>): Promise<number> {
  const openFiles = await readFileLimit() ?? 1_024;
  const connections = Math.min(options.connections, openFiles - OTHER_FILES);
  print(`${connections} idle connections (limit of open files: ${openFiles}), ${options.seconds} s each`);
  const results: ScenarioResult[] = [];
  for (const { name, attacks } of ALL) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    const folder = await Deno.makeTempDir({ prefix: "sluice-overload-" });
    try {
      const result = await runScenario(folder, { name, attacks, seconds: options.seconds, connections });
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

if (import.meta.main) await runTask("test:overload", OPTIONS, run);
