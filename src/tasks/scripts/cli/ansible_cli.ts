/** `ansible.cli.AnsibleCLI`. https://docs.ansible.com/ansible/latest/reference_appendices/config.html */
import { isJsonObject, type JsonObject, tryParseJson } from "../../../base/json.ts";
import { MAX_OUTPUT_BYTES } from "../../../model/limits.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { hasFile, openLocalFile, storeFile, writeLocalFile } from "../../local_files.ts";
import { flagOf, textOf } from "../../property_values.ts";
import { auxiliaryFolder, listOf } from "../script_commands.ts";
import type { HookWork, ScriptAdditions, ScriptFindings } from "../script_hooks.ts";
import kestraModule from "../tools/ansible_module.py" with { type: "text" };
import reporter from "../tools/ansible_outputs.py" with { type: "text" };
import { cliTask } from "./cli_type.ts";

const CONFIG = "ansible.cfg";
const LOG = "log";
const RESULTS = "ansible-results.json";
/** Flows with a configuration of their own name the folders and the callback. */
const FILES: Readonly<Record<string, string>> = {
  "callback_plugins/kestra_logger.py": reporter,
  "library/kestra.py": kestraModule,
};

const PROPERTIES: PropertySchemas = Object.freeze({
  ansibleConfig: dynamicText(
    "Content of `ansible.cfg`. It needs the callback `kestra_logger` of the folder `callback_plugins` for outputs, and the folder `library` for the module `kestra`.",
  ),
  outputsMode: dynamicChoice(
    ["ALL", "EXPLICIT"],
    "ALL",
    "Whether outputs are the results of all tasks of a playbook, or only what its tasks with the module `kestra` declare.",
  ),
  outputLogFile: dynamicFlag(false, "Whether the log of Ansible is stored as the output file `log`."),
  autoInstallPythonRequirements: dynamicFlag(
    true,
    "Whether the packages of `requirements.txt` are installed first.",
  ),
  autoInstallGalaxyRequirements: dynamicFlag(
    true,
    "Whether the collections and roles of `requirements.yml` are installed first.",
  ),
  warningOnStdErr: dynamicFlag(
    false,
    "Whether output on the error stream ends a successful task with a warning.",
  ),
});

/** Results of playbooks are `vars.outputs` and `playbooks`. */
export const ansibleCliTask = cliTask({
  type: "ansible.cli.AnsibleCLI",
  title: "Run Ansible",
  description:
    "Runs commands with Ansible. The results of playbooks become outputs: `vars.outputs` is a list of all results, or the map that the module `kestra` has declared.",
  image: "cytopia/ansible:latest-tools",
  properties: PROPERTIES,
  outputs: {
    playbooks: {
      type: "list",
      items: {
        type: "map",
        description: "A playbook: `plays`, with the `tasks` of each and their results by host.",
      },
      description: "The playbooks that have run.",
    },
  },
  examples: [{
    title: "Run a playbook",
    yaml: `id: playbook
type: io.kestra.plugin.ansible.cli.AnsibleCLI
inputFiles:
  inventory.ini: localhost ansible_connection=local
  playbook.yml: |
    - hosts: all
      tasks:
        - name: Host name
          command: hostname
commands:
  - ansible-playbook -i inventory.ini playbook.yml`,
  }],
  hooks: { additions, prepare, finish },
});

function additions(properties: JsonObject, folder: string): ScriptAdditions {
  return {
    env: {
      SLUICE_RESULTS_FILE: `${folder}/${RESULTS}`,
      SLUICE_OUTPUTS_MODE: textOf(properties, "outputsMode") || "ALL",
      // Without one, texts with other characters than ASCII fail.
      LC_ALL: "C.UTF-8",
    },
    files: { [RESULTS]: "" },
  };
}

async function prepare({ properties, directory }: HookWork): Promise<JsonObject> {
  const config = textOf(properties, "ansibleConfig");
  if (config || !await hasFile(directory, CONFIG)) {
    await writeLocalFile(directory, CONFIG, config || defaultConfig(directory));
  }
  for (const [name, content] of Object.entries(FILES)) await writeLocalFile(directory, name, content);
  const install = [
    ...flagOf(properties, "autoInstallPythonRequirements", true)
      ? ["[ ! -f requirements.txt ] || pip install --no-cache-dir -r requirements.txt"]
      : [],
    ...flagOf(properties, "autoInstallGalaxyRequirements", true)
      ? ["[ ! -f requirements.yml ] || ansible-galaxy install -r requirements.yml"]
      : [],
  ];
  return { ...properties, commands: [...install, ...listOf(properties, "commands")] };
}

function defaultConfig(directory: string): string {
  return `[defaults]
log_path = ${directory}/${LOG}
callback_plugins = ./callback_plugins
callbacks_enabled = kestra_logger
library = ./library
`;
}

async function finish(work: HookWork, { vars }: { readonly vars: JsonObject }): Promise<ScriptFindings> {
  const { properties, directory } = work;
  const hasLog = flagOf(properties, "outputLogFile", false) && await hasFile(directory, LOG);
  const { outputs, playbooks } = await resultsOf(work);
  return {
    files: hasLog ? { [LOG]: await storeFile(work, LOG) } : {},
    outputs: { vars: { ...vars, outputs, playbooks }, playbooks },
  };
}

/** Empty if no playbook has ended, or if they are too large for outputs. */
async function resultsOf({ properties, context, directory }: HookWork) {
  const none = { outputs: textOf(properties, "outputsMode") === "EXPLICIT" ? {} : [], playbooks: [] };
  const name = `${auxiliaryFolder(context)}/${RESULTS}`;
  if (!await hasFile(directory, name)) return none;
  // Both outputs have them.
  const { size } = await Deno.lstat(`${directory}/${name}`);
  if (size * 2 > MAX_OUTPUT_BYTES) {
    context.log(
      "WARN",
      `The results of the playbooks are left out: they have ${size} bytes, too many for outputs; declare what is needed with \`outputsMode: EXPLICIT\``,
    );
    return none;
  }
  const results = tryParseJson(await new Response(await openLocalFile(directory, name)).text());
  if (!isJsonObject(results)) return none;
  const { outputs = none.outputs, playbooks = [] } = results;
  return { outputs, playbooks };
}
