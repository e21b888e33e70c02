/** `redis.vector.Add`, `Similarity` and `Delete`, of Redis 8. https://redis.io/docs/latest/develop/data-types/vector-sets/ */
import {
  Double,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskDefinition } from "../../model/tasks/task_definition.ts";
import { CONNECTION_PROPERTIES, KEY, withRedis } from "./session.ts";
import { FAILED_ON_MISSING } from "./string_tasks.ts";

const URL_EXAMPLE = `url: "{{ secret('REDIS_URL') }}"`;
const QUANTIZATIONS: ReadonlyMap<string, string> = new Map([
  ["NO_QUANTIZATION", "NOQUANT"],
  ["BINARY", "BIN"],
  ["Q8", "Q8"],
]);

const count = (description: string): PropertySchema =>
  dynamicProperty("integer", description, { minimum: 1 });

function vectorProperty(description: string, further: Partial<PropertySchema> = {}): PropertySchema {
  return dynamicProperty("list", description, {
    items: { type: "number", description: "A number." },
    orText: true,
    ...further,
  });
}

/** `VALUES`, the number of numbers, and these. @throws Error the value is no list of numbers, or is empty */
function vectorArguments(value: JsonValue | undefined): string[] {
  const given = typeof value === "string" ? value.replace(/^\s*\[|\]\s*$/g, "").split(",") : value;
  const texts = Array.isArray(given) ? given.map((each) => String(each).trim()) : [];
  if (texts.length === 0 || !texts.every((each) => each !== "" && Number.isFinite(Number(each)))) {
    throw new Error("Invalid vector: it must be a list of numbers");
  }
  return ["VALUES", String(texts.length), ...texts.map((each) => String(Number(each)))];
}

/** Option and value, for a value that is given. */
function option(name: string, value: JsonValue | undefined): string[] {
  const text = optionalText(value);
  return text === undefined ? [] : [name, text];
}

const add = defineTask({
  type: "redis.vector.Add",
  title: "Add a vector to Redis",
  description:
    "Adds an element with its vector to a set of vectors, or replaces its vector. The server needs Redis 8.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    element: dynamicText("Name of the element.", { required: true }),
    vector: vectorProperty("The vector.", { required: true }),
    reduceDim: count("Dimensions to which the vector is reduced."),
    quantization: dynamicProperty("string", "How numbers are stored; default is 8 bits.", {
      values: [...QUANTIZATIONS.keys()],
    }),
    explorationFactor: count("Effort of the insertion."),
    maxNodes: count("Most connections of an element in the graph."),
    checkAndSet: dynamicFlag(false, "Whether a part of the work runs beside other commands."),
    attributes: dynamicProperty("map", "Attributes of the element, for filters."),
  },
  outputs: { added: { type: "boolean", description: "Whether the element is new." } },
  examples: [{
    title: "Add a vector",
    yaml:
      `id: add\ntype: io.svc.plugin.redis.vector.Add\n${URL_EXAMPLE}\nkey: texts\nelement: text-1\nvector: [0.1, 0.9]`,
  }],
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const {
        key,
        element,
        vector,
        reduceDim,
        quantization,
        explorationFactor,
        maxNodes,
        checkAndSet,
        attributes,
      } = context.properties;
      const form = QUANTIZATIONS.get(String(quantization));
      const reply = await command(
        "VADD",
        String(key),
        ...option("REDUCE", reduceDim),
        ...vectorArguments(vector),
        String(element),
        ...checkAndSet === true ? ["CAS"] : [],
        ...form === undefined ? [] : [form],
        ...option("EF", explorationFactor),
        ...isJsonObject(attributes) ? ["SETATTR", stringifyJson(attributes)] : [],
        ...option("M", maxNodes),
      );
      return { added: Number(reply) === 1 };
    }),
});

const similarity = defineTask({
  type: "redis.vector.Similarity",
  title: "Find similar vectors in Redis",
  description:
    "Finds the elements whose vectors are the most similar to a vector, or to that of an element. The server needs Redis 8.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    vector: vectorProperty("Vector to compare with."),
    element: dynamicText("Element to compare with, in place of a vector."),
    count: dynamicProperty("integer", "Most elements; default is 10.", { minimum: 1, maximum: 10_000 }),
    filter: dynamicText("Condition on attributes, such as `.year > 1950`."),
    filterEfficiency: count("Most candidates for the filter."),
    explorationFactor: count("Effort of the search."),
    epsilon: dynamicProperty("number", "Largest distance of the search.", { minimum: 0 }),
  },
  outputs: {
    matches: {
      type: "list",
      description: "The elements, the most similar first.",
      items: { type: "string", description: "Name of an element." },
    },
    scores: { type: "map", description: "Similarity by element, from 0 to 1." },
  },
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { key, vector, element, count, filter, filterEfficiency, explorationFactor, epsilon } =
        context.properties;
      const name = optionalText(element);
      if ((name === undefined) === (vector === undefined)) throw new Error("Give either vector or element");
      const reply = await command(
        "VSIM",
        String(key),
        ...name === undefined ? vectorArguments(vector) : ["ELE", name],
        "WITHSCORES",
        ...option("COUNT", count),
        ...option("EPSILON", epsilon),
        ...option("EF", explorationFactor),
        ...option("FILTER", filter),
        ...option("FILTER-EF", filterEfficiency),
      );
      return foundIn(Array.isArray(reply) ? reply.map(String) : []);
    }),
});

/** Names and scores in turn. */
function foundIn(reply: readonly string[]): JsonObject {
  const matches: string[] = [];
  const scores: JsonObject = {};
  for (let at = 0; at + 1 < reply.length; at += 2) {
    const name = reply[at] ?? "";
    matches.push(name);
    setOwnProperty(scores, name, new Double(Number(reply[at + 1])));
  }
  return { matches, scores };
}

const deleteElements = defineTask({
  type: "redis.vector.Delete",
  title: "Delete vectors of Redis",
  description: "Removes elements of a set of vectors. The server needs Redis 8.",
  properties: {
    ...CONNECTION_PROPERTIES,
    ...KEY,
    elements: dynamicProperty("list", "Names of the elements.", {
      required: true,
      orText: true,
      items: { type: "string", description: "Name of an element." },
    }),
    failedOnMissing: FAILED_ON_MISSING,
  },
  outputs: { count: { type: "integer", description: "Number of elements that were removed." } },
  run: (context) =>
    withRedis(context, async ({ command }) => {
      const { key, elements, failedOnMissing } = context.properties;
      const names = new Set([elements ?? []].flat().map(String));
      let count = 0;
      for (const name of names) count += Number(await command("VREM", String(key), name));
      if (failedOnMissing === true && count < names.size) {
        throw new Error(`Only ${count} of ${names.size} elements existed`);
      }
      return { count };
    }),
});

/** Types below `redis.vector.`. */
export const VECTOR_TASKS: readonly TaskDefinition[] = [add, deleteElements, similarity];
