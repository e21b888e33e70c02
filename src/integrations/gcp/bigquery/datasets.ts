/** `gcp.bigquery.CreateDataset`, `UpdateDataset` and `DeleteDataset`. */
import { readDuration } from "../../../base/time/duration.ts";
import { isJsonObject, type JsonObject, objectsOf } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchema,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";

const NAME: PropertySchema = dynamicText("Name of the dataset: `dataset` or `project.dataset`.", {
  required: true,
});

const SETTINGS: PropertySchemas = Object.freeze({
  location: dynamicText("Location, such as `EU`."),
  friendlyName: dynamicText("Name for people."),
  description: dynamicText("Description."),
  labels: dynamicProperty("map", "Labels."),
  defaultTableLifetime: dynamicProperty("duration", "Time after which new tables are deleted."),
  defaultPartitionExpirationMs: dynamicProperty(
    "integer",
    "Milliseconds after which new partitions are deleted.",
  ),
  defaultEncryptionConfiguration: dynamicProperty("map", "Encryption of new tables: `kmsKeyName`."),
  acl: dynamicProperty("list", "Access control: entries with `entity` (`type`, `value`) and `role`.", {
    items: { type: "map", description: "An entry." },
  }),
});

const OUTPUTS: PropertySchemas = Object.freeze({
  dataset: { type: "string", description: "Name of the dataset." },
  project: { type: "string", description: "Its project." },
  friendlyName: { type: "string", description: "Its name for people." },
  description: { type: "string", description: "Its description." },
  location: { type: "string", description: "Its location." },
});

/** Kinds of entities of an access control list, as the API names them. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["DOMAIN", "domain"],
  ["GROUP", "groupByEmail"],
  ["USER", "userByEmail"],
  ["IAM_MEMBER", "iamMember"],
]);

interface Dataset {
  readonly projectId: string;
  readonly datasetId: string;
}

function datasetOf({ properties }: TaskContext, client: GcpClient): Dataset {
  const name = String(properties.name);
  const dot = name.lastIndexOf(".");
  return dot < 0
    ? { projectId: client.projectId, datasetId: name }
    : { projectId: name.slice(0, dot), datasetId: name.slice(dot + 1) };
}

function datasetPath({ projectId, datasetId }: Dataset): string {
  return `/bigquery/v2/projects/${encodeURIComponent(projectId)}/datasets/${encodeURIComponent(datasetId)}`;
}

function bodyOf(properties: JsonObject): Record<string, unknown> {
  const { defaultTableLifetime, defaultPartitionExpirationMs, acl } = properties;
  const lifetimeMs = readDuration(defaultTableLifetime);
  return {
    location: properties.location,
    friendlyName: properties.friendlyName,
    description: properties.description,
    labels: properties.labels,
    defaultTableExpirationMs: lifetimeMs === undefined ? undefined : String(lifetimeMs),
    defaultPartitionExpirationMs: defaultPartitionExpirationMs === undefined
      ? undefined
      : String(defaultPartitionExpirationMs),
    defaultEncryptionConfiguration: properties.defaultEncryptionConfiguration,
    access: acl === undefined ? undefined : objectsOf(acl).map(accessOf),
  };
}

function accessOf({ entity, role, ...others }: JsonObject): JsonObject {
  if (!isJsonObject(entity)) return { ...others, role: role ?? null };
  const kind = ENTITIES.get(String(entity.type));
  if (kind !== undefined) return { role: role ?? null, [kind]: entity.value ?? null };
  throw new Error(`Invalid acl: the type of an entity must be one of ${[...ENTITIES.keys()].join(", ")}`);
}

function outputsOf(body: JsonObject, { projectId, datasetId }: Dataset): JsonObject {
  const { friendlyName = null, description = null, location = null } = body;
  return { dataset: datasetId, project: projectId, friendlyName, description, location };
}

/** Outputs: `dataset`, `project`, `friendlyName`, `description` and `location`. */
export const bigqueryCreateDataset = defineTask({
  type: "gcp.bigquery.CreateDataset",
  title: "Create a dataset of BigQuery",
  description: "Creates a dataset. `ifExists` says what happens if it exists.",
  properties: {
    ...CONNECTION,
    name: NAME,
    ifExists: dynamicChoice(
      ["ERROR", "UPDATE", "SKIP"],
      "ERROR",
      "What happens if the dataset exists: the task fails, the dataset is changed, or it stays as it is.",
    ),
    ...SETTINGS,
  },
  outputs: OUTPUTS,
  async run(context) {
    const client = new GcpClient(context);
    const dataset = datasetOf(context, client);
    const { ifExists } = context.properties;
    const { status, text } = await client.send({
      api: "bigquery",
      path: `/bigquery/v2/projects/${encodeURIComponent(dataset.projectId)}/datasets`,
      json: { datasetReference: dataset, ...bodyOf(context.properties) },
      accepted: ifExists === "ERROR" ? [] : [409],
      operation: `create the dataset "${dataset.datasetId}"`,
    });
    if (status !== 409) return outputsOf(JSON.parse(text), dataset);
    if (ifExists === "UPDATE") return await update(context, client);
    const operation = `read the dataset "${dataset.datasetId}"`;
    return outputsOf(await client.json({ api: "bigquery", path: datasetPath(dataset), operation }), dataset);
  },
});

async function update(context: TaskContext, client: GcpClient): Promise<JsonObject> {
  const dataset = datasetOf(context, client);
  // The location of a dataset cannot be changed.
  const { location: _location, ...changes } = bodyOf(context.properties);
  const body = await client.json({
    api: "bigquery",
    path: datasetPath(dataset),
    method: "PATCH",
    json: changes,
    operation: `update the dataset "${dataset.datasetId}"`,
  });
  return outputsOf(body, dataset);
}

/** Outputs as those of a new dataset. */
export const bigqueryUpdateDataset = defineTask({
  type: "gcp.bigquery.UpdateDataset",
  title: "Change a dataset of BigQuery",
  description: "Changes the settings that are given.",
  properties: { ...CONNECTION, name: NAME, ...SETTINGS },
  outputs: OUTPUTS,
  run: async (context) => await update(context, new GcpClient(context)),
});

/** Output: `dataset`. */
export const bigqueryDeleteDataset = defineTask({
  type: "gcp.bigquery.DeleteDataset",
  title: "Delete a dataset of BigQuery",
  description: "Deletes a dataset, with its tables only if `deleteContents` is set.",
  properties: {
    ...CONNECTION,
    name: NAME,
    deleteContents: dynamicFlag(false, "Whether the tables of the dataset are deleted, too."),
  },
  outputs: { dataset: { type: "string", description: "Name of the dataset." } },
  async run(context) {
    const client = new GcpClient(context);
    const dataset = datasetOf(context, client);
    await client.send({
      api: "bigquery",
      path: datasetPath(dataset),
      method: "DELETE",
      query: { deleteContents: context.properties.deleteContents },
      operation: `delete the dataset "${dataset.datasetId}"`,
    });
    return { dataset: dataset.datasetId };
  },
});
