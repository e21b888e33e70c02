/** `Search` and `Scroll` of search engines. */
import { isJsonObject, type JsonObject, objectsOf } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskContext,
  type TaskDefinition,
} from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { CONNECTION_EXAMPLE } from "./documents.ts";
import { connectionProperties, EngineClient, type EngineKind, type EngineRequest, mapOf } from "./engine.ts";

/** How long the server keeps the position of a scroll after each request. */
const SCROLL_TIME = "60s";

function searchProperties(kind: EngineKind): PropertySchemas {
  return {
    ...connectionProperties(kind),
    indexes: dynamicProperty("list", "Names of the indexes; default is all.", {
      items: { type: "string", description: "Name of an index." },
    }),
    request: dynamicProperty("any", "The search, a map or its JSON.", { required: true }),
    contentType: dynamicText("Has no effect: searches are JSON.", { ignored: true }),
  };
}

const METRICS: NonNullable<TaskDefinition["metrics"]> = {
  "requests.count": { type: "counter", description: "Number of requests." },
  records: { type: "counter", description: "Number of documents." },
  "requests.duration": { type: "timer", description: "Time that the server took." },
};

function searchRequest({ properties }: TaskContext, query: EngineRequest["query"] = {}): EngineRequest {
  const indexes = Array.isArray(properties.indexes) ? properties.indexes.map(String) : [];
  const target = indexes.length === 0 ? "" : `${indexes.map(encodeURIComponent).join(",")}/`;
  return {
    operation: "search",
    method: "POST",
    path: `${target}_search`,
    query: { routing: optionalText(properties.routing), ...query },
    body: mapOf("request", properties.request),
    isRepeatable: true,
  };
}

/** The documents of a response. */
function documentsOf({ hits }: JsonObject): JsonObject[] {
  const found = isJsonObject(hits) ? objectsOf(hits.hits) : [];
  return found.map(({ _source }) => isJsonObject(_source) ? _source : {});
}

function report(context: TaskContext, counts: { requests: number; records: number; tookMs: number }): void {
  context.metric("requests.count", counts.requests);
  context.metric("records", counts.records);
  context.metric("requests.duration", counts.tookMs, { type: "timer" });
}

/** Searches. Outputs: `total`, `size`, and `rows`, `row` or `uri`. */
export function searchType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Search`,
    title: `Search in ${kind.title}`,
    description: `Searches for documents of ${kind.title} and gives those of one response.`,
    properties: { ...searchProperties(kind), fetchType: { ...FETCH_TYPE, default: "FETCH" } },
    outputs: { ...ROWS_OUTPUTS, total: { type: "integer", description: "Number of documents that match." } },
    metrics: METRICS,
    examples: [{
      title: "Search for the orders of a customer",
      yaml:
        `id: search\ntype: io.svc.plugin.${kind.prefix}.Search\n${CONNECTION_EXAMPLE}\nindexes: [orders]\nrequest:\n  query:\n    term:\n      customer: Ann`,
    }],
    async run(context) {
      const response = await new EngineClient(context).call(searchRequest(context));
      const documents = documentsOf(response);
      const rows = async function* () {
        yield* documents;
      };
      const fetched = await fetchedRows(context, rows(), String(context.properties.fetchType));
      report(context, { requests: 1, records: documents.length, tookMs: Number(response.took ?? 0) });
      const { total = null } = isJsonObject(response.hits) ? response.hits : {};
      return { ...fetched, total: isJsonObject(total) ? total.value ?? null : total };
    },
  });
}

/** Reads all documents of a search. Outputs: `uri` and `size`. */
export function scrollType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Scroll`,
    title: `Store all results of a search in ${kind.title}`,
    description: `Searches for documents of ${kind.title} and stores all of them as Ion.`,
    properties: searchProperties(kind),
    outputs: {
      uri: { type: "string", description: "Storage URI of the documents as Ion." },
      size: { type: "integer", description: "Number of documents." },
    },
    metrics: METRICS,
    examples: [{
      title: "Store all orders",
      yaml:
        `id: scroll\ntype: io.svc.plugin.${kind.prefix}.Scroll\n${CONNECTION_EXAMPLE}\nindexes: [orders]\nrequest:\n  size: 1000\n  query:\n    match_all: {}`,
    }],
    async run(context) {
      const counts = { requests: 0, records: 0, tookMs: 0 };
      const outputs = await fetchedRows(context, scrolled(context, counts), "STORE");
      report(context, counts);
      return outputs;
    },
  });
}

async function* scrolled(
  context: TaskContext,
  counts: { requests: number; records: number; tookMs: number },
): AsyncGenerator<JsonObject> {
  const client = new EngineClient(context);
  const next = { operation: "read on with a scroll", method: "POST", path: "_search/scroll" };
  let request = searchRequest(context, { scroll: SCROLL_TIME }), id: string | undefined;
  try {
    for (;;) {
      const response = await client.call(request);
      const documents = documentsOf(response);
      id = optionalText(response._scroll_id) ?? id;
      counts.requests++;
      counts.records += documents.length;
      counts.tookMs += Number(response.took ?? 0);
      yield* documents;
      if (documents.length === 0 || id === undefined) return;
      request = { ...next, body: { scroll: SCROLL_TIME, scroll_id: id } };
    }
  } finally {
    if (id !== undefined) await forget(client, id, context);
  }
}

/** The server would forget the position after some time. */
async function forget(client: EngineClient, id: string, context: TaskContext): Promise<void> {
  try {
    const body = { scroll_id: [id] };
    await client.send({ operation: "end a scroll", method: "DELETE", path: "_search/scroll", body });
  } catch (error) {
    context.log("WARN", (error as Error).message);
  }
}
