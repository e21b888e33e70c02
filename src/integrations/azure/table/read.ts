/** `azure.storage.table.List`, `Get` and `Delete`. https://learn.microsoft.com/en-us/rest/api/storageservices/table-service-rest-api */
import { isJsonObject, type JsonObject, objectsOf } from "../../../base/json.ts";
import { tryParseLongJson } from "../../../base/json_turns.ts";
import { dynamicProperty, dynamicText } from "../../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../../model/tasks/task_definition.ts";
import { storedRows } from "../../fetched_rows.ts";
import { StorageClient } from "../storage_client.ts";
import { ENTITY, entityPath, joined, KEYS, keysOf, READ_HEADERS, readEntity, TABLE } from "./entities.ts";

const EXAMPLE = `connectionString: "{{ secret('AZURE_CONNECTION') }}"\ntable: colors`;

/** Outputs: `uri` and `count`. */
export const tableList = defineTask({
  type: "azure.storage.table.List",
  title: "List entities of Azure Table Storage",
  description: "Stores the entities of a table of Azure Table Storage as Ion.",
  properties: {
    ...TABLE,
    filter: dynamicText("Condition of OData, such as `PartitionKey eq 'color'`; default is all entities."),
    select: dynamicProperty("list", "Names of the properties; default is all.", {
      items: { type: "string", description: "Name of a property." },
    }),
    top: dynamicProperty("integer", "Entities of each page that is read.", { minimum: 1, maximum: 1000 }),
    maxFiles: dynamicProperty("integer", "Most entities that are stored.", { default: 25, minimum: 1 }),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the entities as Ion." },
    count: { type: "integer", description: "Number of entities." },
  },
  metrics: { "records.count": { type: "counter", description: "Number of entities." } },
  examples: [{
    title: "Store the entities of a partition",
    yaml:
      `id: list\ntype: io.svc.plugin.azure.storage.table.List\n${EXAMPLE}\nfilter: PartitionKey eq 'color'`,
  }],
  async run(context) {
    const { uri, size } = await storedRows(context, entitiesOf(context));
    context.metric("records.count", size);
    return { uri, count: size };
  },
});

async function* entitiesOf(context: TaskContext): AsyncGenerator<JsonObject> {
  const { table, filter, select, top, maxFiles } = context.properties;
  const client = new StorageClient(context, "table");
  const maxCount = Number(maxFiles);
  let place: Record<string, string | undefined> | undefined = {}, count = 0;
  while (place) {
    const { text, headers } = await client.sendTo({
      url: `${client.endpoint}/${encodeURIComponent(String(table))}()`,
      query: {
        $filter: optionalText(filter),
        $select: joined(select),
        $top: optionalText(top),
        ...place,
      },
      headers: READ_HEADERS,
      operation: `list the table "${table}"`,
    });
    const page = await tryParseLongJson(text);
    for (const entity of isJsonObject(page) ? objectsOf(page.value) : []) {
      if (count++ === maxCount) {
        context.log("WARN", `The table "${table}" has more than ${maxCount} entities: raise maxFiles`);
        return;
      }
      yield readEntity(entity);
    }
    place = nextPlace(headers);
  }
}

/** Where the next page begins; a page may be empty. */
function nextPlace(
  headers: Readonly<Record<string, string>>,
): Record<string, string | undefined> | undefined {
  const partition = headers["x-ms-continuation-nextpartitionkey"];
  if (partition === undefined) return undefined;
  return { NextPartitionKey: partition, NextRowKey: headers["x-ms-continuation-nextrowkey"] };
}

/** Output: `row`. */
export const tableGet = defineTask({
  type: "azure.storage.table.Get",
  title: "Get an entity of Azure Table Storage",
  description: "Reads an entity of a table of Azure Table Storage.",
  properties: { ...TABLE, ...KEYS },
  outputs: { row: ENTITY },
  examples: [{
    title: "Get an entity",
    yaml:
      `id: get\ntype: io.svc.plugin.azure.storage.table.Get\n${EXAMPLE}\npartitionKey: color\nrowKey: green`,
  }],
  async run(context) {
    const client = new StorageClient(context, "table");
    const { table } = context.properties, keys = keysOf(context.properties);
    const { text } = await client.sendTo({
      url: `${client.endpoint}${entityPath(String(table), keys)}`,
      headers: READ_HEADERS,
      operation: `read the entity "${keys.partitionKey}", "${keys.rowKey}" of the table "${table}"`,
    });
    const entity = await tryParseLongJson(text);
    return { row: readEntity(isJsonObject(entity) ? entity : {}) };
  },
});

/** Deletes an entity; one that does not exist is no failure. */
export const tableDelete = defineTask({
  type: "azure.storage.table.Delete",
  title: "Delete an entity of Azure Table Storage",
  description: "Deletes an entity of a table of Azure Table Storage. One that does not exist is no failure.",
  properties: { ...TABLE, ...KEYS },
  examples: [{
    title: "Delete an entity",
    yaml:
      `id: delete\ntype: io.svc.plugin.azure.storage.table.Delete\n${EXAMPLE}\npartitionKey: color\nrowKey: green`,
  }],
  async run(context) {
    const client = new StorageClient(context, "table");
    const { table } = context.properties, keys = keysOf(context.properties);
    await client.sendTo({
      url: `${client.endpoint}${entityPath(String(table), keys)}`,
      method: "DELETE",
      headers: { ...READ_HEADERS, "If-Match": "*" },
      accepted: [404],
      operation: `delete the entity "${keys.partitionKey}", "${keys.rowKey}" of the table "${table}"`,
    });
  },
});
