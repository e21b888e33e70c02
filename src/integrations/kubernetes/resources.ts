/** Resources of a cluster: paths of kinds, readiness, and what outputs show of them. */
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import {
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { pause } from "../http_calls.ts";
import type { Cluster } from "./cluster.ts";

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 5_000;
/** Where a kind is looked for if the task names no group. */
const USUAL_VERSIONS = ["v1", "apps/v1", "batch/v1", "networking.k8s.io/v1"];

/** Properties that name a kind. */
export const KIND: PropertySchemas = Object.freeze({
  resourceType: dynamicText("Kind of the resources, such as Pod or deployments.", { required: true }),
  apiGroup: dynamicText("Group of the kind; by default one of the usual groups that has it."),
  apiVersion: dynamicText("Version of the group.", { default: "v1" }),
});

/** Property: how long the task waits. */
export const WAIT_UNTIL_READY: PropertySchema = dynamicProperty(
  "duration",
  "Longest wait until the resource is ready or available; with zero the task does not wait.",
  { default: "PT0S" },
);

/** Outputs of one resource. */
export const RESOURCE_OUTPUTS: PropertySchemas = {
  metadata: { type: "map", description: "Metadata of the resource." },
  status: { type: "map", description: "`status` of the resource." },
};

/** A kind of a cluster. */
interface Kind {
  /** Path of its group and version. */
  readonly base: string;
  /** Plural name in paths. */
  readonly name: string;
  readonly isNamespaced: boolean;
}

/** The kind by its name, its plural, its singular or a short name, in any case. @throws Error the cluster has none */
export async function kindOf(
  cluster: Cluster,
  name: string,
  versions: readonly string[] = USUAL_VERSIONS,
): Promise<Kind> {
  const wanted = name.toLowerCase();
  for (const version of versions) {
    const base = version.includes("/") ? `/apis/${version}` : `/api/${version}`;
    const list = await cluster.find({ path: base, operation: `read the kinds of "${version}"` }) ?? {};
    for (const resource of objectsOf(list.resources)) {
      const { name: plural, kind, singularName, shortNames, namespaced } = resource;
      // A name with a slash is a part of another resource.
      if (typeof plural !== "string" || plural.includes("/")) continue;
      const names = [plural, kind, singularName, ...Array.isArray(shortNames) ? shortNames : []];
      if (!names.some((each) => String(each).toLowerCase() === wanted)) continue;
      return { base, name: plural, isNamespaced: namespaced === true };
    }
  }
  throw new Error(
    `Cannot find the kind "${name}" in ${
      versions.join(", ")
    } of the cluster: give its \`apiGroup\` and \`apiVersion\``,
  );
}

/** The versions to look for the kind in that a task names. */
export function versionsOf({ properties }: TaskContext): readonly string[] | undefined {
  const group = optionalText(properties.apiGroup);
  const version = optionalText(properties.apiVersion) ?? "v1";
  if (version.includes("/")) return [version];
  if (group !== undefined) return [`${group}/${version}`];
  return version === "v1" ? undefined : [version];
}

/** The path of all resources of a kind, or of one. */
export function pathOf({ base, name, isNamespaced }: Kind, namespace: string, resource?: string): string {
  const parts = [
    ...isNamespaced ? ["namespaces", encodeURIComponent(namespace)] : [],
    name,
    ...resource === undefined ? [] : [encodeURIComponent(resource)],
  ];
  return `${base}/${parts.join("/")}`;
}

/** What outputs have of a resource: what other servers of this language give, without the history of its fields. */
export function summaryOf(
  resource: JsonObject,
): { readonly metadata: JsonObject; readonly status: JsonObject } {
  const { managedFields: _history, ...metadata } = isJsonObject(resource.metadata) ? resource.metadata : {};
  return { metadata, status: { status: isJsonObject(resource.status) ? resource.status : {} } };
}

/** Waits as `waitUntilReady` says; returns the resource. @throws Error it is not ready in time */
export async function whenReady(
  { properties, signal }: TaskContext,
  cluster: Cluster,
  { path, resource }: { readonly path: string; readonly resource: JsonObject },
): Promise<JsonObject> {
  let leftMs = readDuration(properties.waitUntilReady) ?? 0;
  if (leftMs <= 0) return resource;
  const name = path.slice(path.lastIndexOf("/") + 1);
  let current: JsonObject | undefined = resource;
  for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    if (current && isReady(current)) return current;
    if (leftMs <= 0) {
      throw new Error(
        `The resource "${name}" is not ready after ${
          String(properties.waitUntilReady)
        }; raise waitUntilReady`,
      );
    }
    await pause(Math.min(pauseMs, leftMs), signal);
    leftMs -= pauseMs;
    current = await cluster.find({ path, operation: `read "${name}"` });
  }
}

/** What a controller has not seen yet has the conditions of the former specification. */
function isReady({ metadata, status }: JsonObject): boolean {
  if (!isJsonObject(status)) return false;
  const generation = isJsonObject(metadata) ? metadata.generation : undefined;
  const seen = status.observedGeneration;
  if (seen !== undefined && generation !== undefined && Number(seen) < Number(generation)) return false;
  return objectsOf(status.conditions).some(({ type, status: value }) =>
    (type === "Ready" || type === "Available") && value === "True"
  );
}
