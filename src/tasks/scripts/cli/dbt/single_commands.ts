/** The older types of dbt that run one command each: `dbt.cli.Build`, `dbt.cli.Run` and others. */
import type { JsonObject } from "../../../../base/json.ts";
import { shellWord } from "../../../../base/text/shell_word.ts";
import { NODES_OUTPUT } from "../../../../integrations/dbt/run_results.ts";
import { yamlText } from "../../../../languages/yaml/mod.ts";
import {
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../../model/flows/schema.ts";
import type { RunnableTaskType } from "../../../../model/tasks/task_catalog.ts";
import { textList } from "../../../file_properties.ts";
import { hasFile, writeLocalFile } from "../../../local_files.ts";
import { flagOf, structureOf, textOf } from "../../../property_values.ts";
import { listOf } from "../../script_commands.ts";
import type { HookWork } from "../../script_hooks.ts";
import { cliTask, type CliType } from "../cli_type.ts";
import { collectArtifacts, projectFolder } from "./artifacts.ts";
import { DBT_METRICS, DBT_PROPERTIES, DBT_VARIABLES } from "./dbt_cli.ts";
import { readDbtLine } from "./log_line.ts";

const PROFILES_FOLDER = ".profile";
/** Where `dbt.cli.Setup` installs dbt. */
const INSTALLED = "bin/dbt";
const DEPRECATED = "use dbt.cli.DbtCLI";

const PROPERTIES: PropertySchemas = Object.freeze({
  ...DBT_PROPERTIES,
  dbtPath: dynamicText(
    "Path of dbt; by default the one that `dbt.cli.Setup` has installed, else that of the PATH.",
  ),
  failFast: dynamicFlag(false, "Whether dbt stops at the first failure."),
  warnError: dynamicFlag(false, "Whether a warning of dbt is an error."),
  debug: dynamicFlag(false, "Whether dbt logs at its level DEBUG."),
  thread: dynamicProperty("integer", "Number of threads.", { minimum: 1 }),
  fullRefresh: dynamicFlag(false, "Whether incremental models are built anew."),
  target: dynamicText("Target of the profile."),
  selector: dynamicText("Name of a selector of `selectors.yml`."),
  select: textList("Nodes to include.", { orText: true }),
  exclude: textList("Nodes to exclude.", { orText: true }),
});

interface SingleCommand {
  readonly name: string;
  readonly command: string;
  readonly description: string;
  /** It writes `run_results.json`. */
  readonly hasResults: boolean;
}

const COMMANDS: readonly SingleCommand[] = [
  { name: "Build", command: "build", description: "Runs `dbt build`.", hasResults: true },
  { name: "Compile", command: "compile", description: "Runs `dbt compile`.", hasResults: true },
  { name: "Deps", command: "deps", description: "Runs `dbt deps`.", hasResults: false },
  {
    name: "Freshness",
    command: "source freshness",
    description: "Runs `dbt source freshness`.",
    hasResults: false,
  },
  { name: "List", command: "list", description: "Runs `dbt list`.", hasResults: false },
  { name: "Run", command: "run", description: "Runs `dbt run`.", hasResults: true },
  { name: "Seed", command: "seed", description: "Runs `dbt seed`.", hasResults: true },
  { name: "Snapshot", command: "snapshot", description: "Runs `dbt snapshot`.", hasResults: true },
  { name: "Test", command: "test", description: "Runs `dbt test`.", hasResults: true },
];

function singleCommand({ name, command, description, hasResults }: SingleCommand): CliType {
  return {
    type: `dbt.cli.${name}`,
    title: `Run dbt ${command}`,
    description: `${description} \`dbt.cli.DbtCLI\` runs any command.`,
    deprecated: DEPRECATED,
    image: "ghcr.io/kestra-io/dbt",
    hasOwnCommands: true,
    properties: PROPERTIES,
    ...hasResults ? { outputs: { nodes: NODES_OUTPUT }, metrics: DBT_METRICS } : {},
    examples: [{
      title: `Run dbt ${command}`,
      yaml: `id: dbt
type: io.kestra.plugin.dbt.cli.${name}
containerImage: ghcr.io/kestra-io/dbt-duckdb
dbtPath: /usr/local/bin/dbt
namespaceFiles:
  enabled: true`,
    }],
    hooks: {
      additions: () => ({ env: DBT_VARIABLES }),
      prepare: (work) => prepare(work, command),
      reader: () => readDbtLine,
      ...hasResults ? { finish: collectArtifacts } : {},
    },
  };
}

const SETUP: CliType = {
  type: "dbt.cli.Setup",
  title: "Install dbt",
  description:
    "Installs Python packages with dbt into the working directory, for tasks that follow in it. `dbt.cli.DbtCLI` needs no such task.",
  deprecated: "use an image with dbt, or pip in `beforeCommands` of dbt.cli.DbtCLI",
  image: "python",
  hasOwnCommands: true,
  properties: {
    requirements: textList("Packages, as pip takes them.", { required: true, orText: true }),
    profiles: dynamicProperty("any", "Content of `profiles.yml`: a text, or a map.", { required: true }),
    pythonPath: dynamicText("Path of Python.", { default: "python" }),
  },
  examples: [{
    title: "Install dbt for DuckDB",
    yaml: `id: setup
type: io.kestra.plugin.dbt.cli.Setup
requirements:
  - dbt-duckdb
profiles:
  shop:
    target: dev
    outputs:
      dev: {type: duckdb, path: shop.duckdb}`,
  }],
  hooks: { additions: () => ({ env: DBT_VARIABLES }), prepare: prepareSetup },
};

/** Types below `dbt.cli.` that run one command. */
export const SINGLE_COMMAND_TASKS: readonly RunnableTaskType[] = Object.freeze(
  [...COMMANDS.map(singleCommand), SETUP].map(cliTask),
);

async function prepare({ properties, directory }: HookWork, command: string): Promise<JsonObject> {
  const profiles = textOf(properties, "profiles");
  const profilesFile = `${PROFILES_FOLDER}/profiles.yml`;
  if (profiles) await writeLocalFile(directory, profilesFile, profiles);
  const folder = projectFolder(properties, directory);
  const words = [
    await programOf(properties, directory),
    ...globalOptions(properties),
    command,
    ...await hasFile(directory, profilesFile)
      ? [`--profiles-dir ${shellWord(`${directory}/${PROFILES_FOLDER}`)}`]
      : [],
    ...nodeOptions(properties),
    ...folder === "" ? [] : [`--project-dir ${shellWord(`${directory}/${folder}`)}`],
  ];
  // `failFast` is that of dbt.
  return { ...properties, failFast: true, commands: [words.join(" ")] };
}

async function programOf(properties: JsonObject, directory: string): Promise<string> {
  const path = textOf(properties, "dbtPath");
  if (path) return shellWord(path);
  // In a virtual environment it may be a link.
  const isInstalled = await Deno.lstat(`${directory}/${INSTALLED}`).then(() => true, () => false);
  return isInstalled ? `./${INSTALLED}` : "dbt";
}

function globalOptions(properties: JsonObject): string[] {
  return [
    "--log-format json",
    ...flagOf(properties, "debug", false) ? ["--debug"] : [],
    ...flagOf(properties, "failFast", false) ? ["--fail-fast"] : [],
    ...flagOf(properties, "warnError", false) ? ["--warn-error"] : [],
  ];
}

function nodeOptions(properties: JsonObject): string[] {
  const option = (name: string, value: string | undefined) => value ? [`--${name} ${shellWord(value)}`] : [];
  const options = (name: string, values: readonly string[]) =>
    values.length === 0 ? [] : [`--${name} ${values.map(shellWord).join(" ")}`];
  return [
    ...option("threads", textOf(properties, "thread")),
    ...flagOf(properties, "fullRefresh", false) ? ["--full-refresh"] : [],
    ...option("target", textOf(properties, "target")),
    ...option("selector", textOf(properties, "selector")),
    ...options("select", listOf(properties, "select")),
    ...options("exclude", listOf(properties, "exclude")),
  ];
}

async function prepareSetup({ properties, directory }: HookWork): Promise<JsonObject> {
  const profiles = structureOf(properties, "profiles");
  const text = typeof properties.profiles === "string" ? properties.profiles : yamlText(profiles ?? {});
  await writeLocalFile(directory, `${PROFILES_FOLDER}/profiles.yml`, text);
  const python = shellWord(textOf(properties, "pythonPath") || "python");
  const packages = listOf(properties, "requirements").map(shellWord).join(" ");
  return {
    ...properties,
    commands: [
      `${python} -m venv --system-site-packages ${shellWord(directory)} > /dev/null`,
      `./bin/python -m pip install --quiet ${packages}`,
    ],
  };
}
