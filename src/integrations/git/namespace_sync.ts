/** `git.NamespaceSync` and `git.TenantSync`: the same flows and files on both sides, by the side that is right. */
import type { JsonObject } from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { FLOWS_FOLDER } from "../../model/namespaces/file_path.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { commitTo, fetchBranch, PushedFiles, type WantedFiles } from "./commit_files.ts";
import { storeDifferences } from "./differences.ts";
import { folderOf, idOfPath, isYamlPath } from "./places.ts";
import {
  COMMIT_PROPERTIES,
  commitOutputs,
  DRY_RUN_PROPERTY,
  OWN_SERVER_PROPERTIES,
  REPOSITORY_PROPERTIES,
} from "./properties.ts";
import type { Repository } from "./repository.ts";
import { applyDashboards } from "./sync_dashboards.ts";
import { applyFlows } from "./sync_flows.ts";
import { applyFiles } from "./sync_namespace_files.ts";

/** Folder of the dashboards, which belong to no namespace. */
const DASHBOARDS = "_global/dashboards";

const SYNC_PROPERTIES: PropertySchemas = Object.freeze({
  ...REPOSITORY_PROPERTIES,
  ...COMMIT_PROPERTIES,
  ...DRY_RUN_PROPERTY,
  branch: dynamicText("Branch.", { required: true }),
  gitDirectory: dynamicText("Folder with a folder for each namespace; default is the root."),
  sourceOfTruth: dynamicChoice(
    ["KESTRA", "GIT"],
    "KESTRA",
    "The side that is right: `GIT` changes this server, `KESTRA` commits what this server has.",
  ),
  whenMissingInSource: dynamicChoice(
    ["DELETE", "KEEP", "FAIL"],
    "DELETE",
    "What happens to flows and files that only the other side has.",
  ),
  protectedNamespaces: dynamicProperty(
    "list",
    "Namespaces, with those below them, of which nothing is deleted.",
    {
      default: ["system"],
      items: { type: "string", description: "Name of a namespace." },
    },
  ),
  onInvalidSyntax: dynamicChoice(
    ["FAIL", "WARN", "SKIP"],
    "FAIL",
    "What happens if a flow of the repository is invalid: nothing is saved, or it is left out.",
  ),
});

const OUTPUTS = commitOutputs("diff");

/** Syncs one namespace without those below it. */
export const namespaceSync = defineServerTask({
  type: "git.NamespaceSync",
  title: "Sync a namespace with a git repository",
  description:
    "Makes the flows and files of a namespace the same here and in a git repository, where they are in the folders `<namespace>/flows` and `<namespace>/files`. What only the side without the truth has is deleted by default.",
  properties: { ...SYNC_PROPERTIES, namespace: dynamicText("Namespace.", { required: true }) },
  outputs: OUTPUTS,
  examples: [{
    title: "Save what a repository has",
    yaml: `id: sync
type: io.svc.plugin.git.NamespaceSync
namespace: company.team
sourceOfTruth: GIT
whenMissingInSource: KEEP
url: https://github.com/acme/flows
branch: main
username: git
password: "{{ secret('GITHUB_TOKEN') }}"`,
  }],
  async run(context) {
    return await new TwoSides(context, await fetchBranch(context)).sync({
      namespaces: () => Promise.resolve([String(context.properties.namespace)]),
      withDashboards: false,
      message: "Namespace sync",
    });
  },
});

/** Syncs all namespaces of the tenant of the flow. */
export const tenantSync = defineServerTask({
  type: "git.TenantSync",
  title: "Sync a tenant with a git repository",
  description:
    "Makes the flows and files of all namespaces, and the dashboards, the same here and in a git repository, where they are in the folders `<namespace>/flows`, `<namespace>/files` and `_global/dashboards`. What only the side without the truth has is deleted by default. The tenant is that of the flow.",
  properties: {
    ...SYNC_PROPERTIES,
    ...OWN_SERVER_PROPERTIES,
  },
  outputs: OUTPUTS,
  async run(context) {
    const repository = await fetchBranch(context);
    return await new TwoSides(context, repository).sync({
      namespaces: () => allNamespaces(context, repository),
      withDashboards: true,
      message: "Tenant sync",
    });
  },
});

/** The namespaces of the tenant, and with the truth in git also those of the repository. */
async function allNamespaces(context: ServerTaskContext, repository: Repository): Promise<string[]> {
  const names = await context.namespaces();
  const { sourceOfTruth, gitDirectory } = context.properties;
  if (sourceOfTruth !== "GIT") return names;
  const found = [...(await repository.files(folderOf(gitDirectory))).keys()]
    .flatMap((path) => /^([^/]+)\/(?:flows|files)\//.exec(path)?.[1] ?? []);
  return [...new Set([...names, ...found])].sort();
}

interface SyncScope {
  readonly namespaces: () => Promise<readonly string[]>;
  readonly withDashboards: boolean;
  /** Message of the commit where none is given. */
  readonly message: string;
}

/** A server and a repository. */
class TwoSides {
  readonly #context: ServerTaskContext;
  readonly #repository: Repository;
  /** Folder of the folders of namespaces, with a slash at the end; `""` for the root. */
  readonly #root: string;

  constructor(context: ServerTaskContext, repository: Repository) {
    const folder = folderOf(context.properties.gitDirectory);
    this.#context = context;
    this.#repository = repository;
    this.#root = folder === "" ? "" : `${folder}/`;
  }

  /** Makes one side like the other; returns the outputs. @throws Error an invalid flow, or a missing one: nothing is changed */
  async sync({ namespaces, withDashboards, message }: SyncScope): Promise<JsonObject> {
    const { sourceOfTruth, dryRun } = this.#context.properties;
    const names = await namespaces();
    if (sourceOfTruth !== "GIT") {
      const wanted: WantedFiles[] = [];
      for (const name of names) wanted.push(await this.#wantedFlows(name), await this.#wantedFiles(name));
      if (withDashboards) wanted.push(await this.#wantedDashboards());
      return await commitTo(this.#context, this.#repository, wanted, { message, output: "diff" });
    }
    const differences = await this.#apply(names, { withDashboards, isDryRun: true });
    this.#checkMissing(differences);
    if (dryRun !== true) await this.#apply(names, { withDashboards, isDryRun: false });
    const changed = differences.filter(({ action }) => action !== "UNCHANGED");
    return { diff: await storeDifferences(this.#context, changed) };
  }

  async #wantedFlows(namespace: string): Promise<WantedFiles> {
    const folder = `${this.#root}${namespace}/flows`;
    const names = await this.#namesById(folder);
    const files = new Map<string, Uint8Array>();
    for (const { id, source } of await this.#context.flows.list(namespace, { withChildren: false })) {
      files.set(names.get(id) ?? `${id}.yaml`, new TextEncoder().encode(source));
    }
    return {
      folder,
      files,
      isDeleted: (path) => isYamlPath(path) && this.#isDeleted(folder, path, namespace),
    };
  }

  async #wantedFiles(namespace: string): Promise<WantedFiles> {
    const folder = `${this.#root}${namespace}/files`;
    const files = new PushedFiles();
    for (const path of await this.#context.namespaceFiles.list(namespace)) {
      if (path.startsWith(`${FLOWS_FOLDER}/`)) continue;
      const content = await this.#context.namespaceFiles.read(namespace, path);
      if (content) files.set(path, content);
    }
    return { folder, files, isDeleted: (path) => this.#isDeleted(folder, path, namespace) };
  }

  async #wantedDashboards(): Promise<WantedFiles> {
    const folder = `${this.#root}${DASHBOARDS}`;
    const names = await this.#namesById(folder);
    const files = new Map<string, Uint8Array>();
    for (const { id, source } of await this.#context.dashboards.list()) {
      files.set(names.get(id) ?? `${id}.yaml`, new TextEncoder().encode(source));
    }
    return { folder, files, isDeleted: (path) => isYamlPath(path) && this.#isDeleted(folder, path) };
  }

  /** Paths of the files of a folder by the ids that their names give. */
  async #namesById(folder: string): Promise<Map<string, string>> {
    const names = [...(await this.#repository.files(folder)).keys()].filter(isYamlPath);
    return new Map(names.map((name) => [idOfPath(name), name]));
  }

  /** Whether a file that this server does not have is deleted. @throws Error it must not be missing */
  #isDeleted(folder: string, path: string, namespace?: string): boolean {
    const { whenMissingInSource } = this.#context.properties;
    if (whenMissingInSource === "FAIL") {
      throw new Error(`Cannot sync "${folder}/${path}": the repository has it, and this server does not`);
    }
    return whenMissingInSource !== "KEEP" && !this.#isProtected(namespace);
  }

  #isProtected(namespace: string | undefined): boolean {
    const { protectedNamespaces } = this.#context.properties;
    return namespace !== undefined && Array.isArray(protectedNamespaces) &&
      protectedNamespaces.some((each) => namespace === each || namespace.startsWith(`${each}.`));
  }

  async #apply(
    namespaces: readonly string[],
    { withDashboards, isDryRun }: { readonly withDashboards: boolean; readonly isDryRun: boolean },
  ): Promise<JsonObject[]> {
    const differences: JsonObject[] = [];
    for (const namespace of namespaces) {
      differences.push(...await this.#applyNamespace(namespace, isDryRun));
    }
    if (!withDashboards) return differences;
    const found = await applyDashboards(this.#context, this.#repository, {
      folder: `${this.#root}${DASHBOARDS}`,
      isDeleting: this.#mayDelete(),
      isDryRun,
      onInvalid: (reason) => this.#leaveOut(reason, isDryRun),
    });
    return [...differences, ...found.map((each) => lineOf("DASHBOARD", String(each.dashboardId), each))];
  }

  async #applyNamespace(namespace: string, isDryRun: boolean): Promise<JsonObject[]> {
    const isDeleting = this.#mayDelete(namespace);
    const flows = await applyFlows(this.#context, await this.#flowsIn(namespace), {
      namespace,
      withChildren: false,
      isDeleting,
      isDryRun,
      onInvalid: (reason) => this.#leaveOut(reason, isDryRun),
    });
    const folder = `${this.#root}${namespace}/files`;
    const files = await applyFiles(this.#context, this.#repository, {
      namespace,
      folder,
      files: await this.#repository.files(folder),
      target: "",
      isDeleting,
      isDryRun,
    });
    return [
      ...flows.map((each) => lineOf("FLOW", `${namespace}.${each.flowId}`, each)),
      ...files.map((each) => lineOf("FILE", `${namespace}:${String(each.kestraPath).slice(1)}`, each)),
    ];
  }

  async #flowsIn(namespace: string) {
    const folder = `${this.#root}${namespace}/flows`;
    const flows = [];
    for (const [name, oid] of await this.#repository.files(folder)) {
      if (!isYamlPath(name)) continue;
      const source = new TextDecoder().decode(await this.#repository.read(oid));
      flows.push({ path: `${folder}/${name}`, namespace, source });
    }
    return flows;
  }

  #mayDelete(namespace?: string): boolean {
    const { whenMissingInSource } = this.#context.properties;
    // With FAIL the differences must name what is missing.
    return whenMissingInSource === "FAIL" ||
      whenMissingInSource !== "KEEP" && !this.#isProtected(namespace);
  }

  /** @throws Error with FAIL, for the first one that only this server has */
  #checkMissing(differences: readonly JsonObject[]): void {
    if (this.#context.properties.whenMissingInSource !== "FAIL") return;
    const missing = differences.find(({ action }) => action === "DELETED_KES");
    if (missing) {
      throw new Error(`Cannot sync "${missing.key}": this server has it, and the repository does not`);
    }
  }

  /** @throws Error with FAIL */
  #leaveOut(reason: Error, isDryRun: boolean): void {
    const { onInvalidSyntax } = this.#context.properties;
    if (onInvalidSyntax === "FAIL") throw reason;
    // Each one is found twice: before the first change, and with the changes.
    if (isDryRun) this.#context.log(onInvalidSyntax === "SKIP" ? "INFO" : "WARN", reason.message);
  }
}

const ACTIONS: ReadonlyMap<string, string> = new Map([
  ["UPDATED", "UPDATED_KES"],
  ["OVERWRITTEN", "UPDATED_KES"],
  ["DELETED", "DELETED_KES"],
]);

function lineOf(kind: string, key: string, { gitPath = null, syncState }: JsonObject): JsonObject {
  const state = String(syncState);
  return { file: gitPath, key, kind, action: ACTIONS.get(state) ?? state };
}
