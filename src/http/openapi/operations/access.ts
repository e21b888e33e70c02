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
  "workerGroups?": listOf(TEXT),
});

const LOGIN_REQUEST = objectOf({ username: TEXT, password: TEXT });
const LOGIN = { ...json(LOGIN_REQUEST), "application/x-www-form-urlencoded": LOGIN_REQUEST };

/** By method and path. */
export const ACCESS_OPERATIONS: Operations = [
  ["GET /me", "Gets the caller", { response: json(ref("Caller")) }],
  ["GET /basicAuthValidationErrors", "Lists problems of the configured credentials", { response: TEXTS }],
  ["POST /basicAuth", "Sets the first user; refused once there is one", {
    body: json(objectOf({ username: TEXT, password: TEXT, "token?": TEXT })),
    status: 204,
  }],
  ["POST /login", "Opens a session, which a cookie carries", {
    body: LOGIN,
    response: json(objectOf({ username: TEXT })),
  }],
  ["POST /logout", "Ends the session of the caller", { response: JSON_OBJECT }],
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
  ["PUT /tenants/{id}", "Renames a tenant", {
    body: json(objectOf({ "id?": TEXT, "name?": TEXT })),
    response: TENANT,
  }],
  ["DELETE /tenants/{id}", "Deletes a tenant with all its data", { status: 204 }],
];
