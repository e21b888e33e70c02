/** Operations on flows, their types (plugins) and expressions. */
import {
  ANY_JSON,
  CSV,
  FILE,
  fileForm,
  FLOW_FILTERS,
  json,
  JSON_OBJECT,
  type Operations,
  PAGE,
  TEXTS,
  YAML,
} from "../operation.ts";
import { listOf, MAP, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const FLOW = json(ref("Flow"));
const FLOWS = json(listOf(ref("Flow")));
const SAVED = json(ref("FlowWithSource"));
const SAVED_LIST = json(listOf(ref("FlowWithSource")));
const KEYS = json(listOf(ref("FlowKey")));
const COUNT = json(ref("Count"));
const CHECK = json(ref("FlowCheck"));
const GRAPH = json(ref("Graph"));
const DEPENDENCIES = json(ref("Dependencies"));
const PART = { ...JSON_OBJECT, ...YAML };
const MATCHES = json(pageOf(objectOf({ model: ref("Flow"), fragments: listOf(TEXT) })));

const FLOW_ROWS: Operations = [
  ["POST /flows", "Creates a flow", { body: YAML, response: SAVED }],
  ["GET /flows/search", "Searches flows", {
    query: [...PAGE, ...FLOW_FILTERS],
    response: json(pageOf(ref("Flow"))),
  }],
  ["GET /flows/source", "Searches the sources of flows", {
    query: ["q", "namespace", ...PAGE],
    response: MATCHES,
  }],
  ["GET /flows/distinct-namespaces", "Lists namespaces with flows", { query: ["q"], response: TEXTS }],
  ["GET /flows/deprecated", "Lists flows with deprecated types", {
    query: ["namespace"],
    response: json(listOf(MAP)),
  }],
  ["POST /flows/validate", "Validates sources", { body: YAML, response: json(listOf(ref("FlowCheck"))) }],
  ["POST /flows/validate/task", "Validates a task", { query: ["section"], body: PART, response: CHECK }],
  ["POST /flows/validate/trigger", "Validates a trigger", { body: PART, response: CHECK }],
  ["POST /flows/expressions", "Lists the variables that expressions of a task can use", {
    query: ["taskId"],
    body: YAML,
    response: JSON_OBJECT,
  }],
  ["POST /flows/graph", "Gets the graph of a source", { body: YAML, response: GRAPH }],
  ["POST /flows/bulk", "Saves several flows, and deletes those not listed", {
    query: ["delete", "namespace", "allowNamespaceChild"],
    body: YAML,
    response: SAVED_LIST,
  }],
  ["POST /flows/import", "Imports flows from a file", {
    query: ["failOnError"],
    body: fileForm("fileUpload"),
    response: TEXTS,
  }],
  ["GET /flows/export/by-query", "Exports sources as a zip", { query: FLOW_FILTERS, response: FILE }],
  ["POST /flows/export/by-ids", "Exports sources as a zip", { body: KEYS, response: FILE }],
  ["GET /flows/export/by-query/csv", "Exports flows as CSV", { query: FLOW_FILTERS, response: CSV }],
  ["DELETE /flows/delete/by-query", "Deletes flows", { query: FLOW_FILTERS, response: COUNT }],
  ["DELETE /flows/delete/by-ids", "Deletes flows", { body: KEYS, response: COUNT }],
  ["POST /flows/enable/by-query", "Enables flows", { query: FLOW_FILTERS, response: COUNT }],
  ["POST /flows/enable/by-ids", "Enables flows", { body: KEYS, response: COUNT }],
  ["POST /flows/disable/by-query", "Disables flows", { query: FLOW_FILTERS, response: COUNT }],
  ["POST /flows/disable/by-ids", "Disables flows", { body: KEYS, response: COUNT }],
  ["GET /flows/{namespace}", "Lists the flows of exactly this namespace", { response: FLOWS }],
  ["POST /flows/{namespace}", "Replaces the flows of a namespace", {
    query: ["delete", "override"],
    body: YAML,
    response: SAVED_LIST,
  }],
  ["GET /flows/{namespace}/{flowId}", "Gets a flow", {
    query: ["revision", "source", "allowDeleted"],
    response: FLOW,
  }],
  ["PUT /flows/{namespace}/{flowId}", "Saves a new revision; `If-Match` names the expected latest one", {
    headers: ["If-Match"],
    body: YAML,
    response: SAVED,
  }],
  ["DELETE /flows/{namespace}/{flowId}", "Deletes a flow", { status: 204 }],
  ["GET /flows/{namespace}/{flowId}/revisions", "Lists all revisions, oldest first", {
    query: ["allowDelete", "allowDeleted"],
    response: SAVED_LIST,
  }],
  ["DELETE /flows/{namespace}/{flowId}/revisions", "Deletes revisions other than the latest", {
    query: ["revisions[]!"],
  }],
  ["GET /flows/{namespace}/{flowId}/tasks/{taskId}", "Gets a task, also a nested one", {
    query: ["revision"],
    response: json(ref("Task")),
  }],
  ["GET /flows/{namespace}/{flowId}/graph", "Gets the graph of a flow", {
    query: ["revision", "subflows"],
    response: GRAPH,
  }],
  ["GET /flows/{namespace}/{flowId}/dependencies", "Lists flows that start it or are started by it", {
    query: ["destinationOnly", "expandAll"],
    response: DEPENDENCIES,
  }],
  ["GET /dependencies", "Lists the dependencies of all flows", {
    query: ["destinationOnly", ...FLOW_FILTERS],
    response: DEPENDENCIES,
  }],
  ["GET /namespaces/{namespace}/dependencies", "Lists the dependencies of the flows of a namespace", {
    query: ["destinationOnly"],
    response: DEPENDENCIES,
  }],
  ["GET /executions/namespaces", "Lists namespaces with enabled flows", { response: TEXTS }],
  ["GET /executions/namespaces/{namespace}/flows", "Lists the enabled flows of a namespace", {
    response: FLOWS,
  }],
  ["GET /executions/flows/{namespace}/{flowId}", "Gets a flow to start", {
    query: ["revision"],
    response: FLOW,
  }],
  ["GET /executions/{id}/flow", "Gets the flow revision of an execution", { response: FLOW }],
  ["GET /executions/{id}/graph", "Gets the graph of an execution", { query: ["subflows"], response: GRAPH }],
];

const EXPRESSION_ROWS: Operations = [
  ["POST /expressions/render", "Renders expressions", {
    body: json(objectOf({ expressions: listOf(TEXT) })),
    response: json(objectOf({ rendered: MAP })),
  }],
  ["GET /pebble/filters", "Lists the filters of expressions", { response: TEXTS }],
  ["GET /pebble/functions", "Lists the functions of expressions", { response: TEXTS }],
];

const PLUGIN_ROWS: Operations = [
  ["GET /plugins", "Lists plugins with their types; paged on request", { query: PAGE, response: ANY_JSON }],
  ["GET /plugins/schemas/{kind}", "Gets the JSON Schema of a flow or a part of it", {
    query: ["arrayOf"],
    response: JSON_OBJECT,
  }],
  ["GET /plugins/properties/{kind}", "Gets the properties of a kind", { response: JSON_OBJECT }],
  ["GET /plugins/triggers", "Lists trigger types", { response: ANY_JSON }],
  ["GET /plugins/groups/subgroups", "Lists groups of types", { response: ANY_JSON }],
  ["GET /plugins/inputs", "Lists input types", { response: json(listOf(MAP)) }],
  ["GET /plugins/inputs/{type}", "Gets an input type", { response: JSON_OBJECT }],
  ["GET /plugins/icons", "Gets the icons by type", { response: JSON_OBJECT }],
  ["GET /plugins/icons/groups", "Gets the icons by group", { response: JSON_OBJECT }],
  ["GET /plugins/icons/{cls}", "Gets the icon of a type", { response: JSON_OBJECT }],
  ["GET /plugins/icons/{cls}/icon.svg", "Gets the icon of a type as an image", {
    response: { "image/svg+xml": TEXT },
  }],
  ["POST /plugins/pluginUiManifest", "Gets the UI pages of types; always none", {
    body: ANY_JSON,
    response: JSON_OBJECT,
  }],
  ["GET /plugins/{cls}", "Gets the documentation of a type", { query: ["all"], response: JSON_OBJECT }],
  ["GET /plugins/{cls}/versions", "Lists the versions of a type", { response: JSON_OBJECT }],
  ["GET /plugins/{cls}/versions/{version}", "Gets the documentation of a version", { response: JSON_OBJECT }],
];

/** By method and path. */
export const FLOW_OPERATIONS: Operations = [...FLOW_ROWS, ...EXPRESSION_ROWS, ...PLUGIN_ROWS];
