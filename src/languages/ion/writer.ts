/** Values → Ion text, compact. Decimals become floats, so that they are decimals again when read. https://amazon-ion.github.io/ion-docs/docs/spec.html */
import { Double, type JsonValue } from "../../base/json.ts";
import { measureValue } from "../values/mod.ts";

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
/** Names that would be read as values, and `$1`, which would be an entry of a symbol table. */
const RESERVED = /^(?:null|true|false|nan|\$\d+)$/;
// deno-lint-ignore no-control-regex
const ESCAPED = /["\\\u0000-\u001f\u007f]/g;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** The Ion text of a value. @throws ExpressionError `limit` */
export function ionText(value: JsonValue): string {
  measureValue(value);
  return write(value);
}

function write(value: JsonValue): string {
  if (value instanceof Double) return floatText(value.value);
  if (typeof value === "string") return `"${escaped(value)}"`;
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(",")}]`;
  const members = Object.keys(value).map((name) => `${nameText(name)}:${write(value[name] as JsonValue)}`);
  return `{${members.join(",")}}`;
}

/** An exponent makes it a float: without one it would be a decimal of arbitrary precision. */
function floatText(value: number): string {
  if (Object.is(value, -0)) return "-0e0";
  const text = String(value).replace("e+", "e");
  return text.includes("e") ? text : `${text}e0`;
}

function nameText(name: string): string {
  if (IDENTIFIER.test(name) && !RESERVED.test(name)) return name;
  return `'${escaped(name).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function escaped(text: string): string {
  return text.replace(
    ESCAPED,
    (sign) => ESCAPES.get(sign) ?? `\\x${sign.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
