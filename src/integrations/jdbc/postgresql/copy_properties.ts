/** Properties of COPY, and its options as SQL. */
import type { JsonObject, JsonValue } from "../../../base/json.ts";
import {
  dynamicChoice,
  dynamicProperty,
  dynamicText,
  type PropertySchemas,
} from "../../../model/flows/schema.ts";
import { textProperty } from "../session.ts";
import { POSTGRESQL } from "./database.ts";

const COLUMN_NAME = { items: { type: "string", dynamic: true, description: "A name." } } as const;

/** Properties of CopyIn and CopyOut. */
export const COPY_PROPERTIES: PropertySchemas = Object.freeze({
  table: dynamicText("Name of the table."),
  columns: dynamicProperty("list", "Names of the columns; default are all.", COLUMN_NAME),
  format: dynamicChoice(["TEXT", "CSV", "BINARY"], "TEXT", "Format of the file."),
  header: dynamicProperty("boolean", "Whether the first line has the names of the columns."),
  delimiter: dynamicText("Character between values."),
  nullString: dynamicText("Text that stands for no value."),
  quote: dynamicText("Character around values, in CSV."),
  escape: dynamicText("Character before a quote within a value, in CSV."),
  freeze: dynamicProperty("boolean", "Whether rows are stored frozen."),
  forceQuote: dynamicProperty("list", "Columns whose values are always quoted.", COLUMN_NAME),
  forceNotNull: dynamicProperty("list", "Columns where the null string is a text.", COLUMN_NAME),
  forceNull: dynamicProperty("list", "Columns where a quoted null string is no value.", COLUMN_NAME),
  encoding: dynamicText("Encoding of the file."),
});

/** The table with its columns. @throws Error there is no table */
export function copyTarget(properties: JsonObject): string {
  const table = textProperty(properties, "table");
  if (table === undefined) throw new Error("Missing table: it is empty");
  const name = table.split(".").map((part) => POSTGRESQL.quoted(part)).join(".");
  return Array.isArray(properties.columns) ? `${name} ${namesOf(properties.columns)}` : name;
}

/** The options, in parentheses. */
export function copyOptions(properties: JsonObject): string {
  const options: string[] = [`FORMAT ${textProperty(properties, "format") ?? "TEXT"}`];
  const texts = {
    delimiter: "DELIMITER",
    nullString: "NULL",
    quote: "QUOTE",
    escape: "ESCAPE",
    encoding: "ENCODING",
  };
  for (const [name, option] of Object.entries(texts)) {
    const value = properties[name];
    if (typeof value === "string") options.push(`${option} '${value.replaceAll("'", "''")}'`);
  }
  for (const name of ["header", "freeze"]) {
    const value = properties[name];
    if (typeof value === "boolean") options.push(`${name.toUpperCase()} ${value}`);
  }
  const lists = { forceQuote: "FORCE_QUOTE", forceNotNull: "FORCE_NOT_NULL", forceNull: "FORCE_NULL" };
  for (const [name, option] of Object.entries(lists)) {
    const value = properties[name];
    if (Array.isArray(value)) options.push(`${option} ${namesOf(value)}`);
  }
  return `(${options.join(", ")})`;
}

function namesOf(names: readonly JsonValue[]): string {
  return `(${names.map((name) => POSTGRESQL.quoted(String(name))).join(", ")})`;
}
