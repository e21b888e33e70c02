/** Images of the machine: `docker.cli.Pull`, `Push`, `Tag` and `ImageLs`. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  tryParseJson,
} from "../../base/json.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { printValue } from "../../expr/mod.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textList } from "../file_properties.ts";
import { readMap } from "../local_files.ts";
import { flagOf, requiredTextOf, textOf } from "../property_values.ts";
import { listOf } from "../scripts/script_commands.ts";
import { pushImages } from "./build.ts";
import { callRuntime, checkedImage, checkManage, CONNECTION, imageInRegistry } from "./runtime_call.ts";

const COMMON = { form: "runnable", pure: false, runsOnWorkers: true } as const;

/** Needs no permission: a task that runs in a container pulls its image, too. */
export const dockerPullTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.Pull",
  aliases: ["docker.Pull"],
  title: "Pull an image",
  description: "Pulls an image from its registry.",
  properties: { image: dynamicText("Name of the image, with its tag.", { required: true }), ...CONNECTION },
  outputs: {},
  examples: [{
    title: "Pull an image",
    yaml: `id: pull
type: io.kestra.plugin.docker.cli.Pull
image: ghcr.io/acme/job:latest
credentials:
  username: acme
  password: "{{ secret('GITHUB_TOKEN') }}"`,
  }],
  async run(properties, context) {
    const image = imageInRegistry(requiredTextOf(properties, "image"), properties);
    const args = ["pull", "--quiet", "--", image];
    await callRuntime(context, properties, {
      args,
      image,
      operation: `pull the image "${image}"`,
      permissions: [],
    });
    context.log("INFO", `Pulled the image "${image}"`);
    return { state: "SUCCESS", outputs: {} };
  },
};

/** Pushes by name. */
export const dockerPushTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.Push",
  aliases: ["docker.Push"],
  title: "Push images",
  description: "Pushes images of the machine to their registries. May need --container-allow manage.",
  properties: {
    tags: textList("Names of the images, with their tags.", { required: true, orText: true }),
    ...CONNECTION,
  },
  outputs: {},
  examples: [{
    title: "Push an image",
    yaml: `id: push
type: io.kestra.plugin.docker.cli.Push
tags: [registry.example.com/acme/job:latest]
credentials:
  registry: registry.example.com
  username: acme
  password: "{{ secret('REGISTRY_PASSWORD') }}"`,
  }],
  check: checkManage,
  async run(properties, context) {
    await pushImages(context, properties, listOf(properties, "tags").map(checkedImage));
    return { state: "SUCCESS", outputs: {} };
  },
};

/** Gives an image another name. */
export const dockerTagTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.Tag",
  aliases: ["docker.Tag"],
  title: "Tag an image",
  description: "Gives an image of the machine a further name. May need --container-allow manage.",
  properties: {
    sourceImage: dynamicText("Name or id of the image.", { required: true }),
    targetImage: dynamicText("Further name; without a tag it gets `latest`.", { required: true }),
    ...CONNECTION,
  },
  outputs: {},
  examples: [{
    title: "Name an image for a registry",
    yaml: `id: tag
type: io.kestra.plugin.docker.cli.Tag
sourceImage: "{{ outputs.build.imageId }}"
targetImage: registry.example.com/acme/job:1.0`,
  }],
  check: checkManage,
  async run(properties, context) {
    const source = checkedImage(requiredTextOf(properties, "sourceImage"));
    const target = checkedImage(requiredTextOf(properties, "targetImage"));
    const args = ["tag", "--", source, target];
    await callRuntime(context, properties, { args, operation: `tag the image "${source}" as "${target}"` });
    context.log("INFO", `Tagged the image "${source}" as "${target}"`);
    return { state: "SUCCESS", outputs: {} };
  },
};

/** Outputs: `images` and `count`. */
export const dockerImageLsTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.ImageLs",
  aliases: ["docker.ImageLs"],
  title: "List images",
  description: "Lists the images of the machine. May need --container-allow manage.",
  properties: {
    showAll: dynamicFlag(false, "Whether images of build steps are listed, too."),
    imageNameFilter: dynamicText("Name of the images, or a pattern with `*`."),
    labelFilter: dynamicProperty("map", "Labels of the images, with their values."),
    ...CONNECTION,
  },
  outputs: {
    images: {
      type: "list",
      items: { type: "map", description: "An image." },
      description:
        "`id`, `repoTags`, `repoDigests`, `size` in bytes, `created` in seconds since 1970, and `labels` of each.",
    },
    count: { type: "integer", description: "Number of images." },
  },
  examples: [{
    title: "List the images of a repository",
    yaml: `id: list
type: io.kestra.plugin.docker.cli.ImageLs
imageNameFilter: acme/job`,
  }],
  check: checkManage,
  async run(properties, context) {
    const images = await listImages(properties, context);
    context.log("INFO", `Found ${images.length} images`);
    return { state: "SUCCESS", outputs: { images, count: images.length } };
  },
};

/** The lists of runtimes differ in their formats; what `inspect` prints does not. */
async function listImages(properties: JsonObject, context: RunContext): Promise<JsonObject[]> {
  const name = textOf(properties, "imageNameFilter");
  const labels = Object.entries(readMap(ownProperty(properties, "labelFilter"), 'Property "labelFilter"'));
  const listed = await callRuntime(context, properties, {
    args: [
      ...["images", "--quiet", "--no-trunc"],
      ...flagOf(properties, "showAll", false) ? ["--all"] : [],
      ...name ? [`--filter=reference=${name}`] : [],
      ...labels.map(([key, value]) => `--filter=label=${key}=${value === null ? "" : printValue(value)}`),
    ],
    operation: "list the images",
  });
  const ids = [...new Set(listed.map((line) => line.trim()).filter(Boolean))];
  if (ids.length === 0) return [];
  const text = await callRuntime(context, properties, {
    args: ["image", "inspect", "--", ...ids],
    operation: "read the images",
  });
  const images = tryParseJson(text.join("\n"));
  return Array.isArray(images) ? objectsOf(images).map(imageOf) : [];
}

function imageOf(image: JsonObject): JsonObject {
  const config = isJsonObject(image.Config) ? image.Config : {};
  const created = parseInstant(String(image.Created ?? ""));
  const id = String(image.Id ?? "");
  return {
    id: id.includes(":") ? id : `sha256:${id}`,
    repoTags: listIn(image.RepoTags),
    repoDigests: listIn(image.RepoDigests),
    size: image.Size ?? null,
    created: created === undefined ? null : Math.floor(created / 1000),
    labels: image.Labels ?? config.Labels ?? {},
  };
}

function listIn(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
