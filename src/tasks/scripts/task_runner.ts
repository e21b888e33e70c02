/** Where the commands of a script task run: what the task says, and what the server can do. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { type ContainerPlace, neededPermissions } from "../../model/ports/containers.ts";
import type { ProcessPlace, ScriptPlaces } from "../../model/ports/processes.ts";
import { isImageReference } from "../../model/tasks/image_reference.ts";
import type { TaskProblem, TaskRunnerType } from "../../model/tasks/task_catalog.ts";
import { textOf } from "../property_values.ts";
import {
  CONTAINER_SCHEMAS,
  inspectContainerOptions,
  PROPERTY_OF_PERMISSION,
  readContainerOptions,
} from "./container_options.ts";

type PlaceKind = ProcessPlace["type"];

/** Task runners by the place that they choose. */
export const TASK_RUNNERS: Readonly<Record<PlaceKind, TaskRunnerType>> = Object.freeze({
  process: {
    form: "runner",
    type: "core.runner.Process",
    aliases: ["core.models.tasks.runners.types.ProcessTaskRunner"],
    description: "Runs the commands of a script task as processes on the machine of the server.",
    properties: {},
  },
  container: {
    form: "runner",
    type: "scripts.runner.docker.Docker",
    aliases: ["scripts.runner.docker.DockerTaskRunner", "core.runner.Docker"],
    description: "Runs the commands of a script task in a container of Docker, Podman or nerdctl. " +
      "The image is the `containerImage` of the task.",
    properties: CONTAINER_SCHEMAS,
  },
});

/** What a task says about its place. */
interface WantedPlace {
  /** Absent: it names no runner. */
  readonly kind?: PlaceKind;
  /** Absent: it names none. */
  readonly image?: string;
  /** Path of what names the image, or else the runner. */
  readonly path: readonly string[];
  /** Members of the runner. */
  readonly runner: JsonObject;
  /** Path of {@link runner}. */
  readonly runnerPath: readonly string[];
}

/** Where a script runs. */
export interface ScriptPlace {
  readonly place: ProcessPlace;
  /** Why the image that the task names is not used; absent: it is, or the task names none. */
  readonly unusedImage?: UnusedImage;
}

/** An image that a task names in vain. */
export interface UnusedImage {
  readonly image: string;
  readonly reason: string;
  /** The task chooses that itself, by naming the Process runner. */
  readonly isChosen: boolean;
}

const WAY = "install Docker or Podman on the machine of the server";

/** The place by the task and the server. @throws Error an unknown task runner, or an invalid property of it */
export async function scriptPlace(
  properties: JsonObject,
  { policy, containers }: ScriptPlaces,
  defaultImage: string,
): Promise<ScriptPlace> {
  const { kind, image = defaultImage, image: named, runner } = wantedPlace(properties);
  const process = (reason: string, isChosen = false): ScriptPlace => ({
    place: { type: "process" },
    unusedImage: { image, reason, isChosen },
  });
  if (kind === "process") {
    return named === undefined
      ? { place: { type: "process" } }
      : process("the task names the Process runner", true);
  }
  if (policy.mode !== "container" && kind === undefined && named === undefined) {
    return { place: { type: "process" } };
  }
  const place: ContainerPlace = { ...readContainerOptions(runner, image), type: "container", image };
  if (policy.mode !== "process") return { place };
  if (policy.containerRefusal !== undefined) {
    return kind === "container" ? { place } : process(policy.containerRefusal);
  }
  const state = await containers.find();
  return "runtime" in state ? { place } : process(missingRuntime(state.problem));
}

/** What is wrong with the place of a task as it is written, and what will differ when it runs. */
export function checkPlace(
  task: JsonObject,
  places: ScriptPlaces | undefined,
  defaultImage: string,
): TaskProblem[] {
  const { kind, image, path, runner, runnerPath } = wantedPlace(task);
  const refused = (at: readonly string[], message: string): TaskProblem => ({
    path: at,
    message,
    severity: "error",
  });
  const { options, mistakes } = inspectContainerOptions(runner, image ?? defaultImage, isStatic);
  const problems = mistakes.map(({ name, message }) => refused([...runnerPath, name], message));
  if (image !== undefined && isStatic(image) && !isImageReference(image)) {
    const message = `"${image.slice(0, 100)}" is not an image reference such as "python:3.13-slim"`;
    problems.push(refused(path, message));
  }
  if (!places || kind === "process") return problems;
  for (const permission of neededPermissions(options)) {
    if (places.containers.allows(permission)) continue;
    const message = "is not allowed to flows of this server; leave it out, or start the server with " +
      `--container-allow ${permission}`;
    problems.push(refused([...runnerPath, PROPERTY_OF_PERMISSION[permission]], message));
  }
  const reason = kind === undefined && image === undefined ? undefined : unusedReason(kind, places);
  if (reason !== undefined) {
    const message = `image ${image ?? defaultImage} is not used: ${reason}; the commands run as processes`;
    problems.push({ path, message, severity: "warning" });
  }
  return problems;
}

/** Why a task that wants a container will run as a process, as far as it is known. */
function unusedReason(kind: PlaceKind | undefined, { policy, containers }: ScriptPlaces): string | undefined {
  if (policy.mode !== "process") return undefined;
  if (policy.containerRefusal !== undefined) return kind === undefined ? policy.containerRefusal : undefined;
  const { known } = containers;
  return known && "problem" in known ? missingRuntime(known.problem) : undefined;
}

function missingRuntime(problem: string): string {
  return `no container runtime works on this machine (${problem}); ${WAY}`;
}

/** An older `runner` chooses the place, too; an older `docker` holds options and the image. */
function wantedPlace(properties: JsonObject): WantedPlace {
  const runner = memberMap(properties, "taskRunner");
  const olderName = properties.docker === undefined ? "dockerOptions" : "docker";
  const older = memberMap(properties, olderName);
  const kind = runnerKind(textOf(runner, "type"), textOf(properties, "runner"));
  const hasRunner = Object.keys(runner).length > 0;
  const images = [
    { image: textOf(properties, "containerImage"), path: ["containerImage"] },
    { image: textOf(runner, "image"), path: ["taskRunner", "image"] },
    { image: textOf(older, "image"), path: [olderName, "image"] },
  ];
  return {
    kind,
    ...images.find(({ image = "" }) => image !== "") ?? { path: [hasRunner ? "taskRunner" : "runner"] },
    runner: hasRunner ? runner : older,
    runnerPath: [hasRunner ? "taskRunner" : olderName],
  };
}

function runnerKind(type: string | undefined, older: string | undefined): PlaceKind | undefined {
  if (type === undefined) {
    return older === undefined ? undefined : older === "DOCKER" ? "container" : "process";
  }
  const name = canonicalType(type);
  for (const kind of ["process", "container"] as const) {
    const runner = TASK_RUNNERS[kind];
    if (runner.type === name || runner.aliases.includes(name)) return kind;
  }
  throw new Error(
    `Cannot run commands with task runner "${type}": this server has "io.kestra.plugin.${TASK_RUNNERS.process.type}" and "io.kestra.plugin.${TASK_RUNNERS.container.type}"`,
  );
}

function memberMap(properties: JsonObject, name: string): JsonObject {
  const value: JsonValue | undefined = ownProperty(properties, name);
  return isJsonObject(value) ? value : {};
}

/** False for a value with expressions, which is known only when the task runs. */
function isStatic(value: JsonValue): boolean {
  if (typeof value === "string") return !/\{\{|\{%/.test(value);
  if (Array.isArray(value)) return value.every(isStatic);
  return !isJsonObject(value) || Object.values(value).every(isStatic);
}
