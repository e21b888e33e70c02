/** Operations on flows, namespaces and what is in them. */
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
  PLAIN_TEXT,
  TEXTS,
  YAML,
} from "../operation.ts";
import { ANYTHING, FLAG, listOf, MAP, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const SAVED = json(ref("FlowWithSource"));
const SAVED_LIST = json(listOf(ref("FlowWithSource")));
const KEYS = json(listOf(ref("FlowKey")));
const COUNT = json(ref("Count"));
const DEPENDENCIES = json(ref("Dependencies"));
const ENTRIES = json(pageOf(ref("KvEntry")));

/** Flows. */
export const FLOW_OPERATIONS: Operations = [
  ["POST /flows", { summary: "Saves a new flow", body: YAML, response: SAVED }],
  ["GET /flows/search", {
    summary: "A page of flows",
    query: [...PAGE, ...FLOW_FILTERS],
    response: json(pageOf(ref("Flow"))),
  }],
  ["GET /flows/source", {
    summary: "Flows whose source has a text, with the places",
    query: ["q", "namespace", ...PAGE],
    response: json(pageOf(objectOf({ model: ref("Flow"), fragments: listOf(TEXT) }))),
  }],
  ["GET /flows/distinct-namespaces", {
    summary: "Namespaces that hold flows",
    query: ["q"],
    response: TEXTS,
  }],
  ["GET /flows/deprecated", {
    summary: "Flows that use deprecated types",
    query: ["namespace"],
    response: json(listOf(MAP)),
  }],
  ["POST /flows/validate", {
    summary: "Checks sources",
    body: YAML,
    response: json(listOf(ref("FlowCheck"))),
  }],
  ["POST /flows/validate/task", {
    summary: "Checks one task",
    query: ["section"],
    body: { ...JSON_OBJECT, ...YAML },
    response: json(ref("FlowCheck")),
  }],
  ["POST /flows/validate/trigger", {
    summary: "Checks one trigger",
    body: { ...JSON_OBJECT, ...YAML },
    response: json(ref("FlowCheck")),
  }],
  ["POST /flows/expressions", {
    summary: "What expressions of a task may refer to",
    query: ["taskId"],
    body: YAML,
    response: JSON_OBJECT,
  }],
  ["POST /flows/graph", { summary: "The graph of a source", body: YAML, response: json(ref("Graph")) }],
  ["POST /flows/bulk", {
    summary: "Saves several flows, and deletes those that are missing",
    query: ["delete", "namespace", "allowNamespaceChild"],
    body: YAML,
    response: SAVED_LIST,
  }],
  ["POST /flows/import", {
    summary: "Saves the flows of a file",
    query: ["failOnError"],
    body: fileForm("fileUpload"),
    response: TEXTS,
  }],
  ["GET /flows/export/by-query", { summary: "Sources as a zip", query: FLOW_FILTERS, response: FILE }],
  ["POST /flows/export/by-ids", { summary: "Sources as a zip", body: KEYS, response: FILE }],
  ["GET /flows/export/by-query/csv", { summary: "Flows as a table", query: FLOW_FILTERS, response: CSV }],
  ["DELETE /flows/delete/by-query", { summary: "Deletes flows", query: FLOW_FILTERS, response: COUNT }],
  ["DELETE /flows/delete/by-ids", { summary: "Deletes flows", body: KEYS, response: COUNT }],
  ["POST /flows/enable/by-query", { summary: "Enables flows", query: FLOW_FILTERS, response: COUNT }],
  ["POST /flows/enable/by-ids", { summary: "Enables flows", body: KEYS, response: COUNT }],
  ["POST /flows/disable/by-query", { summary: "Disables flows", query: FLOW_FILTERS, response: COUNT }],
  ["POST /flows/disable/by-ids", { summary: "Disables flows", body: KEYS, response: COUNT }],
  ["GET /flows/{namespace}", {
    summary: "The flows of exactly that namespace",
    response: json(listOf(ref("Flow"))),
  }],
  ["POST /flows/{namespace}", {
    summary: "Replaces the flows of a namespace",
    query: ["delete", "override"],
    body: YAML,
    response: SAVED_LIST,
  }],
  ["GET /flows/{namespace}/{flowId}", {
    summary: "A flow",
    query: ["revision", "source", "allowDeleted"],
    response: json(ref("Flow")),
  }],
  ["PUT /flows/{namespace}/{flowId}", {
    summary: "Saves a new revision; `If-Match` names the one that must be the latest",
    headers: ["If-Match"],
    body: YAML,
    response: SAVED,
  }],
  ["DELETE /flows/{namespace}/{flowId}", { summary: "Deletes a flow", status: 204 }],
  ["GET /flows/{namespace}/{flowId}/revisions", {
    summary: "All revisions, oldest first",
    query: ["allowDelete", "allowDeleted"],
    response: SAVED_LIST,
  }],
  ["DELETE /flows/{namespace}/{flowId}/revisions", {
    summary: "Removes revisions that are not the latest",
    query: ["revisions[]!"],
  }],
  ["GET /flows/{namespace}/{flowId}/tasks/{taskId}", {
    summary: "A task, also a nested one",
    query: ["revision"],
    response: json(ref("Task")),
  }],
  ["GET /flows/{namespace}/{flowId}/graph", {
    summary: "The graph of a flow",
    query: ["revision", "subflows"],
    response: json(ref("Graph")),
  }],
  ["GET /flows/{namespace}/{flowId}/dependencies", {
    summary: "Flows that start it or are started by it",
    query: ["destinationOnly", "expandAll"],
    response: DEPENDENCIES,
  }],
  ["GET /dependencies", {
    summary: "Dependencies of all flows",
    query: ["destinationOnly", ...FLOW_FILTERS],
    response: DEPENDENCIES,
  }],
  ["GET /concurrency-limit/search", {
    summary: "Flows with a limit, and how many executions of each run",
    response: json(pageOf(ref("ConcurrencyLimit"))),
  }],
  ["GET /concurrency-limit/{namespace}/{flowId}", {
    summary: "How many executions of a flow with a limit run",
    response: json(ref("ConcurrencyLimit")),
  }],
  ["PUT /concurrency-limit/{namespace}/{flowId}", {
    summary: "Corrects the number of running executions",
    body: json(ref("ConcurrencyLimit")),
    response: json(ref("ConcurrencyLimit")),
  }],
  ["POST /expressions/render", {
    summary: "Renders expressions",
    body: json(objectOf({ expressions: listOf(TEXT) })),
    response: json(objectOf({ rendered: MAP })),
  }],
];

const KV = "/namespaces/{namespace}/kv";
const FILES = "/namespaces/{namespace}/files";
const SECRETS = "/namespaces/{namespace}/secrets";
const ENTRY = json(ref("FileEntry"));
const NAMESPACE = json(ref("Namespace"));

/** Namespaces, their KV pairs, files and secrets. */
export const NAMESPACE_OPERATIONS: Operations = [
  ["GET /namespaces/search", {
    summary: "Namespaces of flows, and all above them",
    query: ["existing", ...PAGE, ...FLOW_FILTERS],
    response: json(pageOf(ref("Namespace"))),
  }],
  ["POST /namespaces/autocomplete", {
    summary: "Names of namespaces",
    body: json(objectOf({ "q?": TEXT, "ids?": listOf(TEXT) })),
    response: TEXTS,
  }],
  ["POST /namespaces", { summary: "Creates a namespace", body: NAMESPACE, response: NAMESPACE }],
  ["PUT /namespaces/{namespace}", { summary: "Describes a namespace", body: NAMESPACE, response: NAMESPACE }],
  ["DELETE /namespaces/{namespace}", { summary: "Deletes a namespace without flows", status: 204 }],
  ["GET /namespaces/{namespace}", { summary: "A namespace", response: json(ref("Namespace")) }],
  ["GET /namespaces/{namespace}/inherited-variables", {
    summary: "Variables from above",
    response: JSON_OBJECT,
  }],
  ["GET /namespaces/{namespace}/dependencies", {
    summary: "Dependencies of the flows of a namespace",
    query: ["destinationOnly"],
    response: DEPENDENCIES,
  }],
  ["GET /kv", {
    summary: "A page of KV pairs",
    query: [...PAGE, "q", "namespace", "filters"],
    response: ENTRIES,
  }],
  [`GET ${KV}`, { summary: "The KV pairs of a namespace", response: json(listOf(ref("KvEntry"))) }],
  [`DELETE ${KV}`, {
    summary: "Deletes KV pairs",
    body: json(objectOf({ keys: listOf(TEXT) })),
    response: json(objectOf({ keys: listOf(TEXT) })),
  }],
  [`GET ${KV}/inheritance`, { summary: "KV pairs of the namespaces above", response: ANY_JSON }],
  [`GET ${KV}/{key}`, { summary: "The value of a KV pair", response: json(ref("KvValue")) }],
  [`PUT ${KV}/{key}`, {
    summary: "Sets a KV pair; `ttl` is a duration",
    headers: ["ttl", "description"],
    body: { ...json(ANYTHING), ...PLAIN_TEXT },
  }],
  [`DELETE ${KV}/{key}`, { summary: "Deletes a KV pair; whether it was there", response: json(FLAG) }],
  [`GET ${FILES}`, { summary: "The content of a file", query: ["path!", "revision"], response: FILE }],
  [`POST ${FILES}`, {
    summary: "Writes a file, or unpacks a zip",
    query: ["path"],
    body: fileForm("fileContent"),
  }],
  [`PUT ${FILES}`, { summary: "Moves a file or directory", query: ["from!", "to!"] }],
  [`DELETE ${FILES}`, { summary: "Deletes a file or directory", query: ["path!"] }],
  [`GET ${FILES}/directory`, {
    summary: "A directory",
    query: ["path"],
    response: json(listOf(ref("FileEntry"))),
  }],
  [`POST ${FILES}/directory`, { summary: "Makes a directory", query: ["path!"] }],
  [`GET ${FILES}/search`, { summary: "Paths that have a text", query: ["q"], response: TEXTS }],
  [`GET ${FILES}/stats`, { summary: "What is known of a file", query: ["path"], response: ENTRY }],
  [`GET ${FILES}/revisions`, {
    summary: "Revisions of a file",
    query: ["path!"],
    response: json(listOf(MAP)),
  }],
  [`GET ${FILES}/export`, { summary: "All files as a zip", response: FILE }],
  ["GET /secrets", {
    summary: "A page of secrets, never their values",
    query: [...PAGE, "q", "namespace", "filters"],
    response: json(pageOf(ref("SecretEntry"))),
  }],
  [`GET ${SECRETS}`, {
    summary: "Secrets of a namespace, never their values",
    query: PAGE,
    response: json(pageOf(ref("SecretEntry"))),
  }],
  [`PUT ${SECRETS}`, {
    summary: "Sets a secret",
    body: json(objectOf({ key: TEXT, value: TEXT, "description?": TEXT, "tags?": listOf(MAP) })),
    response: ANY_JSON,
  }],
  [`PATCH ${SECRETS}/{key}`, {
    summary: "Changes what is told of a secret",
    body: JSON_OBJECT,
    response: ANY_JSON,
  }],
  [`DELETE ${SECRETS}/{key}`, { summary: "Deletes a secret", status: 204 }],
  ["GET /namespaces/{namespace}/inherited-secrets", {
    summary: "Secrets of the namespaces above",
    response: JSON_OBJECT,
  }],
];
