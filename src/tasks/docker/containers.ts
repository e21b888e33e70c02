/** Containers of the machine: `docker.cli.Stop`, `Rm` and `Prune`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import type { RunnableTaskType } from "../../model/tasks/task_catalog.ts";
import { textList } from "../file_properties.ts";
import { choiceOf, flagOf, requiredTextOf, textOf } from "../property_values.ts";
import { listOf } from "../scripts/script_commands.ts";
import { callRuntime, checkedContainer, checkedImage, checkManage, CONNECTION } from "./runtime_call.ts";

const COMMON = {
  form: "runnable",
  pure: false,
  runsOnWorkers: true,
  outputs: {},
  check: checkManage,
} as const;

const PRUNE_TYPES = ["IMAGES", "CONTAINERS", "NETWORKS", "VOLUMES", "BUILD"] as const;
/** Words of the runtime. */
const PRUNED: Readonly<Record<typeof PRUNE_TYPES[number], readonly string[]>> = {
  IMAGES: ["image"],
  CONTAINERS: ["container"],
  NETWORKS: ["network"],
  VOLUMES: ["volume"],
  BUILD: ["builder"],
};

/** Removes the container, too. */
export const dockerStopTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.Stop",
  aliases: ["docker.Stop"],
  title: "Stop a container",
  description: "Stops a container and removes it. May need --container-allow manage.",
  properties: {
    containerId: dynamicText("Id or name of the container.", { required: true }),
    kill: dynamicFlag(false, "Whether it is killed at once."),
    delete: dynamicFlag(true, "Whether it is removed."),
    ...CONNECTION,
  },
  examples: [{
    title: "Stop a container that another task has started",
    yaml: `id: stop
type: io.kestra.plugin.docker.cli.Stop
containerId: "{{ outputs.database.taskRunner.containerId }}"`,
  }],
  async run(properties, context) {
    const id = checkedContainer(requiredTextOf(properties, "containerId"));
    const verb = flagOf(properties, "kill", false) ? "kill" : "stop";
    await callRuntime(context, properties, {
      args: [verb, "--", id],
      operation: `${verb} the container "${id}"`,
    });
    if (flagOf(properties, "delete", true)) {
      await removeContainers(context, properties, ["--volumes", "--", id]);
    }
    context.log("INFO", `Stopped the container "${id}"`);
    return { state: "SUCCESS", outputs: {} };
  },
};

/** Containers first: an image of a container cannot be removed. */
export const dockerRmTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.Rm",
  aliases: ["docker.Rm"],
  title: "Remove containers and images",
  description: "Removes containers, and images. May need --container-allow manage.",
  properties: {
    containerIds: textList("Ids or names of the containers.", { orText: true }),
    imageIds: textList("Ids or names of the images.", { orText: true }),
    removeVolumes: dynamicFlag(false, "Whether volumes of the containers that have no name are removed."),
    force: dynamicFlag(false, "Whether running containers and used images are removed, too."),
    ...CONNECTION,
  },
  examples: [{
    title: "Remove an image",
    yaml: `id: remove
type: io.kestra.plugin.docker.cli.Rm
imageIds: [registry.example.com/acme/job:old]`,
  }],
  async run(properties, context) {
    const containers = listOf(properties, "containerIds").map(checkedContainer);
    const images = listOf(properties, "imageIds").map(checkedImage);
    const force = flagOf(properties, "force", false) ? ["--force"] : [];
    const volumes = flagOf(properties, "removeVolumes", false) ? ["--volumes"] : [];
    if (containers.length > 0) {
      await removeContainers(context, properties, [...force, ...volumes, "--", ...containers]);
    }
    if (images.length > 0) {
      const args = ["rmi", ...force, "--", ...images];
      await callRuntime(context, properties, { args, operation: `remove the images ${images.join(", ")}` });
    }
    context.log("INFO", `Removed ${containers.length} containers and ${images.length} images`);
    return { state: "SUCCESS", outputs: {} };
  },
};

/** Removes what nothing uses. */
export const dockerPruneTask: RunnableTaskType = {
  ...COMMON,
  type: "docker.cli.Prune",
  aliases: ["docker.Prune"],
  title: "Remove what is not used",
  description:
    "Removes images, containers, networks, volumes or the build cache that nothing uses. May need --container-allow manage.",
  properties: {
    pruneType: dynamicText("What is removed.", { required: true, values: [...PRUNE_TYPES] }),
    dangling: dynamicFlag(false, "Whether of the images only those without a name are removed."),
    until: dynamicText("Only what was made before that date, or longer ago than that time, such as 24h."),
    labelFilters: textList("Only what has these labels, `name` or `name=value` each.", { orText: true }),
    ...CONNECTION,
  },
  examples: [{
    title: "Remove images of more than a week ago",
    yaml: `id: prune
type: io.kestra.plugin.docker.cli.Prune
pruneType: IMAGES
until: 168h`,
  }],
  async run(properties, context) {
    const kind = choiceOf(properties, "pruneType", PRUNE_TYPES);
    const until = textOf(properties, "until");
    const lines = await callRuntime(context, properties, {
      args: [
        ...[...PRUNED[kind], "prune", "--force"],
        ...kind === "IMAGES" && !flagOf(properties, "dangling", false) ? ["--all"] : [],
        ...until ? [`--filter=until=${until}`] : [],
        ...listOf(properties, "labelFilters").map((label) => `--filter=label=${label}`),
      ],
      operation: `remove unused ${kind.toLowerCase()}`,
    });
    for (const line of lines) if (line.trim() !== "") context.log("INFO", line);
    return { state: "SUCCESS", outputs: {} };
  },
};

async function removeContainers(
  context: RunContext,
  properties: JsonObject,
  args: readonly string[],
): Promise<void> {
  await callRuntime(context, properties, {
    args: ["rm", ...args],
    operation: `remove containers: ${args.at(-1)}`,
  });
}
