/** `git.SyncDashboards` and `git.PushDashboards`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { commitFiles } from "./commit_files.ts";
import { storeDifferences } from "./differences.ts";
import { folderOf, idOfPath, isYamlPath } from "./places.ts";
import {
  BRANCH_PROPERTY,
  COMMIT_PROPERTIES,
  commitOutputs,
  DRY_RUN_PROPERTY,
  REPOSITORY_PROPERTIES,
} from "./properties.ts";
import { globsOf } from "./push_flows.ts";
import type { Repository } from "./repository.ts";

const FOLDER = dynamicText("Folder of the dashboards.", { default: "_dashboards" });

/** A dashboard whose source names no id gets that of its file. */
export const syncDashboards = defineServerTask({
  type: "git.SyncDashboards",
  title: "Save the dashboards of a git repository",
  description: "Saves the dashboards of a folder of a git repository.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...DRY_RUN_PROPERTY,
    gitDirectory: FOLDER,
    delete: dynamicFlag(false, "Deletes dashboards that the repository does not have."),
  },
  outputs: {
    dashboards: { type: "string", description: "Storage URI of the differences, one JSON object a line." },
  },
  async run(context) {
    const { branch, gitDirectory, delete: isDeleting, dryRun } = context.properties;
    const { Repository } = await import("./repository.ts");
    const repository = await Repository.fetch(context, await context.directory(), {
      branch: String(branch),
      depth: 1,
    });
    const differences = await applyDashboards(context, repository, {
      folder: folderOf(gitDirectory),
      isDeleting: isDeleting === true,
      isDryRun: dryRun === true,
    });
    return { dashboards: await storeDifferences(context, differences) };
  },
});

interface DashboardScope {
  /** Folder of the repository. */
  readonly folder: string;
  readonly isDeleting: boolean;
  readonly isDryRun: boolean;
  /** Why a dashboard that is invalid is not saved; default ends the task. @throws Error it may not be left out */
  readonly onInvalid?: (reason: Error) => void;
}

/** Saves the dashboards that differ; returns the differences. @throws Error one is invalid: nothing is saved */
export async function applyDashboards(
  context: ServerTaskContext,
  repository: Repository,
  { folder, isDeleting, isDryRun, onInvalid }: DashboardScope,
): Promise<JsonObject[]> {
  const sources: { readonly gitPath: string; readonly id: string; readonly source: string }[] = [];
  let isComplete = true;
  for (const [path, oid] of await repository.files(folder)) {
    if (!isYamlPath(path)) continue;
    const gitPath = folder === "" ? path : `${folder}/${path}`;
    const source = new TextDecoder().decode(await repository.read(oid));
    try {
      await context.dashboards.put({ id: idOfPath(path), source, dryRun: true });
      sources.push({ gitPath, id: idOfPath(path), source });
    } catch (error) {
      const reason = new Error(`Cannot save the dashboard "${gitPath}": ${(error as Error).message}`);
      if (!onInvalid) throw reason;
      onInvalid(reason);
      isComplete = false;
    }
  }
  const differences: JsonObject[] = [];
  const kept = new Set<string>();
  for (const { gitPath, ...write } of sources) {
    const { id, change } = await context.dashboards.put({ ...write, dryRun: isDryRun });
    kept.add(id);
    differences.push({ gitPath, syncState: change, dashboardId: id });
  }
  // A dashboard that could not be read may be one of those that are stored.
  if (!isDeleting || !isComplete) return differences;
  for (const { id } of await context.dashboards.list()) {
    if (kept.has(id)) continue;
    if (!isDryRun) await context.dashboards.delete(id);
    differences.push({ gitPath: null, syncState: "DELETED", dashboardId: id });
  }
  return differences;
}

/** A branch that does not exist begins at the default one. */
export const pushDashboards = defineServerTask({
  type: "git.PushDashboards",
  title: "Push dashboards to a git repository",
  description: "Commits the sources of dashboards to a folder of a git repository and pushes the branch.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...COMMIT_PROPERTIES,
    ...DRY_RUN_PROPERTY,
    dashboards: dynamicProperty("any", "Globs of ids of dashboards, a text or a list; default is all."),
    gitDirectory: FOLDER,
    delete: dynamicFlag(true, "Deletes files of dashboards that the server does not have."),
  },
  outputs: commitOutputs("dashboards"),
  examples: [{
    title: "Push all dashboards",
    yaml: `id: push
type: io.svc.plugin.git.PushDashboards
url: https://github.com/acme/flows
username: git
password: "{{ secret('GITHUB_TOKEN') }}"
commitMessage: Change dashboards`,
  }],
  async run(context) {
    const { dashboards, gitDirectory, delete: isDeleting } = context.properties;
    const isSelected = compileGlobs(globsOf(dashboards));
    const files = new Map<string, Uint8Array>();
    for (const { id, source } of await context.dashboards.list()) {
      if (isSelected(id)) files.set(`${id}.yml`, new TextEncoder().encode(source));
    }
    const isDeleted = (path: string) =>
      isDeleting !== false && isYamlPath(path) && !path.includes("/") && isSelected(idOfPath(path));
    return await commitFiles(context, { folder: folderOf(gitDirectory), files, isDeleted }, {
      message: `Add dashboards from flow: ${context.attempt.flowId}`,
      output: "dashboards",
    });
  },
});
