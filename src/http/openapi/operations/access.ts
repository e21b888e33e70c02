/** Operations on the caller, users, API tokens and tenants. */
import { json, JSON_OBJECT, type Operations, PAGE, TEXTS } from "../operation.ts";
import { ROLES } from "../../../model/access/role.ts";
import { FLAG, listOf, objectOf, oneOf, pageOf, ref, TEXT } from "../schema.ts";

const ROLE = oneOf(ROLES);
const TENANT = json(ref("Tenant"));
const TOKEN_REQUEST = objectOf({
  name: TEXT,
  "description?": TEXT,
  "maxAge?": TEXT,
  "extended?": FLAG,
  "role?": ROLE,
  "tenants?": listOf(TEXT),
  "workerGroups?": listOf(TEXT),
});

const USER = json(ref("User"));
const USER_CHANGE = {
  "role?": ROLE,
  "superAdmin?": FLAG,
  "tenants?": listOf(TEXT),
  "disabled?": FLAG,
  "password?": TEXT,
};
const USER_REQUEST = objectOf({ username: TEXT, ...USER_CHANGE });
const CHANGE_OF_USER = { body: json(objectOf(USER_CHANGE)), response: USER };

const LOGIN_REQUEST = objectOf({ username: TEXT, password: TEXT });
const LOGIN = { ...json(LOGIN_REQUEST), "application/x-www-form-urlencoded": LOGIN_REQUEST };

/** By method and path. */
export const ACCESS_OPERATIONS: Operations = [
  ["GET /me", "Gets the caller", { response: json(ref("Caller")) }],
  ["PUT /me/password", "Changes the password of the caller; ends its other log-ins", {
    body: json(objectOf({ oldPassword: TEXT, newPassword: TEXT })),
    status: 204,
  }],
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
  ["GET /me/api-tokens", "Lists API tokens without secrets: all for an admin, else those of the caller", {
    response: json(pageOf(ref("ApiToken"))),
  }],
  ["POST /me/api-tokens", "Creates an API token; only this response has its secret", {
    body: json(TOKEN_REQUEST),
    response: json(ref("ApiToken")),
  }],
  ["DELETE /me/api-tokens/{id}", "Revokes an API token", { status: 204 }],
  ["GET /users", "Lists users", { query: ["q", ...PAGE], response: json(pageOf(ref("User"))) }],
  ["POST /users", "Creates a user", { body: json(USER_REQUEST), status: 201, response: USER }],
  ["GET /users/{name}", "Gets a user", { response: USER }],
  ["PUT /users/{name}", "Changes a user; absent members keep their values", CHANGE_OF_USER],
  ["PATCH /users/{name}", "Changes a user; absent members keep their values", CHANGE_OF_USER],
  ["PATCH /users/{name}/password", "Sets the password of a user", {
    body: json(objectOf({ password: TEXT })),
    response: USER,
  }],
  ["PATCH /users/{name}/superadmin", "Makes a user an admin or an editor", {
    body: json(objectOf({ superAdmin: FLAG })),
    response: USER,
  }],
  ["DELETE /users/{name}", "Deletes a user with its API tokens", { status: 204 }],
  ["GET /users/{name}/api-tokens", "Lists the API tokens of a user", {
    response: json(pageOf(ref("ApiToken"))),
  }],
  ["POST /users/{name}/api-tokens", "Creates an API token that acts as the user", {
    body: json(TOKEN_REQUEST),
    response: json(ref("ApiToken")),
  }],
  ["DELETE /users/{name}/api-tokens/{id}", "Revokes an API token of a user", { status: 204 }],
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
