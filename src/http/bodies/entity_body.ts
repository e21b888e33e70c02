/** JSON bodies that describe one entity: a secret, a token, a tenant. */
import type { Context } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { readJson, requireMediaType } from "./body.ts";
import type { AppEnv } from "../env.ts";
import { invalidEntity } from "../refusals.ts";

/** The JSON object of a body; `form` describes it in the refusal. @throws DomainError unsupported_media_type, invalid_json, invalid_entity */
export async function readEntity(c: Context<AppEnv>, form: string): Promise<JsonObject> {
  requireMediaType(c, "application/json");
  const body = await readJson(c);
  if (isJsonObject(body)) return body;
  throw invalidEntity(form);
}

/** Whether a value is a list of texts. */
export function isTextList(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** A text member; `undefined` when absent or null. @throws DomainError invalid_entity */
export function textMember(body: JsonObject, name: string): string | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  throw invalidEntity(`${name}: must be a text`);
}

/** A member that is true or false; `undefined` when absent or null. @throws DomainError invalid_entity */
export function flagMember(body: JsonObject, name: string): boolean | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined || typeof value === "boolean") return value;
  throw invalidEntity(`${name}: must be true or false`);
}

/** A list of texts, each once; `undefined` when absent or null. `what` describes them. @throws DomainError invalid_entity */
export function textsMember(body: JsonObject, name: string, what: string): string[] | undefined {
  const value = ownProperty(body, name) ?? undefined;
  if (value === undefined) return undefined;
  if (isTextList(value)) return [...new Set(value)];
  throw invalidEntity(`${name}: must be a list of ${what}`);
}
