/** `docker.cli.Build`. https://docs.docker.com/reference/cli/docker/buildx/build/ */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { inDirectory } from "../attempt_directory.ts";
import { FILE_PROPERTIES, textList } from "../file_properties.ts";
import {
  copyNamespaceFiles,
  createFiles,
  hasFile,
  isFileAddress,
  openAny,
  readMap,
  writeLocalFile,
} from "../local_files.ts";
import { flagOf, requiredTextOf, textOf } from "../property_values.ts";
import { listOf } from "../scripts/script_commands.ts";
import { callRuntime, checkedImage, checkManage, CONNECTION, pick } from "./runtime_call.ts";

const DOCKERFILE = "Dockerfile";
const ID_FILE = "image-id";

const TEXTS = { items: { type: "string", description: "A text." }, orText: true } as const;

const PROPERTIES: PropertySchemas = Object.freeze({
  dockerfile: dynamicText(
    "Path of the Dockerfile in the working directory, its storage URI, or its content.",
    {
      default: DOCKERFILE,
    },
  ),
  tags: textList("Names of the image, with their tags.", { required: true, orText: true }),
  push: dynamicFlag(false, "Whether the image is pushed to the registries of its names."),
  pull: dynamicFlag(true, "Whether newer base images are pulled."),
  platforms: textList("Platforms, such as linux/arm64; by default that of the machine.", { orText: true }),
  buildArgs: dynamicProperty(
    "map",
    "Values of `ARG`, by name; the image shows them, so they are no place for secrets.",
    TEXTS,
  ),
  labels: dynamicProperty("map", "Labels of the image.", TEXTS),
  target: dynamicText("Stage at which the build ends."),
  ...pick(FILE_PROPERTIES, ["inputFiles", "namespaceFiles"]),
  ...CONNECTION,
});

/** Outputs: `imageId`. The files of the working directory are the context of the build. */
export const dockerBuildTask: RunnableTaskType = {
  form: "runnable",
  type: "docker.cli.Build",
  aliases: ["docker.Build"],
  title: "Build an image",
  description:
    "Builds an image from a Dockerfile with the files of the working directory, and can push it. May need --container-allow manage.",
  pure: false,
  runsOnWorkers: true,
  properties: PROPERTIES,
  outputs: { imageId: { type: "string", description: "Id of the image." } },
  examples: [{
    title: "Build and push an image",
    yaml: `id: build
type: io.kestra.plugin.docker.cli.Build
dockerfile: |
  FROM python:3.13-slim
  RUN pip install --no-cache-dir polars
  COPY main.py /app/
inputFiles:
  main.py: print("hello")
tags: [ghcr.io/acme/job:latest]
push: true
credentials:
  username: acme
  password: "{{ secret('GITHUB_TOKEN') }}"`,
  }],
  check: checkManage,
  run: async (properties, context) =>
    await inDirectory(context, async (directory) => {
      await copyNamespaceFiles({ context, directory }, properties.namespaceFiles);
      await createFiles({ context, directory }, properties.inputFiles);
      const tags = listOf(properties, "tags").map(checkedImage);
      const imageId = await build(context, { properties, directory, tags });
      if (flagOf(properties, "push", false)) await pushImages(context, properties, tags);
      return { state: "SUCCESS", outputs: { imageId } };
    }),
};

interface BuildRequest {
  readonly properties: JsonObject;
  /** The context. */
  readonly directory: string;
  readonly tags: readonly string[];
}

async function build(context: RunContext, request: BuildRequest): Promise<string> {
  const { properties, directory, tags: [image = ""] } = request;
  const { workingDirectories } = context.ports;
  // What is not part of the context.
  const name = `${context.taskRunId}-${context.attemptNumber}-build`;
  const folder = await workingDirectories.make(name);
  try {
    const file = await dockerfileOf(context, properties, { directory, folder });
    const args = [
      "build",
      `--file=${file}`,
      `--iidfile=${folder}/${ID_FILE}`,
      ...optionsOf(request),
      "--",
      directory,
    ];
    await callRuntime(context, properties, {
      args,
      image,
      operation: `build the image "${image}"`,
      isLogged: true,
    });
    return (await Deno.readTextFile(`${folder}/${ID_FILE}`)).trim();
  } finally {
    workingDirectories.discard(name);
  }
}

/** The path of the Dockerfile. @throws Error a stored file is missing */
async function dockerfileOf(
  context: RunContext,
  properties: JsonObject,
  { directory, folder }: { readonly directory: string; readonly folder: string },
): Promise<string> {
  const given = requiredTextOf({ dockerfile: DOCKERFILE, ...properties }, "dockerfile");
  if (!/[\n\r]/.test(given) && await isPathWithin(directory, given)) return `${directory}/${given}`;
  const content = isFileAddress(given) ? (await openAny(context, given)).content : `${given}\n`;
  return `${folder}/${await writeLocalFile(folder, DOCKERFILE, content)}`;
}

async function isPathWithin(directory: string, path: string): Promise<boolean> {
  return !/(?:^|\/)\.\.?(?:\/|$)|^\//.test(path) && await hasFile(directory, path);
}

function optionsOf({ properties, tags }: BuildRequest): string[] {
  const platforms = listOf(properties, "platforms");
  const target = textOf(properties, "target");
  return [
    ...tags.map((tag) => `--tag=${tag}`),
    ...flagOf(properties, "pull", true) ? ["--pull"] : [],
    ...platforms.length > 0 ? [`--platform=${platforms.join(",")}`] : [],
    ...pairsOf(properties, "buildArgs").map((pair) => `--build-arg=${pair}`),
    ...pairsOf(properties, "labels").map((pair) => `--label=${pair}`),
    ...target ? [`--target=${target}`] : [],
  ];
}

/** `name=value` each. A name alone would be that of a variable of the server. */
function pairsOf(properties: JsonObject, name: string): string[] {
  const map = readMap(ownProperty(properties, name), `Property "${name}"`);
  return Object.entries(map).map(([key, value]) => `${key}=${value === null ? "" : printValue(value)}`);
}

/** Pushes images by name, one after the other. @throws Error the registry refuses one */
export async function pushImages(
  context: RunContext,
  properties: JsonObject,
  images: readonly string[],
): Promise<void> {
  for (const image of images) {
    const operation = `push the image "${image}"`;
    await callRuntime(context, properties, { args: ["push", "--", image], image, operation, isLogged: true });
    context.log("INFO", `Pushed the image "${image}"`);
  }
}
