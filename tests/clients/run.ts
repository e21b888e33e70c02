/**
 * `deno task test:clients`: generates clients from the description of a real server and runs a round trip with each. Ends with
 * the line `N passed, N failed`, which counts steps; a client that this machine cannot generate is skipped with a notice.
 */
import { print } from "../support/processes/command_line.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { runCommand } from "./command.ts";
import { type ClientKit, readReport } from "./generated_client.ts";
import { PYTHON_CLIENT } from "./python_client.ts";
import { TYPESCRIPT_CLIENT } from "./typescript_client.ts";

const KITS: readonly ClientKit[] = [TYPESCRIPT_CLIENT, PYTHON_CLIENT];
/** A round trip of fewer operations shows too little. */
const MIN_OPERATIONS = 40;
const USER = "ann@example.org";
const PASSWORD = "Round-trip-1";
const FLOWS = new URL("flows", import.meta.url).pathname;

interface Counts {
  readonly passed: number;
  readonly failures: readonly string[];
}

const NOTHING: Counts = { passed: 0, failures: [] };

/** Generates one client and runs its round trip against a new server. */
async function tryClient(kit: ClientKit): Promise<Counts> {
  return await withTempDir(async (folder) => {
    const options = { dataDir: `${folder}/data`, env: { SLUICE_BASIC_AUTH: `${USER}:${PASSWORD}` } };
    await using server = await ServerProcess.start(options);
    const description = `${folder}/openapi.json`;
    await Deno.writeTextFile(description, await describe(server));
    await Deno.mkdir(`${folder}/${kit.name}`);
    const ready = await kit.prepare({ folder: `${folder}/${kit.name}`, description });
    if ("missing" in ready) {
      print(`${kit.name}: skipped, missing: ${ready.missing}`);
      return NOTHING;
    }
    const isUsable = ready.problems.length === 0;
    const trip = isUsable ? await runTrip(kit, server, ready) : NOTHING;
    return { passed: trip.passed + (isUsable ? 1 : 0), failures: [...ready.problems, ...trip.failures] };
  });
}

async function describe(server: ServerProcess): Promise<string> {
  const headers = { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` };
  const response = await fetch(`${server.url}/openapi.json`, { headers });
  if (!response.ok) throw new Error(`/openapi.json: ${response.status} ${await response.text()}`);
  return await response.text();
}

async function runTrip(
  { name }: ClientKit,
  { url }: ServerProcess,
  { command, args, env }: { command: string; args: readonly string[]; env: Readonly<Record<string, string>> },
): Promise<Counts> {
  const access = { SERVER_URL: url, SERVER_USER: USER, SERVER_PASSWORD: PASSWORD, FLOWS };
  const { text } = await runCommand(command, args, { env: { ...env, ...access } });
  const { operations, passed, failures } = readReport(text);
  print(`${name}: ${operations.length} operations, ${passed} steps passed`);
  const tooFew = operations.length < MIN_OPERATIONS ? [`only ${operations.length} operations`] : [];
  return { passed, failures: [...failures, ...tooFew] };
}

async function main(): Promise<number> {
  let passed = 0;
  let failed = 0;
  for (const kit of KITS) {
    const counts = await tryClient(kit);
    for (const failure of counts.failures) print(`${kit.name}: FAILED ${failure}`);
    passed += counts.passed;
    failed += counts.failures.length;
  }
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
