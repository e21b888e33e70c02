/** Reads requests of trigger routes. */
import type { Context } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { checkStartLabels, readLabels } from "../../model/flows/label.ts";
import type { TriggerKey } from "../../model/flows/flow.ts";
import type { BackfillRequest } from "../../services/triggers/triggers.ts";
import { readJson } from "../bodies/body.ts";
import type { AppEnv } from "../env.ts";
import { invalidArgument, invalidBody, invalidEntity } from "../refusals.ts";

/** The body, a JSON object. @throws DomainError invalid_json, invalid_body */
export async function readObject(c: Context<AppEnv>): Promise<JsonObject> {
  const body = await readJson(c);
  if (isJsonObject(body)) return body;
  throw invalidBody("the body must be an object");
}

/** The trigger of a path. */
export function readTriggerKey(c: Context<AppEnv>): TriggerKey {
  const { namespace = "", flowId = "", triggerId = "" } = c.req.param() as Record<string, string>;
  return { namespace, flowId, triggerId };
}

/** The trigger that an object names; other members are ignored. @throws DomainError invalid_argument */
export function triggerKeyIn(value: JsonValue): TriggerKey {
  const text = (name: string) => isJsonObject(value) ? ownProperty(value, name) : undefined;
  const namespace = text("namespace"), flowId = text("flowId"), triggerId = text("triggerId");
  if (typeof namespace === "string" && typeof flowId === "string" && typeof triggerId === "string") {
    return { namespace, flowId, triggerId };
  }
  throw invalidArgument('a trigger is named by "namespace", "flowId" and "triggerId"');
}

/** A list of trigger keys. @throws DomainError invalid_argument */
export function triggerKeysIn(value: JsonValue | undefined): TriggerKey[] {
  if (Array.isArray(value)) return value.map(triggerKeyIn);
  throw invalidArgument("the triggers must be a list");
}

/** A required flag. @throws DomainError invalid_argument */
export function requiredFlag(body: JsonObject, name: string): boolean {
  const value = ownProperty(body, name);
  if (typeof value === "boolean") return value;
  throw invalidArgument(`"${name}" must be true or false`);
}

/** The `backfill` of a body. @throws DomainError invalid_entity */
export function backfillIn(body: JsonObject): BackfillRequest {
  const backfill = ownProperty(body, "backfill");
  if (!isJsonObject(backfill)) {
    throw invalidEntity("backfill: must not be null");
  }
  const start = dateIn(backfill, "start");
  if (start === undefined) {
    throw invalidEntity("backfill.start: must not be null");
  }
  return {
    start,
    end: dateIn(backfill, "end"),
    isPaused: pausedIn(backfill),
    inputs: inputsIn(backfill),
    labels: labelsIn(backfill),
  };
}

function pausedIn(backfill: JsonObject): boolean | undefined {
  const paused = ownProperty(backfill, "paused") ?? undefined;
  if (paused === undefined || typeof paused === "boolean") return paused;
  throw invalidEntity("backfill.paused: must be true or false");
}

function inputsIn(backfill: JsonObject): JsonObject | undefined {
  const inputs = ownProperty(backfill, "inputs") ?? null;
  if (inputs === null) return undefined;
  if (isJsonObject(inputs)) return inputs;
  throw invalidEntity("backfill.inputs: must be an object");
}

/** Each date starts an execution with these labels, so invalid ones are refused at once. */
function labelsIn(backfill: JsonObject): JsonValue | undefined {
  const labels = ownProperty(backfill, "labels") ?? null;
  if (labels === null) return undefined;
  if (typeof labels !== "object" || Array.isArray(labels) && !labels.every(isJsonObject)) {
    throw invalidEntity("backfill.labels: must be a list of key and value, or an object");
  }
  checkStartLabels(readLabels(labels));
  return labels;
}

function dateIn(backfill: JsonObject, name: string): number | undefined {
  const value = ownProperty(backfill, name) ?? null;
  if (value === null || value === "") return undefined;
  const at = parseInstant(String(value));
  if (at !== undefined) return at;
  throw invalidEntity(
    `backfill.${name}: "${String(value).slice(0, 100)}" is no time such as "2026-01-31T08:15:30Z"`,
  );
}
