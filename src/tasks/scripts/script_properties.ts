/** What all script tasks have in common. */
import {
  dynamicFlag,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { FILE_PROPERTIES, OUTPUT_FILES, textList } from "../file_properties.ts";

/** The older form of a container's options. */
const DOCKER: PropertySchema = {
  type: "map",
  aliases: ["dockerOptions"],
  deprecated: "use `containerImage` and `taskRunner`",
  description: "Options of the container; its `image`, `pullPolicy` and `user` are read.",
};

/** Where and how the commands run. */
const RUNNER_PROPERTIES: PropertySchemas = Object.freeze({
  taskRunner: {
    type: "map",
    dynamic: true,
    description: "Where the commands run: an object with the `type` of a task runner and its options.",
  },
  containerImage: dynamicText("Image of the container; used where the task runs in one."),
  runner: {
    type: "string",
    values: ["PROCESS", "DOCKER"],
    deprecated: "use `taskRunner`",
    description: "Where the commands run.",
  },
  docker: DOCKER,
  targetOS: {
    type: "string",
    dynamic: true,
    values: ["LINUX", "WINDOWS", "AUTO"],
    default: "AUTO",
    description: "System for which the commands are written.",
  },
});

/** Properties of every script task beside its commands or script. */
export const SCRIPT_PROPERTIES: PropertySchemas = Object.freeze({
  beforeCommands: textList("Commands that run first, in the same shell."),
  env: {
    type: "map",
    dynamic: true,
    orText: true,
    items: { type: "string", description: "Value of the variable." },
    description: "Environment variables, by name.",
  },
  interpreter: textList("Command that gets the commands as its last argument.", {
    orText: true,
    default: ["/bin/sh", "-c"],
  }),
  interpreterArgs: textList("Arguments of the `interpreter`, where that is a text; `-c` without it.", {
    deprecated: "use `interpreter`",
  }),
  failFast: {
    type: "boolean",
    dynamic: true,
    default: true,
    aliases: ["exitOnFailed"],
    description: "Whether the first command that fails ends the task.",
  },
  warningOnStdErr: dynamicFlag(
    true,
    "Whether lines on the error stream end a successful task with a warning.",
  ),
  ...FILE_PROPERTIES,
  outputFiles: textList("Globs of the files to keep, relative to the working directory.", {
    orText: true,
    aliases: ["outputsFiles"],
  }),
  outputDirectory: {
    type: "boolean",
    dynamic: true,
    deprecated: "use `outputFiles`",
    description:
      "Whether all files in `{{ outputDir }}` are kept; without it they are where `runner` is set.",
  },
  ...RUNNER_PROPERTIES,
});

/** Properties of script tasks whose language has packages. */
export const DEPENDENCY_PROPERTIES: PropertySchemas = Object.freeze({
  dependencies: textList("Packages to install before the commands run.", { orText: true }),
  dependencyCacheEnabled: dynamicFlag(
    true,
    "Whether tasks that need the same packages share them for a day.",
  ),
});

/** Properties of Python tasks beside those of all script tasks. */
export const PYTHON_PROPERTIES: PropertySchemas = Object.freeze({
  ...DEPENDENCY_PROPERTIES,
  pythonVersion: dynamicText(
    "Version of Python that runs, such as 3.12: where the commands run as a process that finds `python3.12`, else the default one with a warning.",
  ),
  packageManager: {
    type: "string",
    dynamic: true,
    values: ["PIP", "UV"],
    ignored: true,
    description: "Program that installs the packages.",
  },
});

/** `commands` of the tasks that run commands. */
export const COMMANDS: PropertySchema = textList("Commands to run, in this order.", {
  required: true,
  orText: true,
});

/** `script` of the tasks that run a script. */
export const SCRIPT: PropertySchema = Object.freeze({
  type: "string",
  required: true,
  dynamic: true,
  description: "Text of the script.",
});

/** What any script task leaves. */
export const SCRIPT_OUTPUTS: PropertySchemas = Object.freeze({
  vars: {
    type: "map",
    description:
      'Values that the commands have printed as `::{"outputs": {…}}::`, or as `::{"encryptedOutputs": {…}}::`: these are kept encrypted.',
  },
  exitCode: { type: "integer", description: "Exit code of the commands." },
  outputFiles: OUTPUT_FILES,
});
