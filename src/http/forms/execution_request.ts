/** Reads requests of execution routes: ids, labels, states, forms. */
import type { Context } from "hono";
import { isId } from "../../base/id.ts";
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { DomainError } from "../../model/errors.ts";
import type { Label } from "../../model/flows/label.ts";
import type { GivenValue } from "../../model/flows/input_value.ts";
import type { State } from "../../model/executions/state.ts";
import type { ReadForm } from "../../services/starts/given_files.ts";
import { ASSIGNABLE_STATES } from "../../services/executions/execution_actions.ts";
import { readJson } from "../bodies/body.ts";
import { isTextList } from "../bodies/entity_body.ts";
import type { AppEnv } from "../env.ts";
import { hasNoForm, readStartForm } from "./start_form.ts";
import { checkNumberOf, invalidArgument, invalidBody } from "../refusals.ts";

/** A first segment that is an execution id and never a namespace: it begins with an upper-case letter. */
export const EXECUTION_ID = ":id{[A-Z][0-9A-Za-z]+}";

/** The execution id of the path; a malformed one is refused without a lookup. @throws DomainError not_found */
export function executionIdOf(c: Context<AppEnv>): string {
  const id = c.req.param("id") ?? "";
  if (isId(id)) return id;
  throw new DomainError("not_found", `Not Found: execution "${id.slice(0, 100)}" does not exist`);
}

const NOTHING_GIVEN: ReadonlyMap<string, GivenValue> = new Map();
const readNothing: ReadForm = () => NOTHING_GIVEN;

/** A reader of the form of a request. */
export function formReader(c: Context<AppEnv>, maxBytes: number): ReadForm {
  const request = c.req.raw;
  if (hasNoForm(request)) return readNothing;
  return (inputs, store) => readStartForm(request, { inputs, store, limits: { maxBytes } });
}

/** A body of ids. @throws DomainError invalid_json, invalid_body, invalid_argument */
export async function readIds(c: Context<AppEnv>): Promise<string[]> {
  return idsIn(await readJson(c));
}

/** A list of ids. @throws DomainError invalid_body, invalid_argument */
export function idsIn(list: JsonValue | undefined): string[] {
  if (Array.isArray(list)) checkNumberOf("executions", list);
  if (isTextList(list)) return list;
  throw invalidBody("the body must name executions by a list of ids");
}

/** A list of `{key, value}`. @throws DomainError invalid_body */
export function labelsIn(list: JsonValue | undefined): Label[] {
  if (!Array.isArray(list)) throw badLabels();
  return list.map((entry) => {
    const key = isJsonObject(entry) ? ownProperty(entry, "key") : undefined;
    const value = isJsonObject(entry) ? ownProperty(entry, "value") : undefined;
    if (typeof key !== "string" || typeof value !== "string") throw badLabels();
    return { key, value };
  });
}

function badLabels(): DomainError {
  return invalidBody('labels must be a list of objects with a text as "key" and as "value"');
}

/** One of these states, whatever its case. @throws DomainError invalid_argument, whose message begins with `rule`, if given */
export function stateIn<T extends State>(text: string, allowed: readonly T[], rule = ""): T {
  const state = allowed.find((candidate) => candidate === text.toUpperCase());
  if (state) return state;
  const reason = `the state must be one of ${allowed.join(", ")}, but received "${text.slice(0, 100)}"`;
  throw invalidArgument(rule + reason);
}

/** A state that an ended execution may get. @throws DomainError invalid_argument */
export function endStateIn(text: string): State {
  const rule = "You can only change the status of an execution to a terminal state. Cannot change it: ";
  return stateIn(text, ASSIGNABLE_STATES, rule);
}

/** A member of a JSON body that must be a text. @throws DomainError invalid_body */
export function textIn(body: JsonValue, name: string): string {
  const text = isJsonObject(body) ? ownProperty(body, name) : undefined;
  if (typeof text === "string" && text !== "") return text;
  throw invalidBody(`the body must have a text as "${name}"`);
}
