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
import { anyOf, ANYTHING, listOf, MAP, mapOf, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const FLOW = json(ref("Flow"));
const FLOWS = json(listOf(ref("Flow")));
const SAVED = json(ref("FlowWithSource"));
const SAVED_LIST = json(listOf(ref("FlowWithSource")));
const KEYS = json(listOf(ref("FlowKey")));
const COUNT = json(ref("Count"));
const CHECK = json(ref("FlowCheck"));
const GRAPH = json(ref("Graph"));
const DEPENDENCIES = json(ref("Dependencies"));
const TEST_CASE = { ...json(ref("UnitTest")), ...YAML };
const PART = { ...JSON_OBJECT, ...YAML };
const BLUEPRINT_PAGE = pageOf(ref("BlueprintItem"));
const BLUEPRINT_LIST = { query: ["q", "tags[]", "filters", ...PAGE], response: json(BLUEPRINT_PAGE) };
/** Older paths leave out the kind, so that a template or the tags are where lists are now. */
const BLUEPRINT_OR_TAGS = [ref("Blueprint"), listOf(ref("BlueprintTag"))];
const BLUEPRINT_PART = { ...GRAPH, "application/yaml": TEXT };
const PLUGINS = listOf(ref("Plugin"));
const DOCUMENTATION = json(ref("PluginDocumentation"));
const ICONS = json(mapOf(ref("PluginIcon")));
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
    response: json(ref("ExpressionVariables")),
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
  ["PATCH /flows/{namespace}/{flowId}/{taskId}", "Replaces a task, also a nested one, by a new revision", {
    headers: ["If-Match"],
    body: PART,
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
  [
    "POST /flows/{namespace}/{flowId}/test",
    "Tests a flow with fixtures; responds when the execution has ended",
    {
      query: ["revision"],
      body: TEST_CASE,
      response: json(ref("UnitTestResult")),
    },
  ],
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
  ["GET /executions/{id}/graph", "Gets the graph of an execution", {
    query: ["subflows", "valueClusters"],
    response: GRAPH,
  }],
];

const EXPRESSION_ROWS: Operations = [
  ["POST /expressions/render", "Renders expressions", {
    body: json(objectOf({ expressions: listOf(TEXT) })),
    response: json(objectOf({ rendered: mapOf(ANYTHING), errors: mapOf(TEXT) })),
  }],
  ["GET /pebble/filters", "Lists the filters of expressions", { response: TEXTS }],
  ["GET /pebble/functions", "Lists the functions of expressions, with their arguments on request", {
    query: ["details"],
    response: json(anyOf(listOf(TEXT), listOf(ref("ExpressionFunction")))),
  }],
];

const PLUGIN_ROWS: Operations = [
  ["GET /blueprints/community", "Lists templates of flows", BLUEPRINT_LIST],
  ["GET /blueprints/community/{kind}", "Lists templates of a kind: flow, dashboard or app", {
    ...BLUEPRINT_LIST,
    response: json(anyOf(BLUEPRINT_PAGE, ...BLUEPRINT_OR_TAGS)),
  }],
  ["GET /blueprints/community/{kind}/{id}", "Gets a template, or the tags of a kind", {
    response: { ...json(anyOf(...BLUEPRINT_OR_TAGS, ref("Graph"))), "application/yaml": TEXT },
  }],
  ["GET /blueprints/community/{kind}/{id}/{part}", "Gets the source or the graph of a template", {
    response: BLUEPRINT_PART,
  }],
  ["GET /plugins", "Lists plugins with their types; paged on request", {
    query: PAGE,
    response: json(anyOf(PLUGINS, pageOf(ref("Plugin")))),
  }],
  ["GET /plugins/schemas/{kind}", "Gets the JSON Schema of a flow, of a part of it, or of a dashboard", {
    query: ["arrayOf"],
    response: JSON_OBJECT,
  }],
  ["GET /plugins/properties/{kind}", "Gets the properties of a kind", { response: JSON_OBJECT }],
  ["GET /plugins/triggers", "Lists trigger types", { response: json(pageOf(ref("TriggerType"))) }],
  ["GET /plugins/groups/subgroups", "Lists groups of types", { response: json(PLUGINS) }],
  ["GET /plugins/inputs", "Lists input types", { response: json(listOf(ref("InputType"))) }],
  ["GET /plugins/inputs/{type}", "Gets an input type", { response: json(ref("InputTypeDocumentation")) }],
  ["GET /plugins/icons", "Gets the icons by type", { response: ICONS }],
  ["GET /plugins/icons/groups", "Gets the icons by group", { response: ICONS }],
  ["GET /plugins/icons/{cls}", "Gets the icon of a type", { response: ICONS }],
  ["GET /plugins/icons/{cls}/icon.svg", "Gets the icon of a type as an image", {
    response: { "image/svg+xml": TEXT },
  }],
  ["POST /plugins/pluginUiManifest", "Gets the UI pages of types; always none", {
    body: ANY_JSON,
    isBodyOptional: true,
    response: json(objectOf({ manifest: MAP })),
  }],
  ["GET /plugins/{cls}", "Gets the documentation of a type", { query: ["all"], response: DOCUMENTATION }],
  ["GET /plugins/{cls}/versions", "Lists the versions of a type", { response: json(ref("PluginVersions")) }],
  ["GET /plugins/{cls}/versions/{version}", "Gets the documentation of a version", {
    response: DOCUMENTATION,
  }],
];

/** By method and path. */
export const FLOW_OPERATIONS: Operations = [...FLOW_ROWS, ...EXPRESSION_ROWS, ...PLUGIN_ROWS];
