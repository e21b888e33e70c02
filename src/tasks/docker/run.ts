/** `docker.cli.Run`: a container with the entry point and the command of its image. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { dynamicFlag, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { ContainerPlace } from "../../model/ports/containers.ts";
import type { ScriptPlaces } from "../../model/ports/processes.ts";
import type { RunnableTaskType, TaskProblem } from "../../model/tasks/task_catalog.ts";
import { textList } from "../file_properties.ts";
import { flagOf, requiredTextOf } from "../property_values.ts";
import { CONTAINER_SCHEMAS, readContainerOptions } from "../scripts/container_options.ts";
import { SCRIPT_OUTPUTS, SCRIPT_PROPERTIES } from "../scripts/script_properties.ts";
import { runScriptsOf } from "../scripts/script_task.ts";
import { checkPlace, TASK_RUNNERS } from "../scripts/task_runner.ts";
import { imageInRegistry, pick } from "./runtime_call.ts";

/** Properties that are those of the Docker task runner. */
const CONTAINER_NAMES = [
  ...[
    "user",
    "entryPoint",
    "extraHosts",
    "networkMode",
    "portBindings",
    "volumes",
    "pullPolicy",
    "deviceRequests",
  ],
  ...["cpu", "memory", "shmSize", "privileged", "host", "config", "credentials"],
];
const FILE_NAMES = ["env", "inputFiles", "outputFiles", "namespaceFiles"];

const PROPERTIES: PropertySchemas = Object.freeze({
  containerImage: dynamicText("Image of the container.", { required: true }),
  commands: textList("Command and its arguments; by default those of the image.", { orText: true }),
  ...pick(CONTAINER_SCHEMAS, CONTAINER_NAMES),
  entryPoint: textList("Command that receives `commands` as arguments; by default that of the image.", {
    orText: true,
  }),
  ...pick(SCRIPT_PROPERTIES, FILE_NAMES),
  wait: dynamicFlag(
    true,
    "Whether the task waits for the end of the container and removes it. With `false` it continues to run until a task " +
      "of type `docker.cli.Stop` ends it; may need --container-allow manage.",
  ),
  warningOnStdErr: dynamicFlag(
    false,
    "Whether output on the error stream ends a successful task with a warning.",
  ),
});

const runContainer = runScriptsOf({ image: "" }, {
  place: placeOf,
  finish: (_work, { containerId }) =>
    Promise.resolve(containerId === undefined ? {} : { outputs: { taskRunner: { containerId } } }),
});

/** Outputs: those of script tasks, and `taskRunner.containerId` of a container that continues to run. */
export const dockerRunTask: RunnableTaskType = {
  form: "runnable",
  type: "docker.cli.Run",
  aliases: ["docker.Run"],
  title: "Run a container",
  description:
    "Runs a container of Docker, Podman or nerdctl on the machine of the server, with the entry point and the command of its image. Files of the task are in its working directory.",
  pure: false,
  runsOnWorkers: true,
  properties: PROPERTIES,
  outputs: {
    ...SCRIPT_OUTPUTS,
    taskRunner: {
      type: "map",
      description: "With `wait: false`: `containerId`, the name of the container.",
    },
  },
  examples: [{
    title: "Convert a file with a program of an image",
    yaml: `id: convert
type: io.kestra.plugin.docker.cli.Run
containerImage: pandoc/core:3
inputFiles:
  in.md: "{{ outputs.write.uri }}"
commands: [in.md, -o, out.html]
outputFiles: [out.html]`,
  }, {
    title: "Start a server for the tasks that follow",
    yaml: `id: database
type: io.kestra.plugin.docker.cli.Run
containerImage: postgres:17
env:
  POSTGRES_PASSWORD: "{{ secret('PG_PASSWORD') }}"
portBindings: ["127.0.0.1:5432:5432"]
wait: false`,
  }],
  check,
  // Without an interpreter the commands are the words of one command.
  run: (properties, context) => runContainer({ ...properties, interpreter: [] }, context),
};

/** @throws Error an invalid property, which it names */
function placeOf(properties: JsonObject): ContainerPlace {
  const image = imageInRegistry(requiredTextOf(properties, "containerImage"), properties);
  return {
    ...readContainerOptions(pick(properties, CONTAINER_NAMES), image),
    type: "container",
    image,
    keepsEntryPoint: true,
    isDetached: !flagOf(properties, "wait", true),
  };
}

/** As for a task with the Docker runner, whose properties are here those of the task. */
function check(task: JsonObject, places: ScriptPlaces | undefined): TaskProblem[] {
  const type = `io.kestra.plugin.${TASK_RUNNERS.container.type}`;
  const runner = { ...pick(task, CONTAINER_NAMES), type };
  const image = ownProperty(task, "containerImage");
  const problems = checkPlace(
    { taskRunner: runner, ...image === undefined ? {} : { containerImage: image } },
    places,
    "",
  );
  const isDetached = String(ownProperty(task, "wait") ?? true) === "false";
  const message = "may not be false for flows of this server; leave it out, or start the server with " +
    "--container-allow manage";
  return [
    ...problems.filter(({ severity }) => severity === "error").map((problem) => ({
      ...problem,
      path: problem.path[0] === "taskRunner" ? problem.path.slice(1) : problem.path,
    })),
    ...isDetached && places && !places.containers.allows("manage")
      ? [{ path: ["wait"], message, severity: "error" } as const]
      : [],
  ];
}
