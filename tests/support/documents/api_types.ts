/** Writes `src/ui/app/api/schemas.ts`, the types of the UI, from the schemas of the OpenAPI description. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../src/base/json.ts";
import { componentsOf } from "../../../src/http/openapi/components.ts";

const SCHEMAS = componentsOf("seconds");
const UI = new URL("../../../src/ui/app/", import.meta.url).pathname;
const PATH = `${UI}api/schemas.ts`;
const HEAD =
  `/** Entities of responses as the OpenAPI description has them. Written by \`deno task ui:types\`. */

/** By their names in the description: those that the UI names, and what they consist of. */
export interface Schemas {`;
const NAMED = /\bSchemas\["(\w+)"\]/g;

/** The file as it should be. */
export async function apiTypes(): Promise<string> {
  const types = new Map<string, string>();
  const add = (text: string) => {
    for (const [, name = ""] of text.matchAll(NAMED)) {
      if (types.has(name)) continue;
      const type = typeOf(SCHEMAS[name]);
      types.set(name, type);
      add(type);
    }
  };
  add(await sourceOfUi(UI));
  const lines = [...types].toSorted(([a], [b]) => a < b ? -1 : 1).map(([name, type]) =>
    `readonly ${name}: ${type};`
  );
  return await formatted([HEAD, ...lines, "}", ""].join("\n"));
}

/** The file as it is. */
export function writtenTypes(): Promise<string> {
  return Deno.readTextFile(PATH);
}

async function sourceOfUi(folder: string): Promise<string> {
  let text = "";
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) text += await sourceOfUi(`${folder}${name}/`);
    else if (/\.tsx?$/.test(name) && folder + name !== PATH) text += await Deno.readTextFile(folder + name);
  }
  return text;
}

function typeOf(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return "unknown";
  const { $ref, enum: values, anyOf, type, items } = schema;
  if (typeof $ref === "string") return `Schemas["${$ref.slice($ref.lastIndexOf("/") + 1)}"]`;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(" | ");
  switch (type) {
    case "string":
    case "boolean":
      return type;
    case "integer":
    case "number":
      return "number";
    case "array":
      return listType(typeOf(items));
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function listType(item: string): string {
  return `readonly ${item.includes("|") && !item.startsWith("{") ? `(${item})` : item}[]`;
}

function objectType({ properties, required, additionalProperties }: JsonObject): string {
  if (!isJsonObject(properties)) return `{ readonly [name: string]: ${typeOf(additionalProperties)} }`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(properties).map(([name, schema]) =>
    `readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}${needed.has(name) ? "" : "?"}: ${
      typeOf(schema)
    };`
  );
  return `{ ${members.join("\n")} }`;
}

async function formatted(text: string): Promise<string> {
  const args = ["fmt", "--ext", "ts", "--line-width", "110", "-"];
  const command = new Deno.Command(Deno.execPath(), { args, stdin: "piped", stdout: "piped" });
  await using process = command.spawn();
  const writer = process.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await process.output()).stdout);
}

if (import.meta.main) await Deno.writeTextFile(PATH, await apiTypes());
