/** `git.Sync`, the older form of `git.SyncFlows` and `git.SyncNamespaceFiles`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { FLOWS_FOLDER } from "../../model/namespaces/file_path.ts";
import { defineServerTask } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { folderOf, isYamlPath } from "./places.ts";
import { DRY_RUN_PROPERTY, REPOSITORY_PROPERTIES } from "./properties.ts";
import { applyFlows, type GitFlow } from "./sync_flows.ts";
import { applyFiles } from "./sync_namespace_files.ts";

/** Each difference is a line of the log, as there is no output. */
export const sync = defineServerTask({
  type: "git.Sync",
  title: "Make flows and files of a namespace those of a git repository",
  description:
    "Saves the flows of the folder `_flows` of a git repository, and its other files as namespace files, into the " +
    "namespace of the flow. Flows and files that the repository does not have are deleted.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...DRY_RUN_PROPERTY,
    branch: dynamicText("Branch; default is that of the server."),
    gitDirectory: dynamicText("Folder of the repository; default is its root."),
    namespaceFilesDirectory: dynamicText("Folder of the namespace files; default is their root."),
  },
  async run(context) {
    const { branch, gitDirectory, namespaceFilesDirectory } = context.properties;
    const { namespace } = context.attempt;
    const { Repository } = await import("./repository.ts");
    const repository = await Repository.fetch(context, await context.directory(), {
      branch: optionalText(branch),
      depth: 1,
    });
    const folder = folderOf(gitDirectory);
    const files = await repository.files(folder);
    const flows: GitFlow[] = [];
    for (const [path, oid] of files) {
      if (!path.startsWith(`${FLOWS_FOLDER}/`)) continue;
      files.delete(path);
      const source = () => repository.read(oid).then((bytes) => new TextDecoder().decode(bytes));
      if (isYamlPath(path)) flows.push({ path, namespace, source: await source() });
    }
    const isDryRun = context.properties.dryRun === true;
    const scope = { namespace, withChildren: false, isDeleting: flows.length > 0, isDryRun };
    const target = folderOf(namespaceFilesDirectory);
    const differences = [
      ...await applyFlows(context, flows, scope),
      ...await applyFiles(context, repository, {
        namespace,
        folder,
        files,
        target,
        isDeleting: true,
        isDryRun,
      }),
    ];
    for (const { gitPath, flowId, kestraPath, syncState } of differences) {
      context.log("INFO", `${syncState}: ${gitPath ?? flowId ?? kestraPath}`);
    }
  },
});
