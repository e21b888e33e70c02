/** Operations on the server itself: what it is, how it does, its plugins, tenants and tokens. */
import {
  ANY_JSON,
  type Content,
  json,
  JSON_OBJECT,
  type Operations,
  PAGE,
  PLAIN_TEXT,
  TEXTS,
  YAML,
} from "../operation.ts";
import { FLAG, listOf, MAP, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const PROMETHEUS: Content = { "text/plain": TEXT };
const YAML_TEXT: Content = { "application/yaml": TEXT };
const HEALTH = json(objectOf({ status: TEXT }));
const LIST = json(listOf(MAP));
const TOKEN = json(ref("ApiToken"));

/** What the server is and how it does. */
export const SERVER_OPERATIONS: Operations = [
  ["GET /", { summary: "To the pages", status: 307 }],
  ["GET /ping", { summary: "Whether the process answers", response: PLAIN_TEXT }],
  ["GET /health", { summary: "Whether requests can be served; 503 when not", response: HEALTH }],
  ["GET /health/liveness", { summary: "Whether the process answers", response: HEALTH }],
  ["GET /health/readiness", { summary: "Whether requests can be served; 503 when not", response: HEALTH }],
  ["GET /prometheus", { summary: "Figures in the text format of Prometheus", response: PROMETHEUS }],
  ["GET /metrics", { summary: "Figures in the text format of Prometheus", response: PROMETHEUS }],
  ["GET /openapi.json", { summary: "This description as JSON", response: JSON_OBJECT }],
  ["GET /openapi.yml", { summary: "This description as YAML", response: YAML_TEXT }],
  ["GET /openapi.yaml", { summary: "This description as YAML", response: YAML_TEXT }],
  ["GET /swagger/kestra.yml", { summary: "This description as YAML", response: YAML_TEXT }],
  ["GET /configs", { summary: "What clients ask before they log in", response: JSON_OBJECT }],
  ["GET /configs/login", { summary: "How to log in", response: JSON_OBJECT }],
];

/** Plugins: the types that flows are made of. */
export const PLUGIN_OPERATIONS: Operations = [
  ["GET /plugins", {
    summary: "Plugins with their types; a page when one is asked for",
    query: PAGE,
    response: ANY_JSON,
  }],
  ["GET /plugins/schemas/{kind}", {
    summary: "The JSON Schema of a flow, or of a part of one",
    query: ["arrayOf"],
    response: JSON_OBJECT,
  }],
  ["GET /plugins/properties/{kind}", { summary: "Properties of a kind", response: JSON_OBJECT }],
  ["GET /plugins/triggers", { summary: "Types of triggers", response: ANY_JSON }],
  ["GET /plugins/groups/subgroups", { summary: "Groups of types", response: ANY_JSON }],
  ["GET /plugins/inputs", { summary: "Types of inputs", response: LIST }],
  ["GET /plugins/inputs/{type}", { summary: "A type of input", response: JSON_OBJECT }],
  ["GET /plugins/icons", { summary: "Icons by type", response: JSON_OBJECT }],
  ["GET /plugins/icons/groups", { summary: "Icons by group", response: JSON_OBJECT }],
  ["GET /plugins/icons/{cls}", { summary: "The icon of a type", response: JSON_OBJECT }],
  ["GET /plugins/icons/{cls}/icon.svg", {
    summary: "The picture of a type",
    response: { "image/svg+xml": TEXT },
  }],
  ["POST /plugins/pluginUiManifest", {
    summary: "Pages that types bring along: none",
    body: ANY_JSON,
    response: JSON_OBJECT,
  }],
  ["GET /plugins/{cls}", { summary: "Documentation of a type", query: ["all"], response: JSON_OBJECT }],
  ["GET /plugins/{cls}/versions", { summary: "Versions of a type", response: JSON_OBJECT }],
  ["GET /plugins/{cls}/versions/{version}", { summary: "Documentation of a version", response: JSON_OBJECT }],
];

/** Who may call. */
export const ACCESS_OPERATIONS: Operations = [
  ["GET /me", { summary: "Who calls", response: JSON_OBJECT }],
  ["GET /basicAuthValidationErrors", { summary: "What is wrong with the credentials", response: TEXTS }],
  ["POST /basicAuth", { summary: "Is refused: credentials are options of the server", body: JSON_OBJECT }],
  ["GET /pebble/filters", { summary: "Names of the filters of expressions", response: TEXTS }],
  ["GET /pebble/functions", { summary: "Names of the functions of expressions", response: TEXTS }],
  ["GET /me/api-tokens", {
    summary: "API tokens, without their secrets",
    response: json(pageOf(ref("ApiToken"))),
  }],
  ["POST /me/api-tokens", {
    summary: "Makes an API token; its secret is in this answer alone",
    body: json(objectOf({
      name: TEXT,
      "description?": TEXT,
      "maxAge?": TEXT,
      "extended?": FLAG,
      "tenants?": listOf(TEXT),
    })),
    response: TOKEN,
  }],
  ["DELETE /me/api-tokens/{id}", { summary: "Revokes an API token", status: 204 }],
  ["GET /tenants/search", {
    summary: "A page of tenants",
    query: ["q", ...PAGE],
    response: json(pageOf(ref("Tenant"))),
  }],
  ["POST /tenants", {
    summary: "Makes a tenant",
    body: json(objectOf({ id: TEXT, "name?": TEXT })),
    response: json(ref("Tenant")),
  }],
  ["GET /tenants/{id}", { summary: "A tenant", response: json(ref("Tenant")) }],
  ["DELETE /tenants/{id}", { summary: "Deletes a tenant with all that it has", status: 204 }],
];

const DASHBOARD = json(ref("Dashboard"));

/** Dashboards. */
export const DASHBOARD_OPERATIONS: Operations = [
  ["GET /dashboards", {
    summary: "A page of dashboards",
    query: ["q", ...PAGE],
    response: json(pageOf(ref("Dashboard"))),
  }],
  ["POST /dashboards", { summary: "Saves a new dashboard", body: YAML, response: DASHBOARD }],
  ["GET /dashboards/settings/default-dashboards", {
    summary: "Dashboards by page; none",
    response: JSON_OBJECT,
  }],
  ["POST /dashboards/validate", {
    summary: "Checks a dashboard",
    body: YAML,
    response: json(ref("FlowCheck")),
  }],
  ["POST /dashboards/validate/chart", {
    summary: "Checks a chart",
    body: YAML,
    response: json(ref("FlowCheck")),
  }],
  ["GET /dashboards/{id}", { summary: "A dashboard", response: DASHBOARD }],
  ["PUT /dashboards/{id}", { summary: "Replaces a dashboard", body: YAML, response: DASHBOARD }],
  ["DELETE /dashboards/{id}", { summary: "Deletes a dashboard", status: 204 }],
];
