/** `git.PushFlows`. */
import type { JsonValue } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { compileGlobs } from "../../model/namespaces/glob.ts";
import { defineServerTask, type ServerTaskContext } from "../../model/tasks/server_task.ts";
import { optionalText } from "../../model/tasks/task_definition.ts";
import { commitFiles, type WantedFiles } from "./commit_files.ts";
import { flowPath, folderOf, idOfPath, isYamlPath } from "./places.ts";
import {
  BRANCH_PROPERTY,
  COMMIT_PROPERTIES,
  commitOutputs,
  DRY_RUN_PROPERTY,
  REPOSITORY_PROPERTIES,
} from "./properties.ts";

/** A branch that does not exist begins at the default one. */
export const pushFlows = defineServerTask({
  type: "git.PushFlows",
  title: "Push flows to a git repository",
  description:
    "Commits the sources of flows of a namespace to a folder of a git repository and pushes the branch.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...COMMIT_PROPERTIES,
    ...DRY_RUN_PROPERTY,
    sourceNamespace: dynamicText("Namespace of the flows.", {
      default: "{{ flow.namespace }}",
      aliases: ["sourcenamespace"],
    }),
    targetNamespace: dynamicText("Namespace that the pushed sources name in place of their own."),
    flows: dynamicProperty("any", "Globs of flow ids, a text or a list; default is all."),
    includeChildNamespaces: dynamicFlag(false, "Also pushes flows of namespaces below, into folders below."),
    gitDirectory: dynamicText("Folder of the flows.", { default: "_flows" }),
    delete: dynamicFlag(true, "Deletes files of flows that the namespace does not have."),
  },
  outputs: commitOutputs("flows"),
  examples: [{
    title: "Push the flows of a namespace to a branch",
    yaml: `id: push
type: io.svc.plugin.git.PushFlows
url: https://github.com/acme/flows
branch: develop
username: git
password: "{{ secret('GITHUB_TOKEN') }}"
sourceNamespace: company.team
commitMessage: Change flows`,
  }],
  async run(context) {
    return await commitFiles(context, await wantedFlows(context), {
      message: `Add flows from ${context.properties.sourceNamespace} namespace`,
      output: "flows",
    });
  },
});

async function wantedFlows(context: ServerTaskContext): Promise<WantedFiles> {
  const {
    sourceNamespace,
    targetNamespace,
    flows,
    includeChildNamespaces,
    gitDirectory,
    delete: isDeleting,
  } = context.properties;
  const source = String(sourceNamespace);
  const target = optionalText(targetNamespace);
  const isSelected = compileGlobs(globsOf(flows));
  const files = new Map<string, Uint8Array>();
  for (const flow of await context.flows.list(source, { withChildren: includeChildNamespaces === true })) {
    if (!isSelected(flow.id)) continue;
    const text = target === undefined
      ? flow.source
      : withNamespace(flow.source, target + flow.namespace.slice(source.length));
    files.set(flowPath(source, flow), new TextEncoder().encode(text));
  }
  return {
    folder: folderOf(gitDirectory),
    files,
    isDeleted: (path) =>
      isDeleting !== false && isYamlPath(path) &&
      (includeChildNamespaces === true || !path.includes("/")) &&
      isSelected(idOfPath(path)),
  };
}

/** The patterns of a text or a list. */
export function globsOf(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.map(String);
  return value === undefined || value === null ? ["**"] : [String(value)];
}

/** Replaces the line of the namespace; comments and layout stay. */
function withNamespace(source: string, namespace: string): string {
  return source.replace(/^namespace:.*$/m, () => `namespace: ${namespace}`);
}
