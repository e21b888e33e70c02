/** The `format` filter: `%s`, `%b`, `%c`, `%d`, `%x`, `%o`, `%f`, `%e` with flags, width and precision; upper case too. */
import { Double, type JsonValue } from "../../base/json.ts";
import type { Context } from "../context.ts";
import { type Arguments, type FilterEntry, textFilter } from "../entry.ts";
import { weightOf } from "../weight.ts";
import { fail, isInteger, isNumber, joinText, kindOf, toFloat } from "../../languages/values/mod.ts";

const DIRECTIVE = /%(?:(\d{1,3})\$)?([-+0, #]*)(\d{1,6})?(?:\.(\d{1,2}))?(.)/gsu;

/** `format`. */
export const FORMAT_FILTERS: readonly FilterEntry[] = [
  ["format", textFilter({ parameters: ["args"], required: 1, isVariadic: true }, format)],
];

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
}

type Print = (value: JsonValue, directive: Directive, context: Context) => string;

const CONVERSIONS: ReadonlyMap<string, Print> = new Map<string, Print>([
  [
    "s",
    (value, { precision }, context) =>
      (value === null ? "null" : joinText(value, context)).slice(0, precision),
  ],
  ["b", (value) => String(value !== null && value !== false)],
  ["d", (value, { flags }) => signed(integerOf(value, "d"), flags)],
  ["x", (value) => unsigned(value, "x").toString(16)],
  ["o", (value) => unsigned(value, "o").toString(8)],
  ["c", character],
  ["e", (value, { flags, precision = 6 }) => signed(scientific(floatOf(value), precision), flags)],
  ["f", (value, { flags, precision = 6 }) => signed(floatOf(value).toFixed(precision), flags)],
]);

/** Conversions whose upper-case letter prints in upper case. */
const UPPER_CASE = /^[SBCXE]$/;

function printerOf(conversion: string): Print {
  if (!UPPER_CASE.test(conversion)) {
    return CONVERSIONS.get(conversion) ?? fail("argument", `Unknown conversion "%${conversion}"`);
  }
  const print = CONVERSIONS.get(conversion.toLowerCase()) as Print;
  return (value, directive, context) => print(value, directive, context).toUpperCase();
}

/** Values one by one, or as one list. */
function valuesOf(args: Arguments): readonly JsonValue[] {
  const [only = null] = args;
  return args.length === 1 && Array.isArray(only) ? only : args.map((value) => value ?? null);
}

function format(text: string, args: Arguments, context: Context): JsonValue {
  const list = valuesOf(args);
  let next = 0;
  return text.replace(DIRECTIVE, (_, index, flags: string, width = "0", precision, conversion: string) => {
    context.spend(1);
    if (conversion === "%") return "%";
    if (conversion === "n") return "\n";
    const print = printerOf(conversion);
    const value = list[index === undefined ? next++ : Number(index) - 1];
    if (value === undefined) {
      return fail("argument", "Cannot format the text: there are more conversions than values");
    }
    const directive = {
      flags,
      width: Number(width),
      precision: precision === undefined ? undefined : Number(precision),
    };
    const printed = padded(print(value, directive, context), directive);
    context.spend(weightOf(value) + weightOf(printed));
    context.produce(printed.length);
    return printed;
  });
}

function integerOf(value: JsonValue, conversion: string): string {
  return isInteger(value)
    ? String(value)
    : fail("type", `Cannot format ${kindOf(value)} with "%${conversion}"`);
}

function unsigned(value: JsonValue, conversion: string): bigint {
  return BigInt.asUintN(64, BigInt(integerOf(value, conversion)));
}

function character(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "number" && value >= 0 && value <= 0x10ffff) return String.fromCodePoint(value);
  const isOne = typeof value === "string" && value.length <= 2 && [...value].length === 1;
  return isOne ? value : fail("type", `Cannot format ${kindOf(value)} with "%c"`);
}

/** `1.234568e+04`: the exponent has at least two digits. */
function scientific(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([+-])(\d)$/, "e$10$2");
}

function floatOf(value: JsonValue): number {
  const isFloat = value instanceof Double || isNumber(value);
  return isFloat ? toFloat(value) : fail("type", `Cannot format ${kindOf(value)} with "%f"`);
}

function signed(digits: string, flags: string): string {
  const grouped = flags.includes(",") ? digits.replace(/\d+/, inThousands) : digits;
  if (digits.startsWith("-")) return grouped;
  return flags.includes("+") ? `+${grouped}` : flags.includes(" ") ? ` ${grouped}` : grouped;
}

/** `1,234,567`, in linear time. */
function inThousands(digits: string): string {
  const head = digits.slice(0, digits.length % 3);
  const groups = digits.slice(head.length).match(/.{3}/g) ?? [];
  return [...head === "" ? [] : [head], ...groups].join(",");
}

function padded(text: string, { flags, width }: Directive): string {
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0")) return text.padStart(width);
  const sign = /^[-+ ]/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}
