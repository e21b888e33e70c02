/** `dbt.cli.DbtCLI`. https://docs.getdbt.com/reference/global-configs/about-global-configs */
import type { JsonObject } from "../../../../base/json.ts";
import { shellWord } from "../../../../base/text/shell_word.ts";
import { NODE_METRICS, NODES_OUTPUT } from "../../../../integrations/dbt/run_results.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicText,
  type PropertySchemas,
} from "../../../../model/flows/schema.ts";
import type { KvPairId } from "../../../../model/namespaces/kv_pair.ts";
import { hasFile, writeLocalFile } from "../../../local_files.ts";
import { textOf } from "../../../property_values.ts";
import { listOf } from "../../script_commands.ts";
import type { HookWork, ScriptFindings } from "../../script_hooks.ts";
import { cliTask } from "../cli_type.ts";
import { collectArtifacts, MANIFEST, projectFolder, readText, targetName } from "./artifacts.ts";
import { readDbtLine } from "./log_line.ts";
import { loadManifest, manifestPair, manifestPairOf, storeManifest } from "./manifest_pair.ts";

const IMAGES: ReadonlyMap<string, string> = new Map([
  ["CORE", "ghcr.io/kestra-io/dbt"],
  ["FUSION", "ghcr.io/kestra-io/dbt-fusion"],
]);

/** Variables of all types of dbt. */
export const DBT_VARIABLES: Readonly<Record<string, string>> = Object.freeze({
  PYTHONUNBUFFERED: "true",
  PIP_ROOT_USER_ACTION: "ignore",
});

/** Properties of all types of dbt. */
export const DBT_PROPERTIES: PropertySchemas = Object.freeze({
  profiles: dynamicText("Content of `profiles.yml`; it replaces a file of that name."),
  projectDir: dynamicText("Folder of the dbt project, relative to the working directory."),
  parseRunResults: dynamicFlag(
    true,
    "Whether `run_results.json` is stored, and its results are reported as log lines, metrics and `nodes`.",
  ),
  warningOnStdErr: dynamicFlag(
    false,
    "Whether output on the error stream ends a successful task with a warning. A warning of dbt always does.",
  ),
});

/** Metrics of all types of dbt. */
export const DBT_METRICS = Object.freeze({
  ...NODE_METRICS,
  ...Object.fromEntries(
    ["total", "pass", "warn", "error", "skip"].map((
      name,
    ) => [name, { type: "counter", description: `Nodes that dbt counts as "${name}".` } as const]),
  ),
});

/** Outputs beside those of scripts: `nodes`; output files `manifest.json` and `run_results.json`. */
export const dbtCliTask = cliTask({
  type: "dbt.cli.DbtCLI",
  title: "Run dbt",
  description:
    "Runs dbt commands. They get the project folder and a log format that the task reads. What dbt has run is reported for each node.",
  image: (properties) => IMAGES.get(textOf(properties, "engine") ?? "") ?? "ghcr.io/kestra-io/dbt",
  properties: {
    ...DBT_PROPERTIES,
    logFormat: dynamicChoice(
      ["JSON", "TEXT", "DEBUG", "NONE"],
      "JSON",
      "Value of `--log-format` for commands that have none; NONE leaves it out. With JSON, lines have the levels of dbt.",
    ),
    storeManifest: manifestPair(
      "KV pair that `target/manifest.json` is stored in when the commands have ended.",
    ),
    loadManifest: manifestPair(
      "KV pair whose manifest is written to `target/manifest.json` before the commands run.",
    ),
    engine: dynamicChoice(["CORE", "FUSION"], "CORE", "Engine, which decides the default image."),
  },
  outputs: { nodes: NODES_OUTPUT },
  metrics: DBT_METRICS,
  examples: [{
    title: "Build a project of the namespace files",
    yaml: `id: build
type: io.kestra.plugin.dbt.cli.DbtCLI
containerImage: ghcr.io/kestra-io/dbt-duckdb
namespaceFiles:
  enabled: true
profiles: |
  shop:
    target: dev
    outputs:
      dev:
        type: duckdb
        path: shop.duckdb
commands:
  - dbt deps
  - dbt build`,
  }, {
    title: "Build what has changed since the last run",
    yaml: `id: build
type: io.kestra.plugin.dbt.cli.DbtCLI
containerImage: ghcr.io/kestra-io/dbt-postgres
namespaceFiles:
  enabled: true
loadManifest:
  key: manifest
storeManifest:
  key: manifest
commands:
  - dbt build --select state:modified+ --defer --state target`,
  }],
  hooks: {
    additions: () => ({ env: DBT_VARIABLES }),
    prepare,
    reader: () => readDbtLine,
    finish,
  },
});

async function prepare(work: HookWork): Promise<JsonObject> {
  const { properties, context, directory } = work;
  const pair = await manifestPairOf(properties, "loadManifest", context);
  if (pair) await writeManifest(work, pair);
  const profiles = textOf(properties, "profiles");
  if (profiles) await writeLocalFile(directory, "profiles.yml", profiles);
  return { ...properties, commands: listOf(properties, "commands").map((line) => completed(line, work)) };
}

async function writeManifest(work: HookWork, pair: KvPairId): Promise<void> {
  const { context, directory } = work;
  const manifest = await loadManifest(context, pair);
  if (manifest !== undefined) {
    await writeLocalFile(directory, targetName(work, MANIFEST), manifest);
    return;
  }
  context.log(
    "WARN",
    `No manifest is loaded: there is no key "${pair.key}" in namespace "${pair.namespace}"`,
  );
}

/** A command of dbt with the options that it lacks. */
function completed(line: string, { properties, directory }: HookWork): string {
  const command = line.trimEnd();
  if (!/^\s*dbt(?:\s|$)/.test(command)) return line;
  const folder = projectFolder(properties, directory);
  const format = textOf(properties, "logFormat") || "JSON";
  const hasFolder = folder === "" || command.includes("--project-dir");
  const hasFormat = format === "NONE" || command.includes("--log-format");
  return [
    command,
    ...hasFolder ? [] : [`--project-dir ${plainWord(folder)}`],
    ...hasFormat ? [] : [`--log-format ${format.toLowerCase()}`],
  ].join(" ");
}

/** Quoted only if it must be. */
function plainWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : shellWord(text);
}

async function finish(work: HookWork): Promise<ScriptFindings> {
  const { properties, context, directory } = work;
  const pair = await manifestPairOf(properties, "storeManifest", context);
  const manifest = targetName(work, MANIFEST);
  if (pair && await hasFile(directory, manifest)) {
    const isStored = await storeManifest(context, pair, await readText(work, manifest));
    if (!isStored) {
      context.log("WARN", `The manifest is not stored: it is too large for the KV pair "${pair.key}"`);
    }
  }
  return await collectArtifacts(work);
}
