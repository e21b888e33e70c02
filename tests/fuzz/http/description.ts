/** The operations of the server's own OpenAPI description: what may be sent to them, and which responses they list. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";

/** One operation. */
export interface DescribedOperation {
  readonly method: string;
  /** As in the description, with the tenant where there is one. */
  readonly template: string;
  /** Method and path, relative to the tenant or the API. */
  readonly key: string;
  readonly segments: readonly string[];
  readonly query: readonly string[];
  readonly headers: readonly string[];
  /** It takes requests without credentials. */
  readonly isOpen: boolean;
  /** Schemas by media type, by status, without the default. */
  readonly responses: ReadonlyMap<string, ReadonlyMap<string, JsonObject>>;
}

const TENANT = "/api/v1/{tenant}";
const API = "/api/v1";

/** The description of a server. */
export class Description {
  readonly document: JsonObject;
  readonly operations: readonly DescribedOperation[];
  readonly #byMethod: ReadonlyMap<string, readonly DescribedOperation[]>;

  constructor(document: JsonObject) {
    this.document = document;
    this.operations = Object.entries(objectOf(document.paths)).flatMap(([template, item]) =>
      Object.entries(objectOf(item)).map(([method, operation]) =>
        readOperation(method.toUpperCase(), template, objectOf(operation))
      )
    );
    this.#byMethod = Map.groupBy(this.operations, ({ method }) => method);
  }

  /**
   * All operations whose template fits a path as sent, those with the most literal segments first; a path without a
   * tenant is also taken as one of `main`.
   */
  matching(method: string, path: string): DescribedOperation[] {
    const sent = path.split("/");
    const inMain = path.startsWith(`${API}/`) ? ["", "api", "v1", "main", ...sent.slice(3)] : sent;
    const wanted = method === "HEAD" ? "GET" : method;
    return (this.#byMethod.get(wanted) ?? []).filter((operation) =>
      fits(operation, sent) || (inMain !== sent && fits(operation, inMain))
    ).sort((a, b) => parametersIn(a) - parametersIn(b));
  }
}

function parametersIn({ segments }: DescribedOperation): number {
  return segments.filter((segment) => segment.startsWith("{")).length;
}

function fits({ segments }: DescribedOperation, sent: readonly string[]): boolean {
  const isOpenEnded = segments.at(-1) === "{path}";
  if (isOpenEnded ? sent.length < segments.length : sent.length !== segments.length) return false;
  return segments.every((segment, index) =>
    segment === sent[index] || segment === "{path}" || (segment.startsWith("{") && sent[index] !== "")
  );
}

function readOperation(method: string, template: string, operation: JsonObject): DescribedOperation {
  const parameters = listOf(operation.parameters).map(objectOf);
  const named = (place: string) =>
    parameters.filter((each) => each.in === place).map(({ name }) => String(name));
  const responses = Object.entries(objectOf(operation.responses)).filter(([status]) => status !== "default");
  const prefix = [TENANT, `${API}/main`, API].find((each) => template.startsWith(`${each}/`)) ?? "";
  return {
    method,
    template,
    key: `${method} ${template.slice(prefix.length)}`,
    segments: template.split("/"),
    query: named("query"),
    headers: named("header"),
    isOpen: Array.isArray(operation.security) && operation.security.length === 0,
    responses: new Map(responses.map(([status, response]) => [status, schemasOf(objectOf(response))])),
  };
}

function schemasOf(response: JsonObject): Map<string, JsonObject> {
  const entries = Object.entries(objectOf(response.content));
  return new Map(entries.map(([type, content]) => [type, objectOf(objectOf(content).schema)]));
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
