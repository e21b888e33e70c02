/** What routes of flows read from requests: sources, names of flows. */
import type { Context } from "hono";
import { isJsonObject, type JsonValue, ownProperty, stringifyJson, tryParseJson } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { MAX_FLOW_SOURCE_BYTES, MAX_JSON_BODY_BYTES } from "../../model/limits.ts";
import type { DependencyOptions } from "../../services/flows/flow_dependencies.ts";
import { readJson, readText, requireMediaType } from "./body.ts";
import type { AppEnv } from "./env.ts";
import { readForm } from "./multipart.ts";
import { readBoolean } from "./params.ts";

/** What a source may be declared as. JSON is YAML too. */
const SOURCE_TYPES = [
  "application/x-yaml",
  "application/yaml",
  "text/yaml",
  "text/x-yaml",
  "text/plain",
  "application/json",
] as const;

/** Between documents of one text. */
const SEPARATOR = "\n---\n";

/** The source of one flow. @throws DomainError unsupported_media_type, too_large */
export async function readSource(c: Context<AppEnv>): Promise<string> {
  requireMediaType(c, ...SOURCE_TYPES);
  return await readText(c, MAX_FLOW_SOURCE_BYTES);
}

/**
 * The sources of several flows in one text; the parts of a form, and the objects of a JSON list, are joined.
 * @throws DomainError unsupported_media_type, too_large
 */
export async function readSources(c: Context<AppEnv>): Promise<string> {
  const isForm = /^\s*multipart\/form-data\s*(;|$)/i.test(c.req.raw.headers.get("content-type") ?? "");
  if (isForm) {
    const parts = await readForm(c.req.raw, { maxBytes: MAX_JSON_BODY_BYTES });
    return parts.map(({ value }) => value).join(SEPARATOR);
  }
  requireMediaType(c, ...SOURCE_TYPES);
  const text = await readText(c, MAX_JSON_BODY_BYTES);
  return text.trimStart().startsWith("[") ? documentsOf(text) : text;
}

/** No document of several begins with a bracket: what is no JSON list is left to be refused as the document that it is. */
function documentsOf(text: string): string {
  const list = tryParseJson(text);
  return Array.isArray(list) ? list.map((flow) => stringifyJson(flow)).join(SEPARATOR) : text;
}

/** A body of `[{namespace, id}]`; further members are ignored. @throws DomainError invalid_json, invalid_argument */
export async function readFlowKeys(c: Context<AppEnv>): Promise<FlowKey[]> {
  const list = await readJson(c);
  if (Array.isArray(list)) return list.map(readFlowKey);
  throw new DomainError(
    "invalid_argument",
    'Illegal argument: the body must be a list of "namespace" and "id"',
  );
}

function readFlowKey(entry: JsonValue): FlowKey {
  const namespace = isJsonObject(entry) ? ownProperty(entry, "namespace") : undefined;
  const id = isJsonObject(entry) ? ownProperty(entry, "id") ?? ownProperty(entry, "flowId") : undefined;
  if (typeof namespace === "string" && typeof id === "string") return { namespace, id };
  throw new DomainError(
    "invalid_argument",
    'Illegal argument: each entry must have a "namespace" and an "id"',
  );
}

/** The flow that a path names. */
export function flowKeyOf(c: Context<AppEnv>): FlowKey {
  return { namespace: c.req.param("namespace") ?? "", id: c.req.param("flowId") ?? "" };
}

/** How far dependencies are followed: `destinationOnly`, `expandAll`. @throws DomainError bad_request */
export function readDependencyOptions(query: URLSearchParams): DependencyOptions {
  return {
    destinationOnly: readBoolean(query, "destinationOnly", false),
    expandAll: readBoolean(query, "expandAll", false),
  };
}

/** The query of a request. */
export function queryOf(c: Context<AppEnv>): URLSearchParams {
  return new URL(c.req.raw.url).searchParams;
}
