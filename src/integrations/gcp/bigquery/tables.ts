/** `gcp.bigquery.CreateTable`, `UpdateTable`, `DeleteTable` and `TableMetadata`. */
import { systemClock } from "../../../base/time/clock.ts";
import { readDuration } from "../../../base/time/duration.ts";
import { isJsonObject, type JsonObject } from "../../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../../model/flows/schema.ts";
import { defineTask, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { CONNECTION, GcpClient } from "../client.ts";

const TABLE: PropertySchemas = Object.freeze({
  ...CONNECTION,
  dataset: dynamicText("Name of the dataset.", { required: true }),
  table: dynamicText("Name of the table.", { required: true }),
});

const SETTINGS: PropertySchemas = Object.freeze({
  tableDefinition: dynamicProperty("object", "Definition of the table.", {
    properties: {
      type: dynamicProperty("string", "Kind of the table.", {
        values: ["TABLE", "VIEW", "MATERIALIZED_VIEW", "EXTERNAL", "SNAPSHOT", "MODEL"],
      }),
      schema: dynamicProperty("map", "Schema as the REST API has it: `fields`, each with `name` and `type`."),
      standardTableDefinition: dynamicProperty(
        "map",
        "Of a table: `timePartitioning`, `rangePartitioning` and `clustering`, as the REST API has them.",
      ),
      viewDefinition: dynamicProperty("map", "Of a view: `query`."),
      materializedViewDefinition: dynamicProperty("map", "Of a materialized view: `query`, `enableRefresh`."),
      externalTableDefinition: dynamicProperty("map", "Of an external table: as the REST API has it."),
    },
  }),
  friendlyName: dynamicText("Name for people."),
  description: dynamicText("Description."),
  labels: dynamicProperty("map", "Labels."),
  expirationDuration: dynamicProperty("duration", "Time after which the table is deleted."),
  requirePartitionFilter: dynamicProperty("boolean", "Whether queries must select partitions."),
  encryptionConfiguration: dynamicProperty("map", "Encryption: `kmsKeyName`."),
});

const OUTPUTS: PropertySchemas = Object.freeze({
  projectId: { type: "string", description: "Project of the table." },
  datasetId: { type: "string", description: "Its dataset." },
  tableId: { type: "string", description: "Its name." },
  etag: { type: "string", description: "Its version." },
  generatedId: { type: "string", description: "Its id." },
  selfLink: { type: "string", description: "Its URL in the API." },
  friendlyName: { type: "string", description: "Its name for people." },
  description: { type: "string", description: "Its description." },
  location: { type: "string", description: "Its location." },
  type: { type: "string", description: "Its kind." },
  creationTime: { type: "integer", description: "When it was created, milliseconds since the Unix epoch." },
  lastModifiedTime: {
    type: "integer",
    description: "When it was changed, milliseconds since the Unix epoch.",
  },
  expirationTime: { type: "integer", description: "When it is deleted, milliseconds since the Unix epoch." },
  numRows: { type: "integer", description: "Number of its rows." },
  numBytes: { type: "integer", description: "Number of its bytes." },
  definition: { type: "map", description: "Its definition: `schema` and further properties." },
});

function pathOf({ properties }: TaskContext, client: GcpClient): string {
  const dataset = `/bigquery/v2/projects/${encodeURIComponent(client.projectId)}/datasets/${
    encodeURIComponent(String(properties.dataset))
  }/tables`;
  return `${dataset}/${encodeURIComponent(String(properties.table))}`;
}

function bodyOf({ properties }: TaskContext, client: GcpClient): Record<string, unknown> {
  const { dataset, table, tableDefinition, expirationDuration } = properties;
  const definition = isJsonObject(tableDefinition) ? tableDefinition : {};
  const standard = isJsonObject(definition.standardTableDefinition) ? definition.standardTableDefinition : {};
  const lifetimeMs = readDuration(expirationDuration);
  return {
    tableReference: { projectId: client.projectId, datasetId: dataset, tableId: table },
    schema: definition.schema,
    view: definition.viewDefinition === undefined
      ? undefined
      : { useLegacySql: false, ...definition.viewDefinition as JsonObject },
    materializedView: definition.materializedViewDefinition,
    externalDataConfiguration: definition.externalTableDefinition,
    timePartitioning: standard.timePartitioning,
    rangePartitioning: standard.rangePartitioning,
    clustering: Array.isArray(standard.clustering) ? { fields: standard.clustering } : standard.clustering,
    friendlyName: properties.friendlyName,
    description: properties.description,
    labels: properties.labels,
    expirationTime: lifetimeMs === undefined ? undefined : String(systemClock.now() + lifetimeMs),
    requirePartitionFilter: properties.requirePartitionFilter,
    encryptionConfiguration: properties.encryptionConfiguration,
  };
}

function outputsOf(body: JsonObject): JsonObject {
  const { tableReference, etag, id, selfLink, friendlyName, description, location, type, schema } = body;
  const reference = isJsonObject(tableReference) ? tableReference : {};
  const numbers = ["creationTime", "lastModifiedTime", "expirationTime", "numRows", "numBytes"]
    .flatMap((name) => body[name] === undefined ? [] : [[name, Number(body[name])]]);
  const texts = { etag, generatedId: id, selfLink, friendlyName, description, location, type };
  return {
    ...reference,
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(numbers),
    ...schema === undefined ? {} : { definition: { schema } },
  };
}

/** Outputs: `tableId`, `datasetId`, `projectId` and what BigQuery tells of the table. */
export const bigqueryCreateTable = defineTask({
  type: "gcp.bigquery.CreateTable",
  title: "Create a table of BigQuery",
  description: "Creates a table or a view.",
  properties: { ...TABLE, ...SETTINGS },
  outputs: OUTPUTS,
  async run(context) {
    const client = new GcpClient(context);
    const path = pathOf(context, client);
    const body = await client.json({
      api: "bigquery",
      path: path.slice(0, path.lastIndexOf("/")),
      json: bodyOf(context, client),
      operation: `create the table "${context.properties.table}"`,
    });
    return outputsOf(body);
  },
});

/** Outputs as those of a new table. */
export const bigqueryUpdateTable = defineTask({
  type: "gcp.bigquery.UpdateTable",
  title: "Change a table of BigQuery",
  description: "Changes the settings that are given.",
  properties: { ...TABLE, ...SETTINGS },
  outputs: OUTPUTS,
  async run(context) {
    const client = new GcpClient(context);
    const body = await client.json({
      api: "bigquery",
      path: pathOf(context, client),
      method: "PATCH",
      json: bodyOf(context, client),
      operation: `update the table "${context.properties.table}"`,
    });
    return outputsOf(body);
  },
});

/** Outputs: `project`, `dataset` and `table`. */
export const bigqueryDeleteTable = defineTask({
  type: "gcp.bigquery.DeleteTable",
  title: "Delete a table of BigQuery",
  description: "Deletes a table or a view.",
  properties: TABLE,
  outputs: {
    project: { type: "string", description: "Project of the table." },
    dataset: { type: "string", description: "Its dataset." },
    table: { type: "string", description: "Its name." },
  },
  async run(context) {
    const client = new GcpClient(context);
    const { dataset = null, table = null } = context.properties;
    const operation = `delete the table "${table}"`;
    await client.send({ api: "bigquery", path: pathOf(context, client), method: "DELETE", operation });
    return { project: client.projectId, dataset, table };
  },
});

/** Outputs as those of a new table. */
export const bigqueryTableMetadata = defineTask({
  type: "gcp.bigquery.TableMetadata",
  title: "Read the properties of a table of BigQuery",
  description: "Reads the properties of a table, among them the numbers of its rows and bytes.",
  properties: TABLE,
  outputs: OUTPUTS,
  async run(context) {
    const client = new GcpClient(context);
    const operation = `read the table "${context.properties.table}"`;
    return outputsOf(await client.json({ api: "bigquery", path: pathOf(context, client), operation }));
  },
});
