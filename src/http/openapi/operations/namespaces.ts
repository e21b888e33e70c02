/** Operations on namespaces, their KV pairs, files and secrets. */
import {
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
import { ANYTHING, FLAG, INTEGER, listOf, mapOf, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const KV = "/namespaces/{namespace}/kv";
const FILES = "/namespaces/{namespace}/files";
const SECRETS = "/namespaces/{namespace}/secrets";
const NAMESPACE = json(ref("Namespace"));
const NAMESPACE_USAGE = json(ref("NamespaceUsage"));
const KEYS = json(objectOf({ keys: listOf(TEXT) }));
const SECRETS_OF_NAMESPACE = json(listOf(ref("SecretEntry")));
const SECRET_PAGE = json(pageOf(ref("SecretEntry")));

/** By method and path. */
export const NAMESPACE_OPERATIONS: Operations = [
  ["GET /namespaces/search", "Lists the namespaces of flows, and their parents", {
    query: ["existing", ...PAGE, ...FLOW_FILTERS],
    response: json(pageOf(ref("Namespace"))),
  }],
  ["POST /namespaces/autocomplete", "Completes the name of a namespace", {
    body: json(objectOf({ "q?": TEXT, "ids?": listOf(TEXT) })),
    response: TEXTS,
  }],
  ["POST /namespaces", "Creates a namespace", { body: NAMESPACE, response: NAMESPACE }],
  ["PUT /namespaces/{namespace}", "Updates a namespace", { body: NAMESPACE, response: NAMESPACE }],
  ["DELETE /namespaces/{namespace}", "Deletes a namespace without flows", { status: 204 }],
  [
    "GET /namespaces/{namespace}/usage",
    "Lists what refers to a namespace, and its executions that have not ended",
    {
      query: ["children"],
      response: NAMESPACE_USAGE,
    },
  ],
  ["POST /namespaces/{namespace}/rename", "Renames a namespace with all that it holds", {
    body: json(objectOf({ id: TEXT, "children?": FLAG, "force?": FLAG })),
    response: json(objectOf({
      id: TEXT,
      namespaces: listOf(objectOf({ from: TEXT, id: TEXT })),
      usage: ref("NamespaceUsage"),
    })),
  }],
  ["GET /namespaces/{namespace}", "Gets a namespace", { response: NAMESPACE }],
  ["GET /namespaces/{namespace}/variables", "Gets its own variables as YAML", { response: YAML }],
  ["PUT /namespaces/{namespace}/variables", "Replaces its variables", { body: YAML, status: 204 }],
  ["GET /namespaces/{namespace}/plugindefaults", "Gets its own plugin defaults as YAML", { response: YAML }],
  ["PUT /namespaces/{namespace}/plugindefaults", "Replaces its plugin defaults", {
    body: YAML,
    status: 204,
  }],
  ["GET /namespaces/{namespace}/inherited-variables", "Gets the variables of the namespaces above", {
    response: JSON_OBJECT,
  }],
  [
    "GET /namespaces/{namespace}/inherited-plugindefaults",
    "Gets the plugin defaults of those above and the server",
    {
      response: json(listOf(ref("PluginDefault"))),
    },
  ],
  ["POST /namespaces/{namespace}/plugindefaults/export", "Exports its plugin defaults as YAML", {
    response: FILE,
  }],
  ["POST /namespaces/{namespace}/plugindefaults/import", "Adds plugin defaults of a YAML file", {
    body: fileForm("fileUpload"),
    response: TEXTS,
  }],
  ["GET /kv", "Lists KV pairs", {
    query: [...PAGE, "q", "namespace", "filters"],
    response: json(pageOf(ref("KvEntry"))),
  }],
  [`GET ${KV}`, "Lists the KV pairs of a namespace", { response: json(listOf(ref("KvEntry"))) }],
  [`DELETE ${KV}`, "Deletes KV pairs", { body: KEYS, response: KEYS }],
  [`GET ${KV}/inheritance`, "Lists inherited KV pairs", {
    response: json(listOf(ref("KvEntry"))),
  }],
  [`GET ${KV}/{key}`, "Gets the value of a KV pair", { response: json(ref("KvValue")) }],
  [`PUT ${KV}/{key}`, "Sets a KV pair; `ttl` is a duration", {
    headers: ["ttl", "description"],
    body: { ...json(ANYTHING), ...PLAIN_TEXT },
  }],
  [`DELETE ${KV}/{key}`, "Deletes a KV pair; false when there was none", { response: json(FLAG) }],
  [`GET ${FILES}`, "Downloads a file", { query: ["path!", "revision"], response: FILE }],
  [`POST ${FILES}`, "Writes a file, or unpacks a zip; `If-Match` names the expected latest revision", {
    query: ["path"],
    headers: ["If-Match", "If-None-Match"],
    body: fileForm("fileContent"),
  }],
  [`PUT ${FILES}`, "Moves a file or directory", { query: ["from!", "to!"] }],
  [`DELETE ${FILES}`, "Deletes a file or directory", { query: ["path!"] }],
  [`GET ${FILES}/directory`, "Lists a directory", {
    query: ["path"],
    response: json(listOf(ref("FileEntry"))),
  }],
  [`POST ${FILES}/directory`, "Creates a directory", { query: ["path!"] }],
  [`GET ${FILES}/search`, "Searches paths of files", { query: ["q"], response: TEXTS }],
  [`GET ${FILES}/stats`, "Gets the attributes of a file", {
    query: ["path"],
    response: json(ref("FileEntry")),
  }],
  [`GET ${FILES}/revisions`, "Lists the stored revisions of a file, oldest first", {
    query: ["path!"],
    response: json(listOf(objectOf({
      revision: INTEGER,
      size: INTEGER,
      lastModifiedTime: INTEGER,
      "author?": TEXT,
    }))),
  }],
  [`POST ${FILES}/revisions/restore`, "Makes the content of an earlier revision the latest one", {
    query: ["path!", "revision!"],
  }],
  [`GET ${FILES}/export`, "Exports all files as a zip", { response: FILE }],
  ["GET /secrets", "Lists secrets without values", {
    query: [...PAGE, "q", "namespace", "filters"],
    response: SECRET_PAGE,
  }],
  [`GET ${SECRETS}`, "Lists the secrets of a namespace without values", {
    query: PAGE,
    response: SECRET_PAGE,
  }],
  [`PUT ${SECRETS}`, "Sets a secret", {
    body: json(objectOf({ key: TEXT, value: TEXT, "description?": TEXT, "tags?": listOf(ref("Label")) })),
    response: SECRETS_OF_NAMESPACE,
  }],
  [`PATCH ${SECRETS}/{key}`, "Updates the description and tags of a secret", {
    body: json(objectOf({ "description?": TEXT, "tags?": listOf(ref("Label")) })),
    response: SECRETS_OF_NAMESPACE,
  }],
  [`DELETE ${SECRETS}/{key}`, "Deletes a secret", { status: 204 }],
  ["GET /namespaces/{namespace}/inherited-secrets", "Lists the keys of inherited secrets by namespace", {
    response: json(mapOf(listOf(TEXT))),
  }],
];
