/** The `format` filter: `%s`, `%d`, `%f`, `%x`, `%c`, `%b` with flags, width and precision. */
import { Double, type JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FilterEntry, textFilter } from "../entry.ts";
import { fail } from "../errors.ts";
import { isInteger, isNumber, toFloat } from "../numbers.ts";
import { joinText, kindOf } from "../print.ts";

const DIRECTIVE = /%(?:(\d{1,3})\$)?([-+0, #]*)(\d{1,6})?(?:\.(\d{1,2}))?(.)/gsu;

/** Filters that fill a text with values. */
export const FORMAT_FILTERS: readonly FilterEntry[] = [
  ["format", textFilter({ parameters: ["args"], required: 1 }, format)],
];

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

type Print = (value: JsonValue, directive: Directive) => string;

const CONVERSIONS: ReadonlyMap<string, Print> = new Map<string, Print>([
  ["s", (value, { precision }) => (value === null ? "null" : joinText(value)).slice(0, precision)],
  ["b", (value) => String(value !== null && value !== false)],
  ["d", (value, { flags }) => signed(integerOf(value, "d"), flags)],
  ["x", (value) => BigInt.asUintN(64, BigInt(integerOf(value, "x"))).toString(16)],
  ["f", (value, { flags, precision = 6 }) => signed(floatOf(value).toFixed(precision), flags)],
]);

function format(text: string, [values = null]: Arguments, context: Context): JsonValue {
  const list = Array.isArray(values) ? values : [values];
  let next = 0;
  return text.replace(DIRECTIVE, (_, index, flags: string, width = "0", precision, conversion: string) => {
    if (conversion === "%") return "%";
    if (conversion === "n") return "\n";
    const print = CONVERSIONS.get(conversion);
    if (!print) return fail("argument", `Unknown conversion "%${conversion}"`);
    const value = list[index === undefined ? next++ : Number(index) - 1];
    if (value === undefined) {
      return fail("argument", "Cannot format the text: there are more conversions than values");
    }
    const directive = {
      flags,
      width: Number(width),
      precision: precision === undefined ? undefined : Number(precision),
    };
    const printed = padded(print(value, directive), directive);
    context.produce(printed.length);
    return printed;
  });
}

function integerOf(value: JsonValue, conversion: string): string {
  return isInteger(value)
    ? String(value)
    : fail("type", `Cannot format ${kindOf(value)} with "%${conversion}"`);
}

function floatOf(value: JsonValue): number {
  const isFloat = value instanceof Double || isNumber(value);
  return isFloat ? toFloat(value) : fail("type", `Cannot format ${kindOf(value)} with "%f"`);
}

function signed(digits: string, flags: string): string {
  const grouped = flags.includes(",") ? digits.replace(/\B(?<!\.\d*)(?=(?:\d{3})+(?!\d))/g, ",") : digits;
  if (digits.startsWith("-")) return grouped;
  return flags.includes("+") ? `+${grouped}` : flags.includes(" ") ? ` ${grouped}` : grouped;
}

function padded(text: string, { flags, width }: Directive): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  const sign = /^[-+ ]/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}
