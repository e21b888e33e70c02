/**
 * `elasticsearch.Esql` and `opensearch.Ppl`: queries whose steps are joined by pipes.
 * https://www.elastic.co/docs/api/doc/elasticsearch/operation/operation-esql-query
 * https://docs.opensearch.org/latest/search-plugins/sql/sql-ppl-api/
 */
import { writeFile } from "node:fs/promises";
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, setOwnProperty } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import { defineTask, type TaskContext, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { checkColumns, checkRow } from "../result_columns.ts";
import { CONNECTION_EXAMPLE } from "./documents.ts";
import { connectionProperties, EngineClient, type EngineKind, mapOf } from "./engine.ts";

const OUTPUTS: PropertySchemas = Object.freeze({
  ...ROWS_OUTPUTS,
  total: { type: "integer", description: "Number of rows of the query." },
});

function queryProperties(kind: EngineKind): PropertySchemas {
  return {
    ...connectionProperties(kind),
    routing: dynamicText("Has no effect: queries name their indexes.", { ignored: true }),
    query: dynamicText("The query.", { required: true }),
    fetchType: { ...FETCH_TYPE, default: "FETCH" },
  };
}

/** The outputs for the cells of rows. */
async function queried(
  context: TaskContext,
  columns: readonly JsonObject[],
  cells: JsonValue | undefined,
): Promise<JsonObject> {
  const list = Array.isArray(cells) ? cells.filter((row) => Array.isArray(row)) : [];
  checkColumns(columns.map(({ name }) => ({ name: String(name) })));
  const rows = async function* () {
    for (const values of list) {
      checkRow(columns, values);
      const row: JsonObject = {};
      for (const [index, { name }] of columns.entries()) {
        setOwnProperty(row, String(name), values[index] ?? null);
      }
      yield row;
    }
  };
  context.metric("records", list.length);
  return { ...await fetchedRows(context, rows(), String(context.properties.fetchType)), total: list.length };
}

/** Runs a query of ES|QL. Outputs: `total`, `size`, and `rows`, `row` or `uri`. */
export function esqlType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Esql`,
    title: `Query ${kind.title} by ES|QL`,
    description: `Runs a query of the language ES|QL in ${kind.title}.`,
    properties: {
      ...queryProperties(kind),
      filter: dynamicProperty("any", "Search that selects the documents first, a map or its JSON."),
    },
    outputs: OUTPUTS,
    metrics: {
      records: { type: "counter", description: "Number of rows." },
      "requests.count": { type: "counter", description: "Number of requests." },
      "requests.duration": { type: "timer", description: "Time that the server took." },
    },
    examples: [{
      title: "Find the longest books",
      yaml: `id: query\ntype: io.svc.plugin.${kind.prefix}.Esql\n${CONNECTION_EXAMPLE}\nquery: |
  FROM books
    | KEEP author, name, page_count
    | SORT page_count DESC
    | LIMIT 5`,
    }],
    async run(context) {
      const { query = null, filter } = context.properties;
      const { columns = null, values, took } = await new EngineClient(context).call({
        operation: "run the query",
        method: "POST",
        path: "_query",
        body: { query, ...filter !== undefined && { filter: mapOf("filter", filter) } },
        isRepeatable: true,
      });
      context.metric("requests.count", 1);
      context.metric("requests.duration", Number(took ?? 0), { type: "timer" });
      return await queried(context, objectsOf(columns), values);
    },
  });
}

/** Runs a query of PPL. Outputs: `total`, `size`, and `rows`, `row` or `uri`; of a format that is a text `text` or `uri`. */
export function pplType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Ppl`,
    title: `Query ${kind.title} by PPL`,
    description: `Runs a query of the Piped Processing Language in ${kind.title}.`,
    properties: {
      ...queryProperties(kind),
      format: dynamicChoice(
        ["JDBC", "CSV", "RAW"],
        "JDBC",
        "Form of the response: rows, or a text with commas or bars between its fields.",
      ),
      fetchSize: dynamicProperty("integer", "Most rows of the response.", { minimum: 1 }),
    },
    outputs: { ...OUTPUTS, text: { type: "string", description: "The response of `CSV` or `RAW`." } },
    metrics: { records: { type: "counter", description: "Number of rows." } },
    examples: [{
      title: "Count accounts",
      yaml: `id: query\ntype: io.svc.plugin.${kind.prefix}.Ppl\n${CONNECTION_EXAMPLE}
query: source=accounts | where age > 30 | stats count() by gender`,
    }],
    async run(context) {
      const { query = null, format, fetchSize, fetchType } = context.properties;
      const { text } = await new EngineClient(context).send({
        operation: "run the query",
        method: "POST",
        path: "_plugins/_ppl",
        query: { format: String(format).toLowerCase() },
        body: { query, ...fetchSize !== undefined && { fetch_size: fetchSize } },
        isRepeatable: true,
      });
      if (format !== "JDBC") return fetchType === "STORE" ? await storedText(context, text) : { text };
      const response = await tryParseLongJson(text);
      if (!isJsonObject(response)) throw new Error("Cannot run the query: the response is no JSON");
      const columns = objectsOf(response.schema).map(({ name = null, alias }) => ({ name: alias ?? name }));
      return await queried(context, columns, response.datarows);
    },
  });
}

async function storedText(context: TaskContext, text: string): Promise<JsonObject> {
  const path = `${await context.directory()}/rows.txt`;
  await writeFile(path, text);
  return { uri: await context.storeFile(path) };
}
