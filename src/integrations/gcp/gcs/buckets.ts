/** `gcp.gcs.CreateBucket`, `UpdateBucket`, `DeleteBucket` and `CreateBucketIamPolicy`. */
import { isJsonObject, type JsonObject, objectsOf } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";

const NAME: PropertySchema = dynamicText("Name of the bucket.", { required: true });

/** What a bucket may be given; a name of the property, and where the API has it. */
const SETTINGS: PropertySchemas = Object.freeze({
  location: dynamicText("Location, such as `EU` or `europe-west1`."),
  storageClass: dynamicText("Storage class, such as `STANDARD` or `COLDLINE`."),
  labels: dynamicProperty("map", "Labels."),
  versioningEnabled: dynamicProperty("boolean", "Whether older versions of objects are kept."),
  requesterPays: dynamicProperty("boolean", "Whether who reads the bucket pays for it."),
  indexPage: dynamicText("Name of the object that a website shows for a folder."),
  notFoundPage: dynamicText("Name of the object that a website shows for a missing page."),
  lifecycleRules: dynamicProperty("list", "Rules of the lifecycle, as the REST API has them."),
  cors: dynamicProperty("list", "Rules for requests of other origins, as the REST API has them."),
  acl: dynamicProperty("list", "Access control of the bucket, as the REST API has it."),
  defaultAcl: dynamicProperty("list", "Access control of new objects, as the REST API has it."),
  iamConfiguration: dynamicProperty("map", "Options of access by IAM, as the REST API has them."),
  logging: dynamicProperty("map", "Where accesses are logged: `logBucket` and `logObjectPrefix`."),
  retentionPeriod: dynamicProperty("integer", "Seconds for which objects cannot be deleted."),
  defaultEventBasedHold: dynamicProperty("boolean", "Whether new objects cannot be deleted."),
  defaultKmsKeyName: dynamicText("Name of the key that objects are encrypted with."),
});

const OUTPUTS: PropertySchemas = Object.freeze({
  bucket: { type: "string", description: "Name of the bucket." },
  bucketUri: { type: "string", description: "Address of the bucket." },
  location: { type: "string", description: "Location of the bucket." },
  created: { type: "boolean", description: "Whether it was created." },
  updated: { type: "boolean", description: "Whether it existed and was changed." },
});

function bodyOf(properties: JsonObject): Record<string, unknown> {
  const { versioningEnabled, requesterPays, indexPage, notFoundPage, lifecycleRules, retentionPeriod } =
    properties;
  const { location, storageClass, labels, cors, acl, iamConfiguration, logging, defaultEventBasedHold } =
    properties;
  const isWebsite = indexPage !== undefined || notFoundPage !== undefined;
  return {
    name: properties.name,
    location,
    storageClass,
    labels,
    cors,
    acl,
    iamConfiguration,
    logging,
    defaultEventBasedHold,
    defaultObjectAcl: properties.defaultAcl,
    versioning: versioningEnabled === undefined ? undefined : { enabled: versioningEnabled },
    billing: requesterPays === undefined ? undefined : { requesterPays },
    website: isWebsite ? { mainPageSuffix: indexPage, notFoundPage } : undefined,
    lifecycle: lifecycleRules === undefined ? undefined : { rule: lifecycleRules },
    retentionPolicy: retentionPeriod === undefined ? undefined : { retentionPeriod: String(retentionPeriod) },
    encryption: properties.defaultKmsKeyName === undefined
      ? undefined
      : { defaultKmsKeyName: properties.defaultKmsKeyName },
  };
}

function outputsOf(
  body: JsonObject,
  name: string,
  flags: { created: boolean; updated: boolean },
): JsonObject {
  return { bucket: name, bucketUri: `gs://${name}`, location: body.location ?? null, ...flags };
}

function bucketPath(name: string): string {
  return `/storage/v1/b/${encodeURIComponent(name)}`;
}

/** Outputs: `bucket`, `bucketUri`, `location`, `created` and `updated`. */
export const gcsCreateBucket = defineTask({
  type: "gcp.gcs.CreateBucket",
  title: "Create a bucket of Google Cloud Storage",
  description: "Creates a bucket. `ifExists` says what happens if it exists.",
  properties: {
    ...CONNECTION,
    name: NAME,
    ifExists: dynamicChoice(
      ["ERROR", "UPDATE", "SKIP"],
      "ERROR",
      "What happens if the bucket exists: the task fails, the bucket is changed, or it stays as it is.",
    ),
    ...SETTINGS,
  },
  outputs: OUTPUTS,
  async run(context) {
    const client = new GcpClient(context);
    const { properties } = context;
    const name = String(properties.name);
    const response = await client.send({
      api: "storage",
      path: "/storage/v1/b",
      query: { project: client.projectId },
      json: bodyOf(properties),
      accepted: properties.ifExists === "ERROR" ? [] : [409],
      operation: `create the bucket "${name}"`,
    });
    if (response.status !== 409) {
      return outputsOf(JSON.parse(response.text), name, { created: true, updated: false });
    }
    if (properties.ifExists === "UPDATE") return await update(context, client);
    const path = bucketPath(name);
    const body = await client.json({ api: "storage", path, operation: `read the bucket "${name}"` });
    return outputsOf(body, name, { created: false, updated: false });
  },
});

async function update({ properties }: TaskContext, client: GcpClient): Promise<JsonObject> {
  const name = String(properties.name);
  // Neither name nor location of a bucket can be changed.
  const { name: _name, location: _location, ...changes } = bodyOf(properties);
  const body = await client.json({
    api: "storage",
    path: bucketPath(name),
    method: "PATCH",
    json: changes,
    operation: `update the bucket "${name}"`,
  });
  return outputsOf(body, name, { created: false, updated: true });
}

/** Outputs as those of a new bucket. */
export const gcsUpdateBucket = defineTask({
  type: "gcp.gcs.UpdateBucket",
  title: "Change a bucket of Google Cloud Storage",
  description: "Changes the settings that are given.",
  properties: { ...CONNECTION, name: NAME, ...SETTINGS },
  outputs: OUTPUTS,
  run: async (context) => await update(context, new GcpClient(context)),
});

/** The bucket must be empty. */
export const gcsDeleteBucket = defineTask({
  type: "gcp.gcs.DeleteBucket",
  title: "Delete a bucket of Google Cloud Storage",
  description: "Deletes an empty bucket.",
  properties: { ...CONNECTION, name: NAME },
  async run(context) {
    const name = String(context.properties.name);
    const operation = `delete the bucket "${name}"`;
    await new GcpClient(context).send({
      api: "storage",
      path: bucketPath(name),
      method: "DELETE",
      operation,
    });
  },
});

/** Reads the policy and writes it with the role; Google refuses the write if the policy has changed meanwhile. */
export const gcsCreateBucketIamPolicy = defineTask({
  type: "gcp.gcs.CreateBucketIamPolicy",
  title: "Grant a role on a bucket of Google Cloud Storage",
  description: "Grants a member a role on a bucket.",
  properties: {
    ...CONNECTION,
    name: NAME,
    member: dynamicText("Mail address of the member, or `<kind>:<name>` such as `user:me@example.com`.", {
      required: true,
    }),
    role: dynamicText("Role, such as `roles/storage.objectViewer`.", { required: true }),
    ifExists: dynamicChoice(["ERROR", "SKIP"], "SKIP", "What happens if the member has the role."),
  },
  outputs: {
    created: { type: "boolean", description: "Whether the member got the role." },
    bucket: { type: "string", description: "Name of the bucket." },
    member: { type: "string", description: "The member." },
    role: { type: "string", description: "The role." },
  },
  async run(context) {
    const { name, member: given, role, ifExists } = context.properties;
    const bucket = String(name);
    const member = String(given).includes(":") ? String(given) : `serviceAccount:${given}`;
    const client = new GcpClient(context);
    const path = `${bucketPath(bucket)}/iam`;
    const operation = `grant a role on the bucket "${bucket}"`;
    const policy = await client.json({ api: "storage", path, operation });
    const bindings = objectsOf(policy.bindings);
    const binding = bindings.find((each) => each.role === role && !isJsonObject(each.condition));
    const members = Array.isArray(binding?.members) ? binding.members : [];
    const outputs = { bucket, member, role: optionalText(role) ?? "" };
    if (members.includes(member)) {
      if (ifExists === "ERROR") throw new Error(`Cannot ${operation}: the member has it`);
      return { created: false, ...outputs };
    }
    const others = bindings.filter((each) => each !== binding);
    const json = { ...policy, bindings: [...others, { role, members: [...members, member] }] };
    await client.json({ api: "storage", path, method: "PUT", json, operation });
    return { created: true, ...outputs };
  },
});
