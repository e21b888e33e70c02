/** Functions on texts without regular expressions. */
import type { JsonValue } from "../../../base/json.ts";
import { isNumber, toFloat } from "../../values/mod.ts";
import { splitText } from "../arithmetic.ts";
import type { Machine } from "../code.ts";
import { raise } from "../errors.ts";
import { FORMATS, formatText } from "../formats.ts";
import { describe } from "../values.ts";
import { type FunctionEntry, textOf, type ValueFunction } from "./entry.ts";

const MAX_CODE_POINT = 0x10ffff;

/** Functions on texts. */
export const TEXT_FUNCTIONS: readonly FunctionEntry[] = [
  ["utf8bytelength/0", (value, _, machine) => {
    const text = textOf(value, `${describe(value)} only strings have UTF-8 byte length`);
    machine.spendText(text.length);
    return new TextEncoder().encode(text).length;
  }],
  ["startswith/1", edge("startswith", (text, part) => text.startsWith(part))],
  ["endswith/1", edge("endswith", (text, part) => text.endsWith(part))],
  ["ltrimstr/1", trimmed((text, part) => text.startsWith(part) ? text.slice(part.length) : text)],
  [
    "rtrimstr/1",
    trimmed((text, part) => part !== "" && text.endsWith(part) ? text.slice(0, -part.length) : text),
  ],
  ["trim/0", mapped("trim", (text) => text.trim())],
  ["ltrim/0", mapped("ltrim", (text) => text.trimStart())],
  ["rtrim/0", mapped("rtrim", (text) => text.trimEnd())],
  [
    "ascii_downcase/0",
    mapped("ascii_downcase", (text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  ],
  ["ascii_upcase/0", mapped("ascii_upcase", (text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()))],
  ["explode/0", explode],
  ["implode/0", implode],
  ["split/1", (value, [separator = null], machine) => {
    const message = "split input and separator must be strings";
    return splitText(textOf(value, message), textOf(separator, message), machine);
  }],
  ["format/1", (value, [name = null], machine) => {
    const format = FORMATS.get(textOf(name, `${describe(name)} is not a valid format`));
    return format ? formatText(format, value, machine) : raise(`${String(name)} is not a valid format`);
  }],
];

function edge(name: string, test: (text: string, part: string) => boolean): ValueFunction {
  const message = `${name}() requires string inputs`;
  return (value, [part], machine) => {
    const text = textOf(value, message), sought = textOf(part, message);
    machine.spend(sought.length >>> 5);
    return test(text, sought);
  };
}

/** Other values than texts, and other arguments, leave the input unchanged. */
function trimmed(trim: (text: string, part: string) => string): ValueFunction {
  return (value, [part], machine) => {
    if (typeof value !== "string" || typeof part !== "string") return value;
    machine.spend(part.length >>> 5);
    return trim(value, part);
  };
}

function mapped(name: string, map: (text: string) => string): ValueFunction {
  return (value, _, machine) => {
    const text = textOf(value, `${name} input must be a string`);
    machine.spendText(text.length);
    return map(text);
  };
}

function explode(value: JsonValue, _: readonly JsonValue[], machine: Machine): JsonValue {
  const text = textOf(value, `${describe(value)} cannot be exploded`);
  machine.spendElements(text.length * 4);
  return Array.from(text, (sign) => sign.codePointAt(0) ?? 0);
}

function implode(value: JsonValue, _: readonly JsonValue[], machine: Machine): JsonValue {
  if (!Array.isArray(value)) return raise("implode input must be an array");
  machine.spendElements(value.length * 4);
  const signs = value.map((code) => {
    if (!isNumber(code)) return raise("Unicode codepoint must be numeric");
    const point = Math.trunc(toFloat(code));
    return point >= 0 && point <= MAX_CODE_POINT
      ? String.fromCodePoint(point)
      : raise("Invalid codepoint literal");
  });
  return signs.join("");
}
