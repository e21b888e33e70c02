/** `sluice migrate`: checks flows of a folder, an archive or another server, and imports them. */
import type { Clock } from "../../base/time/clock.ts";
import type { MigrateOptions } from "../../config/mod.ts";
import type { ProcessPlatform } from "../../machine/server_process/server_process.ts";
import { createTaskCatalog } from "../../tasks/registry.ts";
import { createTriggerCatalog } from "../../triggers/registry.ts";
import { ApiClient, ApiError, type Send } from "./api_client.ts";
import { openFileSource } from "./file_source.ts";
import { type CheckedFlow, checkFlow } from "./flow_check.ts";
import { type ImportedItem, Importer } from "./import.ts";
import type { MigrationSource } from "./migration_source.ts";
import {
  type ContentCounts,
  exitCodeOf,
  jsonOf,
  type MigrationReport,
  type NeededSecret,
  textOf,
} from "./report.ts";
import { inheritedDefaults, TENANT } from "./namespace_settings.ts";
import { serverSource } from "./server_source.ts";

interface MigrateDeps extends Pick<ProcessPlatform, "print" | "printError"> {
  readonly send: Send;
  readonly clock: Clock;
}

/** Exit code when nothing could be checked. */
const NOT_CHECKED = 2;
const PROGRESS_MS = 2_000;

/** Runs a migration and prints the result; gives the exit code. */
export async function runMigrate(options: MigrateOptions, deps: MigrateDeps): Promise<number> {
  try {
    const report = await migrate(options, deps);
    deps.print(options.isJson ? jsonOf(report) : textOf(report));
    return exitCodeOf(report);
  } catch (error) {
    deps.printError(error instanceof Error ? error.message : String(error));
    return NOT_CHECKED;
  }
}

/** Says how far it is. */
type Progress = (done: string) => void;

async function migrate(options: MigrateOptions, deps: MigrateDeps): Promise<MigrationReport> {
  const { source: given, target } = options;
  const progress = createProgress(deps);
  const source = typeof given === "string"
    ? await openFileSource(given)
    : serverSource(await ApiClient.connect(given, deps.send));
  // Before the check, which may be long: wrong credentials are said at once.
  const client = target && await ApiClient.connect(target, deps.send);
  const flows = await checkFlows(source, options, progress);
  const namespaces = (await source.contents?.namespaces() ?? []).filter((name) => isWanted(options, name));
  const secrets = await neededSecrets(source, flows, namespaces);
  const report = { source: source.name, flows, secrets };
  if (!client) {
    return { ...report, contents: await countContents(source, namespaces), imported: [] };
  }
  const imported: ImportedItem[] = [];
  const { isOverwrite, isDisabled } = options;
  const importer = new Importer({ target: client, isOverwrite, isDisabled });
  try {
    for await (const item of importAll(importer, { source, flows, namespaces })) {
      imported.push(item);
      progress(`Items imported: ${imported.length}`);
    }
    return { ...report, target: client.url, imported };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...report, target: client.url, imported, stopped: error.message };
  }
}

async function checkFlows(
  source: MigrationSource,
  options: MigrateOptions,
  progress: Progress,
): Promise<CheckedFlow[]> {
  const catalogs = { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
  await catalogs.tasks.loadAll();
  const defaults = await inheritedDefaults(source.contents);
  const flows: CheckedFlow[] = [];
  for await (const flow of source.flows()) {
    const checked = checkFlow(flow, catalogs, (name) => defaults.of(TENANT, name).pluginDefaults);
    if (isWanted(options, checked.namespace)) flows.push(checked);
    progress(`Flows checked: ${flows.length}`);
  }
  return flows;
}

/** Flows come last: their triggers may fire at once and read the others. */
async function* importAll(
  importer: Importer,
  { source, flows, namespaces }: {
    readonly source: MigrationSource;
    readonly flows: readonly CheckedFlow[];
    readonly namespaces: readonly string[];
  },
): AsyncGenerator<ImportedItem> {
  for (const namespace of source.contents ? namespaces : []) {
    if (source.contents) yield* importer.contents(source.contents, namespace);
  }
  for (const flow of flows) if (flow.verdict !== "refused") yield await importer.flow(flow);
}

function isWanted({ namespace }: MigrateOptions, name: string | undefined): boolean {
  return namespace === undefined || name === namespace || name?.startsWith(`${namespace}.`) === true;
}

async function countContents(
  { contents }: MigrationSource,
  namespaces: readonly string[],
): Promise<ContentCounts | undefined> {
  if (!contents) return undefined;
  let [files, keys] = [0, 0];
  for (const namespace of namespaces) {
    files += (await contents.files(namespace)).length;
    keys += (await contents.keys(namespace)).length;
  }
  return { namespaces: namespaces.length, files, keys };
}

/** Secrets of the source, and those that expressions read. */
async function neededSecrets(
  { contents }: MigrationSource,
  flows: readonly CheckedFlow[],
  namespaces: readonly string[],
): Promise<NeededSecret[]> {
  const users = new Map<string, Set<string>>();
  const add = (name: string, namespace: string) => {
    users.set(name, (users.get(name) ?? new Set()).add(namespace));
  };
  for (const { secrets, namespace = "" } of flows) for (const name of secrets) add(name, namespace);
  for (const namespace of contents ? namespaces : []) {
    for (const name of await contents?.secretNames(namespace) ?? []) add(name, namespace);
  }
  return [...users].sort(([a], [b]) => a < b ? -1 : 1)
    .map(([name, found]) => ({ name, namespaces: [...found].sort() }));
}

function createProgress({ printError, clock }: MigrateDeps): Progress {
  let nextMs = clock.monotonicMs() + PROGRESS_MS;
  return (done) => {
    if (clock.monotonicMs() < nextMs) return;
    nextMs = clock.monotonicMs() + PROGRESS_MS;
    printError(`  ${done}`);
  };
}
