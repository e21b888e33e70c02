/** `git.SyncNamespaceFiles`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import { FLOWS_FOLDER } from "../../model/namespaces/file_path.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { storeDifferences } from "./differences.ts";
import { folderOf } from "./places.ts";
import { BRANCH_PROPERTY, DRY_RUN_PROPERTY, REPOSITORY_PROPERTIES } from "./properties.ts";
import type { Repository } from "./repository.ts";

/** Links and submodules of the repository are skipped. */
export const syncNamespaceFiles = defineServerTask({
  type: "git.SyncNamespaceFiles",
  title: "Save files of a git repository as namespace files",
  description: "Saves the files of a folder of a git repository as files of a namespace.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...DRY_RUN_PROPERTY,
    gitDirectory: dynamicText("Folder of the files; `.` is the root.", { default: "_files" }),
    namespace: dynamicText("Namespace of the files.", { default: "{{ flow.namespace }}" }),
    delete: dynamicFlag(false, "Deletes files of the namespace that the repository does not have."),
  },
  outputs: {
    files: { type: "string", description: "Storage URI of the differences, one JSON object a line." },
  },
  examples: [{
    title: "Save the scripts of a repository as namespace files",
    yaml: `id: sync
type: io.svc.plugin.git.SyncNamespaceFiles
url: https://github.com/acme/scripts
branch: main
username: git
password: "{{ secret('GITHUB_TOKEN') }}"
namespace: company.team
gitDirectory: scripts`,
  }],
  async run(context) {
    const { branch, gitDirectory, namespace, delete: isDeleting } = context.properties;
    const { Repository } = await import("./repository.ts");
    const repository = await Repository.fetch(context, await context.directory(), {
      branch: String(branch),
      depth: 1,
    });
    const folder = folderOf(gitDirectory);
    const differences = await applyFiles(context, repository, {
      namespace: String(namespace),
      folder,
      files: await repository.files(folder),
      target: "",
      isDeleting: isDeleting === true,
      isDryRun: context.properties.dryRun === true,
    });
    return { files: await storeDifferences(context, differences) };
  },
});

interface FileScope {
  readonly namespace: string;
  /** Folder of the repository. */
  readonly folder: string;
  /** Object ids by path below it. */
  readonly files: ReadonlyMap<string, string>;
  /** Folder of the namespace. */
  readonly target: string;
  readonly isDeleting: boolean;
  readonly isDryRun: boolean;
}

/** Saves the files that differ; returns the differences. */
export async function applyFiles(
  context: ServerTaskContext,
  repository: Repository,
  { namespace, folder, files, target, isDeleting, isDryRun }: FileScope,
): Promise<JsonObject[]> {
  const prefix = target === "" ? "" : `${target}/`;
  const existing = new Set(
    (await context.namespaceFiles.list(namespace)).filter((path) => path.startsWith(prefix)),
  );
  const differences: JsonObject[] = [];
  const report = (gitPath: string | null, path: string, syncState: string) =>
    differences.push({ gitPath, kestraPath: `/${path}`, syncState });
  for (const [name, oid] of files) {
    const path = prefix + name;
    // The folder of flows holds no files, and a write to it would save flows.
    if (path.startsWith(`${FLOWS_FOLDER}/`)) continue;
    const before = existing.delete(path) ? await context.namespaceFiles.read(namespace, path) : undefined;
    const isSame = before !== undefined && await repository.idOf(before) === oid;
    if (!isSame && !isDryRun) {
      await context.namespaceFiles.write(namespace, path, await repository.read(oid));
    }
    const gitPath = folder === "" ? name : `${folder}/${name}`;
    report(gitPath, path, !before ? "ADDED" : isSame ? "UNCHANGED" : "OVERWRITTEN");
  }
  if (!isDeleting) return differences;
  for (const path of existing) {
    if (!isDryRun) await context.namespaceFiles.delete(namespace, path);
    report(null, path, "DELETED");
  }
  return differences;
}
