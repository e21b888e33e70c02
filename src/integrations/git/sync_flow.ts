/** `git.SyncFlow`. */
import { dynamicText } from "../../model/flows/schema.ts";
import { normalizeFileName } from "../../model/namespaces/file_path.ts";
import { defineServerTask } from "../../model/tasks/server_task.ts";
import {
  BRANCH_PROPERTY,
  DRY_RUN_PROPERTY,
  OWN_SERVER_PROPERTIES,
  REPOSITORY_PROPERTIES,
} from "./properties.ts";
import { applyFlows } from "./sync_flows.ts";

/** The flow gets the target namespace, wherever its file is. */
export const syncFlow = defineServerTask({
  type: "git.SyncFlow",
  title: "Save a flow of a git repository",
  description: "Saves the flow of a file of a git repository into a namespace.",
  properties: {
    ...REPOSITORY_PROPERTIES,
    ...BRANCH_PROPERTY,
    ...DRY_RUN_PROPERTY,
    ...OWN_SERVER_PROPERTIES,
    flowPath: dynamicText("Path of the file.", { required: true }),
    targetNamespace: dynamicText("Namespace of the flow, in place of the one that it names.", {
      required: true,
    }),
  },
  outputs: {
    flowId: { type: "string", description: "Id of the flow." },
    namespace: { type: "string", description: "Namespace of the flow." },
    revision: { type: "integer", description: "Revision of the flow." },
    syncState: { type: "string", description: "`ADDED`, `UPDATED` or `UNCHANGED`." },
  },
  async run(context) {
    const { branch, flowPath, targetNamespace } = context.properties;
    const path = normalizeFileName(String(flowPath));
    const namespace = String(targetNamespace);
    const { Repository } = await import("./repository.ts");
    const repository = await Repository.fetch(context, await context.directory(), {
      branch: String(branch),
      depth: 1,
    });
    const oid = (await repository.files("")).get(path);
    if (oid === undefined) throw new Error(`Cannot save the flow "${path}": the branch has no such file`);
    const source = new TextDecoder().decode(await repository.read(oid));
    const [difference = {}] = await applyFlows(context, [{ path, namespace, source }], {
      namespace,
      withChildren: false,
      isDeleting: false,
      isDryRun: context.properties.dryRun === true,
    });
    const { flowId = null, revision = null, syncState = null } = difference;
    return { flowId, namespace, revision, syncState };
  },
});
