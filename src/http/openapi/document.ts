/** The OpenAPI description, generated from the mounted routes and the description of each operation. */
import type { DurationForm } from "../../base/time/duration.ts";
import type { JsonObject } from "../../base/json.ts";
import { SESSION_COOKIE } from "../pipeline/cookies.ts";
import { isClosed, type MountedRoute } from "../pipeline/mount.ts";
import { componentsOf } from "./components.ts";
import { type Content, type Operation, PARAMETER_SCHEMAS } from "./operation.ts";
import { OPERATION_NAMES } from "./operation_names.ts";
import { operationKey, OPERATIONS } from "./operations.ts";
import { PARAMETER_DESCRIPTIONS, PATH_DESCRIPTIONS } from "./parameters.ts";
import { operationId, parametersOf, pathTemplates } from "./path_template.ts";
import { listOf, MAP, ref, type Schema, TEXT } from "./schema.ts";
import { tagOf, TAGS } from "./tags.ts";

interface DocumentOptions {
  readonly version: string;
  /** Public address, or empty. */
  readonly baseUrl: string;
  /** Callers need credentials. */
  readonly isProtected: boolean;
  /** How the described responses write durations. */
  readonly durations: DurationForm;
}

const DESCRIPTION = [
  "Paths of a tenant also work without the tenant, for the tenant `main`: `/api/v1/flows` is `/api/v1/main/flows`.",
  "Errors are problems of RFC 9457, with the members of older servers in addition.",
  "Lists accept `filters[field][OPERATOR]=value` in addition to flat parameters.",
  "`Accept: application/json;durations=iso` makes durations of states ISO 8601 texts, `durations=seconds` numbers; in a " +
  "request for this description too.",
].join("\n\n");

const SECURITY_SCHEMES: JsonObject = {
  basic: { type: "http", scheme: "basic" },
  token: { type: "http", scheme: "bearer" },
  session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
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
    tags: TAGS.map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: componentsOf(options.durations) as JsonObject,
      responses: { Refusal: REFUSAL },
      ...(options.isProtected && { securitySchemes: SECURITY_SCHEMES }),
    },
    ...(options.isProtected && { security: [{ basic: [] }, { token: [] }, { session: [] }] }),
  };
}

function operationOf(route: MountedRoute, template: string, { isProtected }: DocumentOptions): JsonObject {
  const key = operationKey(route.method, template);
  const operation: Operation = OPERATIONS.get(key) ?? { summary: key };
  const isOpen = !isClosed(route.access);
  const parameters = [
    ...parametersOf(template).map(pathParameter),
    ...(operation.query ?? []).map(queryParameter),
    ...(operation.headers ?? []).map(headerParameter),
  ];
  return {
    operationId: OPERATION_NAMES.get(key) ?? operationId(key),
    summary: operation.summary,
    tags: [tagOf(key)],
    ...(parameters.length > 0 && { parameters }),
    ...(operation.body && {
      requestBody: { content: contentOf(operation.body), required: !operation.isBodyOptional },
    }),
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
  return { name, in: "header", ...described(PARAMETER_DESCRIPTIONS.get(name)), schema: TEXT };
}

function pathParameter(name: string): JsonObject {
  return { name, in: "path", ...described(PATH_DESCRIPTIONS.get(name)), required: true, schema: TEXT };
}

function queryParameter(written: string): JsonObject {
  const [, name = written, isList, isRequired] = /^(.*?)(\[\])?(!)?$/.exec(written) ?? [];
  const parameter = { name, in: "query", ...described(PARAMETER_DESCRIPTIONS.get(name)) };
  if (name === "filters") {
    return { ...parameter, style: "deepObject", explode: true, schema: MAP };
  }
  const schema: Schema = PARAMETER_SCHEMAS.get(name) ?? TEXT;
  return {
    ...parameter,
    ...(isRequired && { required: true }),
    schema: isList ? listOf(schema) : schema,
  };
}

function contentOf(content: Content): JsonObject {
  return Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));
}

function described(description: string | undefined): JsonObject {
  return description === undefined ? {} : { description };
}
