/**
 * Writes `tests/fixtures/tested_types.json`: for each type of an integration the test files that ran it, of those that
 * `integration_facts.ts` names. Files that are given are run, the others keep their record. The programs that tests start must
 * be installed; `.ci/run` has them.
 */
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import { integrationOf } from "../../../src/flow/schema/integrations.ts";
import "../flows/all_integrations.ts";
import { EVIDENCE } from "./integration_facts.ts";

/** Type → files below `tests`, both in order. */
export type TestedTypes = Readonly<Record<string, readonly string[]>>;

const PATH = new URL("../../fixtures/tested_types.json", import.meta.url);
const RECORDER = new URL("./type_recorder.ts", import.meta.url).pathname;

/** What was recorded last. */
export function readTestedTypes(): TestedTypes {
  return JSON.parse(Deno.readTextFileSync(PATH));
}

/** The types that a file runs. @throws Error one of its tests fails */
async function typesOf(file: string): Promise<string[]> {
  const list = await Deno.makeTempFile();
  try {
    const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--preload", RECORDER, `tests/${file}`],
      env: { TESTED_TYPES: list },
    }).output();
    const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("\n");
    if (!success) throw new Error(`${file} fails:\n${output}`);
    return (await Deno.readTextFile(list)).split("\n").filter(Boolean);
  } finally {
    await Deno.remove(list);
  }
}

/** The types of integrations with the files that ran them. */
function recordOf(pairs: readonly (readonly [type: string, file: string])[]): TestedTypes {
  const types = [...createTaskCatalog().list(), ...createTriggerCatalog().list()].map(({ type }) => type);
  const record = types.filter((type) => integrationOf(type)).map((type) =>
    [type, pairs.filter(([name]) => name === type).map(([, file]) => file).sort()] as const
  );
  return Object.fromEntries(record.filter(([, tests]) => tests.length > 0));
}

async function main(given: readonly string[]): Promise<void> {
  const known = [...new Set(EVIDENCE.flatMap(({ tests }) => tests))].sort();
  for (const file of given.length === 0 ? known : given) {
    const kept = Object.entries(readTestedTypes()).flatMap(([type, tests]) =>
      tests.filter((each) => each !== file && known.includes(each)).map((each) => [type, each] as const)
    );
    const ran = (await typesOf(file)).map((type) => [type, file] as const);
    await Deno.writeTextFile(PATH, `${JSON.stringify(recordOf([...kept, ...ran]), null, 1)}\n`);
    await Deno.stdout.write(new TextEncoder().encode(`${file}: ${ran.length} types\n`));
  }
}

if (import.meta.main) await main(Deno.args);
