/** `git.SyncFlows`. */
import type { JsonObject } from "../../base/json.ts";
import { dynamicFlag, dynamicText } from "../../model/flows/schema.ts";
import type { FlowChange } from "../../model/ports/flows.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { storeDifferences } from "./differences.ts";
import { folderOf, isYamlPath, namespaceBelow } from "./places.ts";
import { BRANCH_PROPERTY, DRY_RUN_PROPERTY, REPOSITORY_PROPERTIES } from "./properties.ts";

/** The flow that runs the task is never deleted. */
export const syncFlows = defineServerTask({
  type: "git.SyncFlows",
  title: "Save the flows of a git repository",
  description:
    "Saves the flows of a folder of a git repository into a namespace. All flows are checked before the first one is saved.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...DRY_RUN_PROPERTY,
    gitDirectory: dynamicText("Folder of the flows.", { default: "_flows" }),
    targetNamespace: dynamicText("Namespace of the flows, in place of the one that they name.", {
      required: true,
    }),
    includeChildNamespaces: dynamicFlag(
      false,
      "Also saves flows of folders below, into namespaces below: `marketing/a.yml` of `prod` into `prod.marketing`.",
    ),
    delete: dynamicFlag(false, "Deletes flows of the namespace that the repository does not have."),
    ignoreInvalidFlows: dynamicFlag(false, "Skips flows that are invalid, with a warning."),
  },
  outputs: {
    flows: { type: "string", description: "Storage URI of the differences, one JSON object a line." },
  },
  examples: [{
    title: "Save the flows of a repository each hour",
    yaml: `id: sync
namespace: system
triggers:
  - id: hourly
    type: io.svc.plugin.core.trigger.Schedule
    cron: "0 * * * *"
tasks:
  - id: flows
    type: io.svc.plugin.git.SyncFlows
    url: https://github.com/acme/flows
    username: git
    password: "{{ secret('GITHUB_TOKEN') }}"
    targetNamespace: company.team`,
  }],
  async run(context) {
    const { branch, gitDirectory, targetNamespace, includeChildNamespaces, delete: isDeleting } =
      context.properties;
    const { dryRun, ignoreInvalidFlows } = context.properties;
    const folder = folderOf(gitDirectory);
    const { Repository } = await import("./repository.ts");
    const repository = await Repository.fetch(context, await context.directory(), {
      branch: String(branch),
      depth: 1,
    });
    const sources: GitFlow[] = [];
    for (const [path, oid] of await repository.files(folder)) {
      if (!isYamlPath(path) || (includeChildNamespaces !== true && path.includes("/"))) continue;
      sources.push({
        path: folder === "" ? path : `${folder}/${path}`,
        namespace: namespaceBelow(String(targetNamespace), path),
        source: new TextDecoder().decode(await repository.read(oid)),
      });
    }
    const differences = await applyFlows(context, sources, {
      namespace: String(targetNamespace),
      withChildren: includeChildNamespaces === true,
      isDeleting: isDeleting === true,
      isDryRun: dryRun === true,
      ...ignoreInvalidFlows === true && { onInvalid: ({ message }) => context.log("WARN", message) },
    });
    return { flows: await storeDifferences(context, differences) };
  },
});

/** A flow of a repository. */
export interface GitFlow {
  readonly path: string;
  readonly namespace: string;
  readonly source: string;
}

interface FlowScope {
  readonly namespace: string;
  readonly withChildren: boolean;
  readonly isDeleting: boolean;
  readonly isDryRun: boolean;
  /** Why a flow that is invalid is not saved; default ends the task. @throws Error it may not be left out */
  readonly onInvalid?: (reason: Error) => void;
}

/** Saves the flows, and deletes the others of the scope if that is wanted; returns the differences. @throws Error one is invalid: nothing is saved */
export async function applyFlows(
  context: ServerTaskContext,
  sources: readonly GitFlow[],
  { namespace, withChildren, isDeleting, isDryRun, onInvalid = failed }: FlowScope,
): Promise<JsonObject[]> {
  const valid: GitFlow[] = [];
  for (const flow of sources) {
    if (await isValid(context, flow, onInvalid)) valid.push(flow);
  }
  const differences: JsonObject[] = [];
  const kept = new Set<string>();
  for (const flow of valid) {
    const change = await context.flows.put({ ...flow, dryRun: isDryRun });
    kept.add(keyOf(change));
    differences.push(differenceOf(change, flow.path));
  }
  // A flow that could not be read may be one of those that are saved.
  if (!isDeleting || valid.length < sources.length) return differences;
  const { attempt } = context;
  kept.add(keyOf({ namespace: attempt.namespace, id: attempt.flowId }));
  for (const flow of await context.flows.list(namespace, { withChildren })) {
    if (kept.has(keyOf(flow))) continue;
    if (!isDryRun) await context.flows.delete(flow);
    const { namespace, id: flowId, revision } = flow;
    differences.push({ gitPath: null, syncState: "DELETED", flowId, namespace, revision });
  }
  return differences;
}

function failed(reason: Error): never {
  throw reason;
}

async function isValid(
  context: ServerTaskContext,
  flow: GitFlow,
  onInvalid: (reason: Error) => void,
): Promise<boolean> {
  try {
    await context.flows.put({ ...flow, dryRun: true });
    return true;
  } catch (error) {
    onInvalid(new Error(`Cannot save the flow "${flow.path}": ${(error as Error).message}`));
    return false;
  }
}

function keyOf({ namespace, id }: Pick<FlowChange, "namespace" | "id">): string {
  return `${namespace}/${id}`;
}

function differenceOf({ change, namespace, id: flowId, revision }: FlowChange, gitPath: string): JsonObject {
  return { gitPath, syncState: change, flowId, namespace, revision };
}
