/** Operations on the caller, API tokens and tenants. */
import { json, JSON_OBJECT, type Operations, PAGE, TEXTS } from "../operation.ts";
import { FLAG, listOf, objectOf, pageOf, ref, TEXT } from "../schema.ts";

const TENANT = json(ref("Tenant"));
const TOKEN_REQUEST = objectOf({
  name: TEXT,
  "description?": TEXT,
  "maxAge?": TEXT,
  "extended?": FLAG,
  "tenants?": listOf(TEXT),
});

/** By method and path. */
export const ACCESS_OPERATIONS: Operations = [
  ["GET /me", "Gets the caller", { response: JSON_OBJECT }],
  ["GET /basicAuthValidationErrors", "Lists problems of the configured credentials", { response: TEXTS }],
  ["POST /basicAuth", "Always refused: credentials are server options", { body: JSON_OBJECT }],
  ["GET /me/api-tokens", "Lists API tokens without secrets", { response: json(pageOf(ref("ApiToken"))) }],
  ["POST /me/api-tokens", "Creates an API token; only this response has its secret", {
    body: json(TOKEN_REQUEST),
    response: json(ref("ApiToken")),
  }],
  ["DELETE /me/api-tokens/{id}", "Revokes an API token", { status: 204 }],
  ["GET /tenants/search", "Lists tenants", { query: ["q", ...PAGE], response: json(pageOf(ref("Tenant"))) }],
  ["POST /tenants", "Creates a tenant", {
    body: json(objectOf({ id: TEXT, "name?": TEXT })),
    response: TENANT,
  }],
  ["GET /tenants/{id}", "Gets a tenant", { response: TENANT }],
  ["DELETE /tenants/{id}", "Deletes a tenant with all its data", { status: 204 }],
];
