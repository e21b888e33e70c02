/** `azure.storage.table.Bulk`. https://learn.microsoft.com/en-us/rest/api/storageservices/performing-entity-group-transactions */
import { isJsonObject, type JsonObject, stringifyJson } from "../../../base/json.ts";
import { tryParseShortJson } from "../../../base/json_turns.ts";
import { dynamicChoice, dynamicProperty } from "../../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../../model/tasks/task_definition.ts";
import { GIVEN_MAPS, givenMaps, memberOf } from "../../given_maps.ts";
import { refusalOf } from "../../http_calls.ts";
import { StorageClient, storageWords } from "../storage_client.ts";
import { type EntityKeys, entityPath, keysOf, TABLE, writtenEntity } from "./entities.ts";

/** Most entities of a transaction. */
const MAX_COUNT = 100;
/** Most characters of a transaction, which may have 4 MiB. */
const MAX_CHARS = 1024 * 1024;

/** How each type is sent. */
const OPERATIONS: ReadonlyMap<string, { readonly method: string; readonly mustExist?: boolean }> = new Map([
  ["CREATE", { method: "POST" }],
  ["UPSERT_MERGE", { method: "MERGE" }],
  ["UPSERT_REPLACE", { method: "PUT" }],
  ["UPDATE_MERGE", { method: "MERGE", mustExist: true }],
  ["UPDATE_REPLACE", { method: "PUT", mustExist: true }],
  ["DELETE", { method: "DELETE", mustExist: true }],
]);
const TYPES = [...OPERATIONS.keys()];

/** A change of one entity. */
interface Change {
  readonly keys: EntityKeys;
  readonly type: string;
  /** As a part of a transaction. */
  readonly text: string;
}

/** Output: `count`. */
export const tableBulk = defineTask({
  type: "azure.storage.table.Bulk",
  title: "Write entities of Azure Table Storage",
  description:
    "Creates, changes or deletes entities of a table of Azure Table Storage, up to 100 neighbours of one partition " +
    "in a transaction.",
  properties: {
    ...TABLE,
    from: dynamicProperty(
      "any",
      `Entities, each with \`partitionKey\`, \`rowKey\`, \`properties\` and maybe \`type\`: ${GIVEN_MAPS}.`,
      { required: true },
    ),
    defaultType: dynamicChoice(TYPES, "UPSERT_REPLACE", "What is done with entities without a `type`."),
  },
  outputs: { count: { type: "integer", description: "Number of entities." } },
  metrics: { records: { type: "counter", description: "Number of entities." } },
  examples: [{
    title: "Write a color",
    yaml: `id: bulk
type: io.svc.plugin.azure.storage.table.Bulk
connectionString: "{{ secret('AZURE_CONNECTION') }}"
table: colors
from:
  - partitionKey: color
    rowKey: green
    type: UPSERT_MERGE
    properties:
      code: 00FF00`,
  }],
  async run(context) {
    const { table, defaultType } = context.properties;
    const client = new StorageClient(context, "table");
    const place = { client, table: String(table) };
    let count = 0, open: Change[] = [], chars = 0;
    for await (const row of givenMaps(context, "from")) {
      const change = changeOf(place, row, String(defaultType));
      const isSame = open[0]?.keys.partitionKey === change.keys.partitionKey;
      if (
        open.length > 0 && (!isSame || open.length === MAX_COUNT || chars + change.text.length > MAX_CHARS)
      ) {
        await commit(place, open);
        [open, chars] = [[], 0];
      }
      open.push(change);
      chars += change.text.length;
      count++;
    }
    if (open.length > 0) await commit(place, open);
    context.metric("records", count);
    return { count };
  },
});

interface TablePlace {
  readonly client: StorageClient;
  readonly table: string;
}

/** @throws Error the row is no change */
function changeOf({ client, table }: TablePlace, row: JsonObject, defaultType: string): Change {
  const keys = keysOf(row), type = optionalText(memberOf(row, "type")) ?? defaultType;
  const operation = OPERATIONS.get(type);
  if (!operation) throw new Error(`Invalid type "${type}": it must be one of ${TYPES.join(", ")}`);
  const { method, mustExist } = operation;
  const path = method === "POST" ? `/${encodeURIComponent(table)}` : entityPath(table, keys);
  const head = [
    `${method} ${client.endpoint}${path} HTTP/1.1`,
    "Accept: application/json;odata=nometadata",
    ...method === "POST" ? ["Prefer: return-no-content"] : [],
    ...mustExist ? ["If-Match: *"] : [],
  ];
  if (method === "DELETE") return { keys, type, text: `${head.join("\r\n")}\r\n\r\n` };
  const body = stringifyJson(writtenEntity(keys, memberOf(row, "properties")));
  return { keys, type, text: `${head.join("\r\n")}\r\nContent-Type: application/json\r\n\r\n${body}` };
}

/** @throws Error the storage refuses the transaction, which changes nothing then */
async function commit({ client, table }: TablePlace, changes: readonly Change[]): Promise<void> {
  const id = crypto.getRandomValues(new Uint8Array(16)).toHex(), boundary = `changeset_${id}`;
  const parts = changes.map(({ text }) =>
    `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n\r\n${text}\r\n`
  );
  const operation = `write ${changes.length} entities of the table "${table}"`;
  const url = `${client.endpoint}/$batch`;
  const { text } = await client.sendTo({
    url,
    method: "POST",
    headers: {
      "Content-Type": `multipart/mixed; boundary=batch_${id}`,
      DataServiceVersion: "3.0",
      MaxDataServiceVersion: "3.0;NetFx",
    },
    body: `--batch_${id}\r\nContent-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${
      parts.join("")
    }--${boundary}--\r\n--batch_${id}--\r\n`,
    operation,
    // What was created or deleted is no longer so at a second time.
    isRepeatable: changes.every(({ type }) => type !== "CREATE" && type !== "DELETE"),
  });
  const status = Number(/^HTTP\/1\.1 ([45]\d\d)/m.exec(text)?.[1] ?? 0);
  if (status > 0) throw refusalOf({ operation, url, status, words: batchWords(text) });
}

/** The error of a change follows the head of its response; its words begin with the position in the transaction. */
function batchWords(text: string): string {
  const json = tryParseShortJson(/^\{.*\}/m.exec(text)?.[0] ?? "");
  return (isJsonObject(json) ? storageWords(json) : undefined) ?? text;
}
