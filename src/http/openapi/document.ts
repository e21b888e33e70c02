/** The OpenAPI description, generated from the mounted routes and the description of each operation. */
import type { JsonObject } from "../../base/json.ts";
import { API_PREFIX } from "../pipeline/canonical_path.ts";
import type { MountedRoute } from "../pipeline/mount.ts";
import { COMPONENTS } from "./components.ts";
import { type Content, type Operation, PARAMETER_SCHEMAS } from "./operation.ts";
import { operationKey, OPERATIONS } from "./operations.ts";
import { operationId, parametersOf, pathTemplates } from "./path_template.ts";
import { listOf, MAP, ref, type Schema, TEXT } from "./schema.ts";

interface DocumentOptions {
  readonly version: string;
  /** Public address, or empty. */
  readonly baseUrl: string;
  /** Callers need credentials. */
  readonly isProtected: boolean;
}

const DESCRIPTION = [
  "Paths of a tenant also work without the tenant, for the tenant `main`: `/api/v1/flows` is `/api/v1/main/flows`.",
  "Errors are problems of RFC 9457, with the members of older servers in addition.",
  "Lists accept `filters[field][OPERATOR]=value` in addition to flat parameters.",
].join("\n\n");

const SECURITY_SCHEMES: JsonObject = {
  basic: { type: "http", scheme: "basic" },
  token: { type: "http", scheme: "bearer" },
};
const REFUSAL: JsonObject = {
  description: "Error",
  content: {
    "application/json": { schema: ref("Problem") },
    "application/problem+json": { schema: ref("Problem") },
  },
};

/** The OpenAPI 3.1 document; pages are not included. */
export function openApiDocument(routes: readonly MountedRoute[], options: DocumentOptions): JsonObject {
  const paths: JsonObject = {};
  for (const route of routes.filter(({ isPage }) => !isPage)) {
    for (const template of pathTemplates(route.path)) {
      const operations = (paths[template] ??= {}) as JsonObject;
      operations[route.method.toLowerCase()] = operationOf(route, template, options);
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Sluice",
      version: options.version,
      description: DESCRIPTION,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: options.baseUrl || "/" }],
    paths,
    components: {
      schemas: COMPONENTS as JsonObject,
      responses: { Refusal: REFUSAL },
      ...(options.isProtected && { securitySchemes: SECURITY_SCHEMES }),
    },
    ...(options.isProtected && { security: [{ basic: [] }, { token: [] }] }),
  };
}

function operationOf(route: MountedRoute, template: string, { isProtected }: DocumentOptions): JsonObject {
  const key = operationKey(route.method, template);
  const operation: Operation = OPERATIONS.get(key) ?? { summary: key };
  const isOpen = route.access === "public" || route.access === "webhook";
  const parameters = [
    ...parametersOf(template).map(pathParameter),
    ...(operation.query ?? []).map(queryParameter),
    ...(operation.headers ?? []).map(headerParameter),
  ];
  return {
    operationId: operationId(key),
    summary: operation.summary,
    tags: [route.path.startsWith(API_PREFIX) ? tagOf(key) : "server"],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && { requestBody: { content: contentOf(operation.body) } }),
    responses: responsesOf(operation),
    ...(isOpen && isProtected && { security: [] }),
  };
}

function responsesOf({ status = 200, response, also = {} }: Operation): JsonObject {
  return {
    [String(status)]: {
      description: status === 204 ? "Done" : "Success",
      ...(response && { content: contentOf(response) }),
    },
    ...Object.fromEntries(Object.entries(also).map(([other, description]) => [other, { description }])),
    default: { $ref: "#/components/responses/Refusal" },
  };
}

function headerParameter(name: string): JsonObject {
  return { name, in: "header", schema: TEXT };
}

function pathParameter(name: string): JsonObject {
  return { name, in: "path", required: true, schema: TEXT };
}

function queryParameter(written: string): JsonObject {
  const [, name = written, isList, isRequired] = /^(.*?)(\[\])?(!)?$/.exec(written) ?? [];
  if (name === "filters") {
    return { name, in: "query", style: "deepObject", explode: true, schema: MAP };
  }
  const schema: Schema = PARAMETER_SCHEMAS.get(name) ?? TEXT;
  return {
    name,
    in: "query",
    ...(isRequired && { required: true }),
    schema: isList ? listOf(schema) : schema,
  };
}

function contentOf(content: Content): JsonObject {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

/** The first segment of the path. */
function tagOf(key: string): string {
  return key.split("/")[1] ?? "";
}
