/** `kubernetes.kubectl.Get`, `Apply`, `Patch`, `Delete` and `Restart`. */
import { systemClock, toIso } from "../../base/time/clock.ts";
import { isJsonObject, type JsonObject, objectsOf, stringifyJson } from "../../base/json.ts";
import { parseYaml } from "../../languages/yaml/mod.ts";
import {
  dynamicChoice,
  dynamicContent,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { CLUSTER, Cluster } from "./cluster.ts";
import {
  KIND,
  kindOf,
  pathOf,
  RESOURCE_OUTPUTS,
  summaryOf,
  versionsOf,
  WAIT_UNTIL_READY,
  whenReady,
} from "./resources.ts";

/** The owner of fields that a task applies. */
const FIELD_MANAGER = "sluice";
const PAGE_SIZE = "500";
const RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

const PATCH_TYPES: ReadonlyMap<string, string> = new Map([
  ["STRATEGIC_MERGE", "application/strategic-merge-patch+json"],
  ["JSON_MERGE", "application/merge-patch+json"],
  ["JSON_PATCH", "application/json-patch+json"],
]);

const CONNECTION_YAML = `namespace: shop
connection:
  masterUrl: https://cluster.example.com:6443
  oauthToken: "{{ secret('K8S_TOKEN') }}"
  caCertData: "{{ secret('K8S_CA') }}"`;

function namesOf(description: string, required: boolean): PropertySchema {
  return dynamicProperty("list", description, {
    items: { type: "string", description: "Name of a resource." },
    required,
  });
}

/** Properties that flows give, as those of pods; these tasks run no pod. */
const POD_PROPERTIES: PropertySchemas = Object.freeze({
  namespaceFiles: dynamicProperty(
    "map",
    "Has no effect: `{{ read('file.yaml') }}` reads files of the namespace without it.",
    { ignored: true },
  ),
  inputFiles: dynamicProperty("any", "Has no effect: there is no pod.", { ignored: true }),
  outputFiles: dynamicProperty("list", "Has no effect: there is no pod.", { ignored: true }),
});

/** Outputs: those that `fetchType` names. */
export const kubectlGet = defineTask({
  type: "kubernetes.kubectl.Get",
  title: "Read resources of Kubernetes",
  description: "Reads resources of one kind: those with the given names, or all of a namespace.",
  properties: {
    ...CLUSTER,
    ...POD_PROPERTIES,
    ...KIND,
    resourcesNames: namesOf("Names of the resources; by default all.", false),
    fetchType: { ...FETCH_TYPE, default: "NONE" },
    waitUntilReady: WAIT_UNTIL_READY,
  },
  outputs: {
    metadataItems: {
      type: "list",
      items: { type: "map", description: "Metadata." },
      description: "Metadata of the resources, with FETCH.",
    },
    statusItems: {
      type: "list",
      items: { type: "map", description: "A status." },
      description: "`status` of the resources, with FETCH.",
    },
    metadataItem: { type: "map", description: "Metadata of the first resource, with FETCH_ONE." },
    statusItem: { type: "map", description: "`status` of the first resource, with FETCH_ONE." },
    uri: {
      type: "string",
      description: "Storage URI of `metadata` and `status` of the resources as Ion, with STORE.",
    },
    size: ROWS_OUTPUTS.size as PropertySchema,
  },
  examples: [{
    title: "Read the pods of a namespace",
    yaml: `id: pods
type: io.kestra.plugin.kubernetes.kubectl.Get
${CONNECTION_YAML}
resourceType: pods
fetchType: FETCH`,
  }],
  async run(context) {
    const resources = resourcesOf(context);
    const fetchType = String(context.properties.fetchType);
    if (fetchType === "NONE") {
      // The task may be there to wait for them.
      for await (const _resource of resources);
      return {};
    }
    const outputs = await fetchedRows(context, resources, fetchType);
    const { row, rows, ...others } = outputs;
    return {
      ...others,
      ...isJsonObject(row) ? { metadataItem: row.metadata ?? null, statusItem: row.status ?? null } : {},
      ...rows === undefined ? {} : {
        metadataItems: objectsOf(rows).map(({ metadata }) => metadata ?? null),
        statusItems: objectsOf(rows).map(({ status }) => status ?? null),
      },
    };
  },
});

/** A missing name is a warning. */
async function* resourcesOf(context: TaskContext): AsyncGenerator<JsonObject> {
  const cluster = new Cluster(context);
  const { resourceType, resourcesNames } = context.properties;
  const kind = await kindOf(cluster, String(resourceType), versionsOf(context));
  const names = Array.isArray(resourcesNames) ? resourcesNames.map(String) : [];
  for (const name of names) {
    const path = pathOf(kind, cluster.namespace, name);
    const resource = await cluster.find({ path, operation: `read "${name}"` });
    if (resource) yield summaryOf(await whenReady(context, cluster, { path, resource }));
    else {context.log(
        "WARN",
        `There is no ${String(resourceType)} "${name}" in the namespace "${cluster.namespace}"`,
      );}
  }
  if (names.length > 0) return;
  let next: string | undefined;
  do {
    const list = await cluster.call({
      path: pathOf(kind, cluster.namespace),
      query: { limit: PAGE_SIZE, ...next === undefined ? {} : { continue: next } },
      operation: `list ${kind.name}`,
    });
    for (const resource of objectsOf(list.items)) yield summaryOf(resource);
    next = isJsonObject(list.metadata) ? optionalText(list.metadata.continue) : undefined;
  } while (next !== undefined);
}

/** Outputs: `metadata`, a list. Server-side apply, which also changes fields that others have set. */
export const kubectlApply = defineTask({
  type: "kubernetes.kubectl.Apply",
  title: "Apply resources of Kubernetes",
  description: "Creates or changes the resources of a manifest.",
  properties: {
    ...CLUSTER,
    ...POD_PROPERTIES,
    spec: dynamicContent("Manifest as YAML or JSON; several are separated by `---`.", { required: true }),
    waitUntilReady: WAIT_UNTIL_READY,
  },
  outputs: {
    metadata: {
      type: "list",
      items: { type: "map", description: "Metadata." },
      description: "Metadata of the resources, in the order of the manifest.",
    },
  },
  examples: [{
    title: "Apply a configuration map",
    yaml: `id: apply
type: io.kestra.plugin.kubernetes.kubectl.Apply
${CONNECTION_YAML}
spec: |
  apiVersion: v1
  kind: ConfigMap
  metadata:
    name: settings
  data:
    mode: fast`,
  }],
  async run(context) {
    const cluster = new Cluster(context);
    const metadata: JsonObject[] = [];
    for (const manifest of manifestsOf(String(context.properties.spec))) {
      metadata.push(await apply(context, cluster, manifest));
    }
    return { metadata };
  },
});

async function apply(context: TaskContext, cluster: Cluster, manifest: JsonObject): Promise<JsonObject> {
  const given = isJsonObject(manifest.metadata) ? manifest.metadata : {};
  const name = optionalText(given.name), type = optionalText(manifest.kind);
  const version = optionalText(manifest.apiVersion);
  if (name === undefined || type === undefined || version === undefined) {
    throw new Error("Invalid spec: a resource needs `apiVersion`, `kind` and `metadata.name`");
  }
  const kind = await kindOf(cluster, type, [version]);
  const path = pathOf(kind, optionalText(given.namespace) ?? cluster.namespace, name);
  const resource = await cluster.call({
    path,
    method: "PATCH",
    query: { fieldManager: FIELD_MANAGER, force: "true" },
    body: manifest,
    contentType: "application/apply-patch+yaml",
    operation: `apply ${type} "${name}"`,
  });
  context.log("INFO", `Applied ${type} "${name}"`);
  return summaryOf(await whenReady(context, cluster, { path, resource })).metadata;
}

/** @throws Error a document is no map */
function manifestsOf(spec: string): JsonObject[] {
  return spec.split(/^---.*$/m).flatMap((text) => {
    const manifest = parseYaml(text);
    if (manifest === null || manifest === "") return [];
    if (isJsonObject(manifest)) return [manifest];
    throw new Error("Invalid spec: each document must be a map with `apiVersion`, `kind` and `metadata`");
  });
}

/** Outputs: `metadata` and `status`. */
export const kubectlPatch = defineTask({
  type: "kubernetes.kubectl.Patch",
  title: "Patch a resource of Kubernetes",
  description: "Changes fields of a resource.",
  properties: {
    ...CLUSTER,
    ...POD_PROPERTIES,
    ...KIND,
    resourceName: dynamicText("Name of the resource.", { required: true }),
    patch: dynamicContent(
      "The patch as YAML or JSON: a map of fields, for JSON_PATCH a list of operations.",
      { required: true },
    ),
    patchStrategy: dynamicChoice([...PATCH_TYPES.keys()], "STRATEGIC_MERGE", "Form of the patch."),
    waitUntilReady: WAIT_UNTIL_READY,
  },
  outputs: RESOURCE_OUTPUTS,
  examples: [{
    title: "Set the number of replicas",
    yaml: `id: scale
type: io.kestra.plugin.kubernetes.kubectl.Patch
${CONNECTION_YAML}
resourceType: deployment
resourceName: api
patch: |
  spec:
    replicas: 3`,
  }],
  async run(context) {
    const cluster = new Cluster(context);
    const { resourceType, resourceName, patch, patchStrategy } = context.properties;
    const kind = await kindOf(cluster, String(resourceType), versionsOf(context));
    const path = pathOf(kind, cluster.namespace, String(resourceName));
    const resource = await cluster.call({
      path,
      method: "PATCH",
      body: stringifyJson(parseYaml(String(patch))),
      contentType: PATCH_TYPES.get(String(patchStrategy)),
      operation: `patch ${String(resourceType)} "${resourceName}"`,
      // Operations such as an addition to a list are not.
      isRepeatable: patchStrategy !== "JSON_PATCH",
    });
    return summaryOf(await whenReady(context, cluster, { path, resource }));
  },
});

/** What is gone already is no error. */
export const kubectlDelete = defineTask({
  type: "kubernetes.kubectl.Delete",
  title: "Delete resources of Kubernetes",
  description: "Deletes resources by name. The task does not wait until they are gone.",
  properties: {
    ...CLUSTER,
    ...POD_PROPERTIES,
    ...KIND,
    resourcesNames: namesOf("Names of the resources.", true),
  },
  outputs: {},
  examples: [{
    title: "Delete a job",
    yaml: `id: delete
type: io.kestra.plugin.kubernetes.kubectl.Delete
${CONNECTION_YAML}
resourceType: job
resourcesNames: [import]`,
  }],
  async run(context) {
    const cluster = new Cluster(context);
    const { resourceType, resourcesNames } = context.properties;
    const kind = await kindOf(cluster, String(resourceType), versionsOf(context));
    for (const name of (Array.isArray(resourcesNames) ? resourcesNames : []).map(String)) {
      const deleted = await cluster.find({
        path: pathOf(kind, cluster.namespace, name),
        method: "DELETE",
        // Without it, jobs leave their pods.
        query: { propagationPolicy: "Background" },
        operation: `delete ${String(resourceType)} "${name}"`,
      });
      context.log("INFO", `${deleted ? "Deleted" : "There was no"} ${String(resourceType)} "${name}"`);
    }
  },
});

/** As `kubectl rollout restart`. */
export const kubectlRestart = defineTask({
  type: "kubernetes.kubectl.Restart",
  title: "Restart workloads of Kubernetes",
  description: "Replaces the pods of workloads one after the other.",
  properties: {
    ...CLUSTER,
    ...POD_PROPERTIES,
    resourceType: dynamicText("Kind of the workloads.", {
      required: true,
      values: ["Deployment", "StatefulSet", "DaemonSet"],
    }),
    resourcesNames: namesOf("Names of the workloads.", true),
  },
  outputs: {},
  examples: [{
    title: "Restart a deployment",
    yaml: `id: restart
type: io.kestra.plugin.kubernetes.kubectl.Restart
${CONNECTION_YAML}
resourceType: Deployment
resourcesNames: [api]`,
  }],
  async run(context) {
    const cluster = new Cluster(context);
    const { resourceType, resourcesNames } = context.properties;
    const kind = await kindOf(cluster, String(resourceType), ["apps/v1"]);
    const annotations = { [RESTARTED_AT]: toIso(systemClock.now()) };
    for (const name of (Array.isArray(resourcesNames) ? resourcesNames : []).map(String)) {
      await cluster.call({
        path: pathOf(kind, cluster.namespace, name),
        method: "PATCH",
        body: { spec: { template: { metadata: { annotations } } } },
        contentType: PATCH_TYPES.get("STRATEGIC_MERGE"),
        operation: `restart ${String(resourceType)} "${name}"`,
      });
      context.log("INFO", `Restarted ${String(resourceType)} "${name}"`);
    }
  },
});
