/** `Get`, `Put` and `Request` of search engines. */
import { isJsonObject } from "../../base/json.ts";
import { tryParseLongJson } from "../../base/json_turns.ts";
import { dynamicChoice, dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import { connectionProperties, EngineClient, type EngineKind, mapOf } from "./engine.ts";

const NOT_FOUND = 404;
const REFRESHES: ReadonlyMap<string, string | undefined> = new Map([
  ["IMMEDIATE", "true"],
  ["WAIT_UNTIL", "wait_for"],
  ["NONE", undefined],
]);

/** The connection of an example. */
export const CONNECTION_EXAMPLE = `connection:
  hosts: [https://search.example.com:9200]
  basicAuth:
    username: flows
    password: "{{ secret('SEARCH_PASSWORD') }}"`;

/** Reads a document. Output: `row`. */
export function getType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Get`,
    title: `Get a document of ${kind.title}`,
    description: `Reads a document of an index of ${kind.title}.`,
    properties: {
      ...connectionProperties(kind),
      index: dynamicText("Name of the index.", { required: true }),
      key: dynamicText("Id of the document.", { required: true }),
      docVersion: dynamicProperty("integer", "Version that the document must have."),
      errorOnMissing: dynamicFlag(false, "Whether the task fails if there is no such document."),
    },
    outputs: { row: { type: "map", description: "The document; null if it does not exist." } },
    examples: [{
      title: "Get a document",
      yaml:
        `id: get\ntype: io.svc.plugin.${kind.prefix}.Get\n${CONNECTION_EXAMPLE}\nindex: orders\nkey: "42"`,
    }],
    async run(context) {
      const { errorOnMissing } = context.properties;
      const index = String(context.properties.index), key = String(context.properties.key);
      const { found, error, _source } = await new EngineClient(context).call({
        operation: `get "${key}" of the index "${index}"`,
        method: "GET",
        path: `${encodeURIComponent(index)}/_doc/${encodeURIComponent(key)}`,
        query: {
          routing: optionalText(context.properties.routing),
          version: optionalText(context.properties.docVersion),
        },
        isRepeatable: true,
        accepts: [NOT_FOUND],
      });
      if (isJsonObject(error)) {
        throw new Error(`Cannot get "${key}" of the index "${index}": ${error.reason}`);
      }
      if (isJsonObject(_source) && found === true) return { row: _source };
      if (errorOnMissing === true) {
        throw new Error(`Cannot get "${key}" of the index "${index}": it does not exist`);
      }
      return { row: null };
    },
  });
}

/** Writes a document. Outputs: `id`, `result` and `version`. */
export function putType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Put`,
    title: `Put a document into ${kind.title}`,
    description: `Writes a document into an index of ${kind.title}.`,
    properties: {
      ...connectionProperties(kind),
      index: dynamicText("Name of the index.", { required: true }),
      key: dynamicText("Id of the document. Default is one that the server chooses."),
      value: dynamicProperty("any", "The document, a map or its JSON.", { required: true }),
      opType: dynamicChoice(
        ["INDEX", "CREATE"],
        "INDEX",
        "Whether a document with that id is replaced, or refused.",
      ),
      refreshPolicy: dynamicChoice(
        [...REFRESHES.keys()],
        "NONE",
        "Whether searches find the document at once, when the task ends, or later.",
      ),
      contentType: dynamicText("Has no effect: documents are JSON.", { ignored: true }),
    },
    outputs: {
      id: { type: "string", description: "Id of the document." },
      result: { type: "string", description: "`Created` or `Updated`." },
      version: { type: "integer", description: "Version of the document." },
    },
    examples: [{
      title: "Put a document",
      yaml:
        `id: put\ntype: io.svc.plugin.${kind.prefix}.Put\n${CONNECTION_EXAMPLE}\nindex: orders\nkey: "42"\nvalue:\n  customer: Ann`,
    }],
    async run(context) {
      const { value, opType, refreshPolicy } = context.properties;
      const index = String(context.properties.index), key = optionalText(context.properties.key);
      const written = await new EngineClient(context).call({
        operation: `put a document into the index "${index}"`,
        method: key === undefined ? "POST" : "PUT",
        path: `${encodeURIComponent(index)}/_doc${key === undefined ? "" : `/${encodeURIComponent(key)}`}`,
        query: {
          routing: optionalText(context.properties.routing),
          refresh: REFRESHES.get(String(refreshPolicy)),
          op_type: opType === "CREATE" ? "create" : undefined,
        },
        body: mapOf("value", value),
      });
      const result = String(written.result ?? "");
      return {
        id: written._id ?? null,
        result: `${result.slice(0, 1).toUpperCase()}${result.slice(1)}`,
        version: written._version ?? null,
      };
    },
  });
}

/** Sends a request. Outputs: `status` and `response`. */
export function requestType(kind: EngineKind): TaskDefinition {
  return defineTask({
    type: `${kind.prefix}.Request`,
    title: `Send a request to ${kind.title}`,
    description: `Sends any request to the API of ${kind.title}.`,
    properties: {
      ...connectionProperties(kind),
      method: dynamicChoice(
        ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"],
        "GET",
        "Method of the request.",
      ),
      endpoint: dynamicText("Path, for example `my_index/_search`.", { required: true }),
      parameters: dynamicProperty("map", "Parameters of the URL.", {
        items: { type: "string", description: "A parameter." },
      }),
      body: dynamicProperty("any", "Body: a map, a list or a text, sent as JSON."),
    },
    outputs: {
      status: { type: "integer", description: "Status of the response." },
      response: { type: "any", description: "Body of the response." },
    },
    examples: [{
      title: "Create an index",
      yaml:
        `id: create\ntype: io.svc.plugin.${kind.prefix}.Request\n${CONNECTION_EXAMPLE}\nmethod: PUT\nendpoint: orders\nbody:\n  settings:\n    number_of_shards: 1`,
    }],
    async run(context) {
      const { method, parameters, body } = context.properties;
      const endpoint = String(context.properties.endpoint), verb = String(method);
      const given = isJsonObject(parameters) ? Object.entries(parameters) : [];
      const { status, text } = await new EngineClient(context).send({
        operation: `send ${verb} ${endpoint}`,
        method: verb,
        path: endpoint,
        query: {
          ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])),
          routing: optionalText(context.properties.routing),
        },
        ...body !== undefined && body !== null && { body },
        isRepeatable: verb === "GET" || verb === "HEAD",
        accepts: verb === "HEAD" ? [NOT_FOUND] : [],
      });
      return { status, response: await tryParseLongJson(text) ?? text };
    },
  });
}
