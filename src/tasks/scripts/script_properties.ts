/** Properties and outputs of script tasks. */
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { DOCKER_SCHEMAS } from "./container_options.ts";
import { FILE_PROPERTIES, OUTPUT_FILES, textList } from "../file_properties.ts";

/** Properties of all script tasks, besides `commands` and `script`. */
export const SCRIPT_PROPERTIES: PropertySchemas = Object.freeze({
  beforeCommands: textList("Commands that run first, in the same shell."),
  env: dynamicProperty("map", "Environment variables, by name.", {
    orText: true,
    items: { type: "string", orJson: true, description: "Value of the variable." },
  }),
  interpreter: textList("Command that receives the commands as its last argument.", {
    orText: true,
    default: ["/bin/sh", "-c"],
  }),
  interpreterArgs: textList("Arguments of the `interpreter` if that is a text; default is `-c`.", {
    deprecated: "use `interpreter`",
  }),
  failFast: dynamicFlag(true, "Whether the first command that fails ends the task.", {
    aliases: ["exitOnFailed"],
  }),
  warningOnStdErr: dynamicFlag(
    true,
    "Whether output on the error stream ends a successful task with a warning.",
  ),
  ...FILE_PROPERTIES,
  outputFiles: textList("Globs of the files to store, relative to the working directory.", {
    orText: true,
    aliases: ["outputsFiles"],
  }),
  outputDirectory: dynamicProperty(
    "boolean",
    "Whether all files in `{{ outputDir }}` are stored; by default only if `runner` is set.",
    { deprecated: "use `outputFiles`" },
  ),
  taskRunner: dynamicProperty(
    "taskRunner",
    "Where the commands run; by default in a container if the task names an image and one can run here, else as processes.",
  ),
  containerImage: dynamicText("Image of the container that the task runs in."),
  runner: {
    type: "string",
    values: ["PROCESS", "DOCKER"],
    deprecated: "use `taskRunner`",
    description: "Where the commands run.",
  },
  docker: dynamicProperty("object", "Image and options of the container.", {
    aliases: ["dockerOptions"],
    deprecated: "use `containerImage` and `taskRunner`",
    properties: DOCKER_SCHEMAS,
  }),
  targetOS: dynamicChoice(["LINUX", "WINDOWS", "AUTO"], "AUTO", "System for which the commands are written."),
});

/** Properties of script tasks whose language has packages. */
export const DEPENDENCY_PROPERTIES: PropertySchemas = Object.freeze({
  dependencies: textList("Packages to install before the commands run.", { orText: true }),
  dependencyCacheEnabled: dynamicFlag(
    true,
    "Whether tasks with the same packages share one installation for a day.",
  ),
});

/** Further properties of Python tasks. */
export const PYTHON_PROPERTIES: PropertySchemas = Object.freeze({
  ...DEPENDENCY_PROPERTIES,
  pythonVersion: dynamicText(
    "Version of Python, such as 3.12, for commands that run as a process: one of the machine, else one that uv installs; otherwise the default version runs with a warning.",
  ),
  packageManager: dynamicText("Program that installs the packages.", {
    values: ["PIP", "UV"],
    ignored: true,
  }),
});

/** `commands` of the tasks that run commands. */
export const COMMANDS: PropertySchema = textList("Commands to run, in this order.", {
  required: true,
  orText: true,
});

/** `script` of the tasks that run a script. */
export const SCRIPT: PropertySchema = dynamicText("Text of the script.", { required: true });

/** Outputs of all script tasks. */
export const SCRIPT_OUTPUTS: PropertySchemas = Object.freeze({
  vars: {
    type: "map",
    description:
      'Values that the commands have printed as `::{"outputs": {…}}::`, or as `::{"encryptedOutputs": {…}}::`, which are stored encrypted.',
  },
  exitCode: { type: "integer", description: "Exit code of the commands." },
  outputFiles: OUTPUT_FILES,
});
