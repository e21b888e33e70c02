/** Reads requests of flow routes: sources, flow keys. */
import type { Context } from "hono";
import { isJsonObject, type JsonValue, ownProperty, stringifyJson, tryParseJson } from "../../base/json.ts";
import type { FlowKey } from "../../model/flows/flow.ts";
import { MAX_FLOW_SOURCE_BYTES, MAX_JSON_BODY_BYTES } from "../../model/limits.ts";
import type { DependencyOptions } from "../../services/flows/flow_dependencies.ts";
import { mediaTypeOf, readJson, readText, requireMediaType } from "../bodies/body.ts";
import type { AppEnv } from "../env.ts";
import { readForm } from "../bodies/multipart.ts";
import { readBoolean } from "./params.ts";
import { checkNumberOf, invalidArgument, invalidBody } from "../refusals.ts";

/** Media types of a source. JSON is YAML too; some generated clients can send a text only as bytes. */
const SOURCE_TYPES = [
  "application/x-yaml",
  "application/yaml",
  "text/yaml",
  "text/x-yaml",
  "text/plain",
  "application/json",
  "application/octet-stream",
] as const;

/** Separates the documents of one text. */
const SEPARATOR = "\n---\n";

/** True if the body is declared as JSON. */
export function isJsonBody(c: Context<AppEnv>): boolean {
  return mediaTypeOf(c.req.raw) === "application/json";
}

/** The source of one flow. @throws DomainError unsupported_media_type, too_large */
export async function readSource(c: Context<AppEnv>): Promise<string> {
  requireMediaType(c, ...SOURCE_TYPES);
  return await readText(c, MAX_FLOW_SOURCE_BYTES);
}

/**
 * The sources of several flows as one text; parts of a form and objects of a JSON list are joined.
 * @throws DomainError unsupported_media_type, too_large
 */
export async function readSources(c: Context<AppEnv>): Promise<string> {
  if (mediaTypeOf(c.req.raw) === "multipart/form-data") {
    const parts = await readForm(c.req.raw, { maxBytes: MAX_JSON_BODY_BYTES });
    return parts.map(({ value }) => value).join(SEPARATOR);
  }
  requireMediaType(c, ...SOURCE_TYPES);
  const text = await readText(c, MAX_JSON_BODY_BYTES);
  return text.trimStart().startsWith("[") ? documentsOf(text) : text;
}

/** Several YAML documents never begin with a bracket. A text that is not a JSON list is returned as is; its parser refuses it. */
function documentsOf(text: string): string {
  const list = tryParseJson(text);
  return Array.isArray(list) ? list.map((flow) => stringifyJson(flow)).join(SEPARATOR) : text;
}

/** A body of `[{namespace, id}]`; further members are ignored. @throws DomainError invalid_json, invalid_body, invalid_argument */
export async function readFlowKeys(c: Context<AppEnv>): Promise<FlowKey[]> {
  const list = await readJson(c);
  if (!Array.isArray(list)) throw invalidBody('the body must be a list of "namespace" and "id"');
  checkNumberOf("flows", list);
  return list.map(readFlowKey);
}

function readFlowKey(entry: JsonValue): FlowKey {
  const namespace = isJsonObject(entry) ? ownProperty(entry, "namespace") : undefined;
  const id = isJsonObject(entry) ? ownProperty(entry, "id") ?? ownProperty(entry, "flowId") : undefined;
  if (typeof namespace === "string" && typeof id === "string") return { namespace, id };
  throw invalidArgument('each entry must have a "namespace" and an "id"');
}

/** The flow of a path. */
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
