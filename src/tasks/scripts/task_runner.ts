/** Task runners: where the commands of a script task run, by its `taskRunner`, its `runner` and the policy of the server. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { dynamicChoice, dynamicText } from "../../model/flows/schema.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import type { ImagePull, ProcessPlace, ProcessPolicy } from "../../model/ports/processes.ts";
import { textOf } from "../property_values.ts";

const PULLS: ReadonlyMap<string, ImagePull> = new Map([
  ["ALWAYS", "always"],
  ["IF_NOT_PRESENT", "missing"],
  ["NEVER", "never"],
]);

/** Task runners by process place. */
export const TASK_RUNNERS: Readonly<Record<"process" | "docker", TypeDeclaration>> = Object.freeze({
  process: {
    type: "core.runner.Process",
    aliases: ["core.models.tasks.runners.types.ProcessTaskRunner"],
    description: "Runs the commands of a script task as processes on the machine of the server.",
    properties: {},
  },
  docker: {
    type: "scripts.runner.docker.Docker",
    aliases: ["scripts.runner.docker.DockerTaskRunner", "core.runner.Docker"],
    description: "Runs the commands of a script task in a container; requires the `docker` command. " +
      "The image is the `containerImage` of the task.",
    properties: {
      pullPolicy: dynamicChoice([...PULLS.keys()], "ALWAYS", "When the image is pulled."),
      user: dynamicText("User within the container."),
    },
  },
});

/** The place; by default that of the server. @throws Error unknown task runner */
export function scriptPlace(
  properties: JsonObject,
  { mode }: ProcessPolicy,
  defaultImage: string,
): ProcessPlace {
  const runner = memberMap(properties, "taskRunner");
  const docker = memberMap(properties, "docker");
  const kind = runnerKind(textOf(runner, "type"), textOf(properties, "runner"));
  if (kind === "process" || kind === undefined && mode !== "docker") return { type: "process" };
  const pull = textOf(runner, "pullPolicy") ?? textOf(docker, "pullPolicy");
  return {
    type: "docker",
    image: textOf(properties, "containerImage") ?? textOf(runner, "image") ?? textOf(docker, "image") ??
      defaultImage,
    pull: pull === undefined ? undefined : PULLS.get(pull.toUpperCase()),
    user: textOf(runner, "user") ?? textOf(docker, "user"),
  };
}

function runnerKind(type: string | undefined, old: string | undefined): ProcessPlace["type"] | undefined {
  if (type === undefined) return old === undefined ? undefined : old === "DOCKER" ? "docker" : "process";
  const name = canonicalType(type);
  for (const kind of ["process", "docker"] as const) {
    const runner = TASK_RUNNERS[kind];
    if (runner.type === name || runner.aliases.includes(name)) return kind;
  }
  throw new Error(
    `Cannot run commands with task runner "${type}": this server has "io.kestra.plugin.${TASK_RUNNERS.process.type}" and "io.kestra.plugin.${TASK_RUNNERS.docker.type}"`,
  );
}

function memberMap(properties: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = ownProperty(properties, name);
  return isJsonObject(value) ? value : {};
}
