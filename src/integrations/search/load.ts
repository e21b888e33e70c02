/** `Load` and `Bulk` of search engines. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  objectsOf,
  ownProperty,
  stringifyJson,
} from "../../base/json.ts";
import {
  dynamicChoice,
  dynamicFlag,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../model/flows/schema.ts";
import {
  defineTask,
  optionalText,
  type TaskContext,
  type TaskDefinition,
} from "../../model/tasks/task_definition.ts";
import { batches } from "../given_maps.ts";
import { readRows } from "../row_files.ts";
import { CONNECTION_EXAMPLE } from "./documents.ts";
import { connectionProperties, EngineClient, type EngineKind } from "./engine.ts";

/** Most bytes of a request; servers take 100 MB by default. */
const MAX_BULK_BYTES = 10 * 1024 * 1024;
/** Failures that an error names. */
const MAX_NAMED = 5;
const ACTIONS: ReadonlySet<string> = new Set(["index", "create", "update", "delete"]);

function loadProperties(kind: EngineKind, from: string): PropertySchemas {
  return {
    ...connectionProperties(kind),
    from: dynamicText(from, { required: true }),
    chunk: dynamicProperty("integer", "Operations of one request.", {
      default: 1000,
      minimum: 1,
      maximum: 100_000,
    }),
  };
}

const OUTPUTS: PropertySchemas = { size: { type: "integer", description: "Number of operations." } };
const METRICS: NonNullable<TaskDefinition["metrics"]> = {
  "requests.count": { type: "counter", description: "Number of requests." },
  records: { type: "counter", description: "Number of operations." },
  "requests.duration": { type: "timer", description: "Time that the server took." },
};

/** Writes the rows of a file. Output: `size`. */
export function loadType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Load`,
    title: `Load rows into ${kind.title}`,
    description: `Writes each row of a stored file as a document into an index of ${kind.title}.`,
    properties: {
      ...loadProperties(kind, "Storage URI of a file of maps in Ion or JSON."),
      index: dynamicText("Name of the index.", { required: true }),
      opType: dynamicChoice(
        ["INDEX", "CREATE"],
        "INDEX",
        "Whether documents with the same id are replaced, or refused.",
      ),
      idKey: dynamicText("Member of the rows that is the id. Default are ids that the server chooses."),
      removeIdKey: dynamicFlag(true, "Whether documents are without that member."),
    },
    outputs: OUTPUTS,
    metrics: METRICS,
    examples: [{
      title: "Load a file",
      yaml:
        `id: load\ntype: io.svc.plugin.${kind.prefix}.Load\n${CONNECTION_EXAMPLE}\nfrom: "{{ outputs.query.uri }}"\nindex: orders\nidKey: id`,
    }],
    run: async (context) => await sendAll(context, loadLines(context)),
  });
}

/** Sends the operations of a file. Output: `size`. */
export function bulkType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Bulk`,
    title: `Send operations to ${kind.title}`,
    description:
      `Sends the operations of a stored file to ${kind.title}. A line names the operation, for example \`{"index": {"_index": "orders", "_id": "1"}}\`; the next one is the document, except for \`delete\`. An update adds a document that does not exist.`,
    properties: loadProperties(kind, "Storage URI of a file of operations in JSON or Ion."),
    outputs: OUTPUTS,
    metrics: METRICS,
    examples: [{
      title: "Send a file of operations",
      yaml:
        `id: bulk\ntype: io.svc.plugin.${kind.prefix}.Bulk\n${CONNECTION_EXAMPLE}\nfrom: "{{ inputs.operations }}"`,
    }],
    run: async (context) => await sendAll(context, bulkLines(context)),
  });
}

/** The lines of each operation. */
async function* loadLines(context: TaskContext): AsyncGenerator<string> {
  const { index, opType, removeIdKey } = context.properties, idKey = optionalText(context.properties.idKey);
  for await (const row of rowsOf(context)) {
    const { [idKey ?? ""]: id, ...rest } = row;
    if (idKey !== undefined && (id === undefined || id === null)) {
      throw new Error(`Invalid row: it has no "${idKey}"`);
    }
    const target = { _index: String(index), ...idKey !== undefined && { _id: String(id) } };
    const document = idKey === undefined || removeIdKey === false ? row : rest;
    yield `${stringifyJson({ [opType === "CREATE" ? "create" : "index"]: target })}\n${
      stringifyJson(document)
    }\n`;
  }
}

async function* bulkLines(context: TaskContext): AsyncGenerator<string> {
  let open: { readonly action: string; readonly line: string } | undefined;
  for await (const row of rowsOf(context)) {
    if (open) {
      yield `${open.line}\n${
        stringifyJson(open.action === "update" ? { doc: row, doc_as_upsert: true } : row)
      }\n`;
      open = undefined;
      continue;
    }
    const [action = ""] = Object.keys(row);
    if (!ACTIONS.has(action)) {
      throw new Error(`Invalid operation "${action}": it must be one of ${[...ACTIONS].join(", ")}`);
    }
    const line = stringifyJson({ [action]: ownProperty(row, action) ?? {} });
    if (action === "delete") yield `${line}\n`;
    else open = { action, line };
  }
  if (open) throw new Error(`Invalid operation "${open.action}": its document is missing`);
}

async function* rowsOf(context: TaskContext): AsyncGenerator<JsonObject> {
  const path = await context.fetchFile(String(context.properties.from).trim());
  for await (const row of readRows(path)) {
    if (!isJsonObject(row)) throw new Error("Invalid from: each row must be a map");
    yield row;
  }
}

async function sendAll(context: TaskContext, operations: AsyncIterable<string>): Promise<JsonObject> {
  const client = new EngineClient(context), encoder = new TextEncoder();
  let size = 0, requests = 0, tookMs = 0;
  const limits = { maxCount: Number(context.properties.chunk), maxBytes: MAX_BULK_BYTES };
  for await (
    const batch of batches(operations, {
      ...limits,
      sizeOf: (text) => encoder.encode(text).length,
    })
  ) {
    const response = await client.call({
      operation: `write ${batch.length} documents`,
      method: "POST",
      path: "_bulk",
      query: { routing: optionalText(context.properties.routing) },
      body: batch.join(""),
      contentType: "application/x-ndjson",
    });
    if (response.errors === true) throw failureOf(response, batch.length);
    size += batch.length;
    requests++;
    tookMs += Number(response.took ?? 0);
  }
  context.metric("requests.count", requests);
  context.metric("records", size);
  context.metric("requests.duration", tookMs, { type: "timer" });
  return { size };
}

function failureOf({ items }: JsonObject, count: number): Error {
  const results = objectsOf(items).flatMap((item) => Object.values(item)).filter(isJsonObject);
  const failed = results.filter(({ error }) => error !== undefined);
  const named = failed.slice(0, MAX_NAMED).map(({ _index, _id, status, error }) =>
    `${_index}/${_id ?? ""}: ${status} ${reasonOf(error)}`
  );
  return new Error(`Cannot write ${failed.length} of ${count} documents: ${named.join("; ")}`);
}

function reasonOf(error: JsonValue | undefined): string {
  return isJsonObject(error) ? String(error.reason ?? error.type ?? "") : String(error);
}
