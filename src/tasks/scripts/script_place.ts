/** Where the commands of a task run, by its `taskRunner`, `runner` and what the server lets it. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { ProcessPlace, ProcessPolicy } from "../../model/ports/processes.ts";
import { textOf } from "../property_values.ts";
import { processRunner } from "../runner/process.ts";
import { dockerRunner } from "../runner/docker.ts";

const PULLS: ReadonlyMap<string, string> = new Map([
  ["ALWAYS", "always"],
  ["IF_NOT_PRESENT", "missing"],
  ["NEVER", "never"],
]);

/** The place. A task that names none gets what the server has. @throws Error for a runner that there is not */
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
  for (const [kind, runner] of [["process", processRunner], ["docker", dockerRunner]] as const) {
    if (runner.type === name || runner.aliases.includes(name)) return kind;
  }
  throw new Error(
    `Cannot run commands with task runner "${type}": this server has "io.kestra.plugin.${processRunner.type}" and "io.kestra.plugin.${dockerRunner.type}"`,
  );
}

function memberMap(properties: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = ownProperty(properties, name);
  return isJsonObject(value) ? value : {};
}
