/** Flow → JSON of the API. */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
} from "../../base/json.ts";
import type { Flow } from "../../model/flows/flow.ts";
import { scalarText } from "../schema/describe.ts";
import { MANAGED_PROPERTIES } from "../source/source_edit.ts";

/** Lists of objects whose null members are left out. */
const LISTS_OF_OBJECTS = new Set([
  "tasks",
  "errors",
  "finally",
  "afterExecution",
  "triggers",
  "inputs",
  "outputs",
]);

/** The flow in the order of its document: labels as a list, managed members set, null members left out. */
export function flowResponse(flow: Flow, options: { readonly source: boolean }): JsonObject {
  const { definition, id, namespace, revision, disabled, deleted } = flow;
  const response: JsonObject = { id, namespace, revision };
  for (const name of Object.keys(definition)) {
    const value = ownProperty(definition, name);
    if (value === undefined || value === null || MANAGED_PROPERTIES.has(name)) continue;
    if (!Object.hasOwn(response, name)) setOwnProperty(response, name, memberResponse(name, value, flow));
  }
  Object.assign(response, { disabled, deleted, draft: false });
  if (options.source) response.source = flow.source;
  return response;
}

function memberResponse(name: string, value: JsonValue, flow: Flow): JsonValue {
  if (name === "labels") return flow.labels.map(({ key, value }) => ({ key, value }));
  if (!LISTS_OF_OBJECTS.has(name) || !Array.isArray(value)) return value;
  const objectResponse = name === "inputs" ? inputResponse : withoutNulls;
  return value.map((item) => isJsonObject(item) ? objectResponse(item) : item);
}

/** An input that has the older member `name` has `id` too, by which clients know it. */
function inputResponse(input: JsonObject): JsonObject {
  const response = withoutNulls(input), name = ownProperty(response, "name");
  return name === undefined || Object.hasOwn(response, "id") ? response : { id: name, ...response };
}

/** The object without null members; an id written as a number becomes a text. */
function withoutNulls(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const name of Object.keys(object)) {
    const value = ownProperty(object, name);
    if (value === undefined || value === null) continue;
    setOwnProperty(copy, name, name === "id" ? scalarText(value) ?? value : value);
  }
  return copy;
}
