/** What routes of triggers read from requests. */
import type { Context } from "hono";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import { parseInstant } from "../../base/iso_8601.ts";
import { checkStartLabels, readLabels } from "../../model/flows/label.ts";
import type { TriggerKey } from "../../model/flows/flow.ts";
import type { BackfillRequest } from "../../services/triggers/triggers.ts";
import { readJson } from "./body.ts";
import type { AppEnv } from "./env.ts";

/** The body, which is an object. @throws DomainError invalid_json, invalid_argument */
export async function readObject(c: Context<AppEnv>): Promise<JsonObject> {
  const body = await readJson(c);
  if (isJsonObject(body)) return body;
  throw new DomainError("invalid_argument", "Illegal argument: the body must be an object");
}

/** The trigger that a path names. */
export function readTriggerKey(c: Context<AppEnv>): TriggerKey {
  const { namespace = "", flowId = "", triggerId = "" } = c.req.param() as Record<string, string>;
  return { namespace, flowId, triggerId };
}

/** The trigger that an object names; its further members are ignored. @throws DomainError invalid_argument */
export function triggerKeyIn(value: JsonValue): TriggerKey {
  const text = (name: string) => isJsonObject(value) ? ownProperty(value, name) : undefined;
  const namespace = text("namespace"), flowId = text("flowId"), triggerId = text("triggerId");
  if (typeof namespace === "string" && typeof flowId === "string" && typeof triggerId === "string") {
    return { namespace, flowId, triggerId };
  }
  throw new DomainError(
    "invalid_argument",
    'Illegal argument: a trigger is named by "namespace", "flowId" and "triggerId"',
  );
}

/** A list of such objects. @throws DomainError invalid_argument */
export function triggerKeysIn(value: JsonValue | undefined): TriggerKey[] {
  if (Array.isArray(value)) return value.map(triggerKeyIn);
  throw new DomainError("invalid_argument", "Illegal argument: the triggers must be a list");
}

/** A flag that must be there. @throws DomainError invalid_argument */
export function requiredFlag(body: JsonObject, name: string): boolean {
  const value = ownProperty(body, name);
  if (typeof value === "boolean") return value;
  throw new DomainError("invalid_argument", `Illegal argument: "${name}" must be true or false`);
}

/** The backfill of a body. @throws DomainError invalid_entity */
export function backfillIn(body: JsonObject): BackfillRequest {
  const backfill = ownProperty(body, "backfill");
  if (!isJsonObject(backfill)) {
    throw new DomainError("invalid_entity", "Invalid entity: backfill: must not be null");
  }
  const start = dateIn(backfill, "start");
  if (start === undefined) {
    throw new DomainError("invalid_entity", "Invalid entity: backfill.start: must not be null");
  }
  return {
    start,
    end: dateIn(backfill, "end"),
    inputs: inputsIn(backfill),
    labels: labelsIn(backfill),
  };
}

function inputsIn(backfill: JsonObject): JsonObject | undefined {
  const inputs = ownProperty(backfill, "inputs") ?? null;
  if (inputs === null) return undefined;
  if (isJsonObject(inputs)) return inputs;
  throw new DomainError("invalid_entity", "Invalid entity: backfill.inputs: must be an object");
}

/** Each date would start an execution with them: what none of those could have is refused at once. */
function labelsIn(backfill: JsonObject): JsonValue | undefined {
  const labels = ownProperty(backfill, "labels") ?? null;
  if (labels === null) return undefined;
  if (typeof labels !== "object" || Array.isArray(labels) && !labels.every(isJsonObject)) {
    const message = "Invalid entity: backfill.labels: must be a list of key and value, or an object";
    throw new DomainError("invalid_entity", message);
  }
  checkStartLabels(readLabels(labels));
  return labels;
}

function dateIn(backfill: JsonObject, name: string): number | undefined {
  const value = ownProperty(backfill, name) ?? null;
  if (value === null || value === "") return undefined;
  const at = parseInstant(String(value));
  if (at !== undefined) return at;
  throw new DomainError(
    "invalid_entity",
    `Invalid entity: backfill.${name}: "${
      String(value).slice(0, 100)
    }" is no time such as "2026-01-31T08:15:30Z"`,
  );
}
