/** Reads the filters of a chart: `where` and `numerator`. */
import { parseDuration } from "../../base/time/duration.ts";
import { parseInstant } from "../../base/time/iso_8601.ts";
import { Double, isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import type { Path, Report } from "../../flow/mod.ts";
import { patternMistake } from "../../languages/regex/mod.ts";
import { patternProblem } from "../../model/executions/name_pattern.ts";
import {
  type ChartFilter,
  type DataKind,
  type FieldForm,
  type FieldName,
  FIELDS,
  FILTER_TYPES,
  type FilterType,
} from "./chart.ts";

const EQUALITY: readonly FilterType[] = ["EQUAL_TO", "NOT_EQUAL_TO", "IN", "NOT_IN"];
const PRESENCE: readonly FilterType[] = ["IS_NULL", "IS_NOT_NULL"];
const ORDERED: readonly FilterType[] = [
  ...EQUALITY,
  ...["GREATER_THAN", "GREATER_THAN_OR_EQUAL_TO", "LESS_THAN", "LESS_THAN_OR_EQUAL_TO"] as const,
  ...PRESENCE,
];
const TEXTUAL: readonly FilterType[] = [
  ...EQUALITY,
  ...["CONTAINS", "NOT_CONTAINS", "STARTS_WITH", "ENDS_WITH", "PREFIX", "REGEX"] as const,
  ...PRESENCE,
];
const TYPES_OF: Readonly<Record<FieldForm, readonly FilterType[]>> = {
  text: TEXTUAL,
  number: ORDERED,
  duration: ORDERED,
  date: ORDERED,
  label: [...EQUALITY, "CONTAINS"],
};
/** Fields of executions that the catalog compares in fewer ways. */
const TYPES_OF_EXECUTIONS: ReadonlyMap<string, readonly FilterType[]> = new Map([
  ["FLOW_REVISION", []],
  ["TRIGGER_EXECUTION_ID", [...EQUALITY, ...PRESENCE]],
]);
/** Fields that are compared with names of flows, for which there is a platform expression. */
const FLOW_NAMES: ReadonlySet<string> = new Set(["NAMESPACE", "FLOW_ID"]);

const MEMBERS = ["type", "field", "value", "values", "labelKey"];
const MAX_FILTERS = 100;
const MAX_VALUES = 1_000;
const MAX_DEPTH = 4;

/** Reads filters over the fields of one kind of data, and reports what is wrong with them. */
export class FilterParser {
  readonly #kind: DataKind;
  readonly #report: Report;
  #count = 0;

  constructor(kind: DataKind, report: Report) {
    this.#kind = kind;
    this.#report = report;
  }

  /** The filters of a list; empty when it is absent. */
  read(list: JsonValue | undefined, path: Path): ChartFilter[] {
    if (list === undefined || list === null) return [];
    return this.#list(list, path, 0);
  }

  #list(list: JsonValue, path: Path, depth: number): ChartFilter[] {
    if (!Array.isArray(list)) {
      this.#refuse(path, "must be a list of filters");
      return [];
    }
    return list.flatMap((item, index) => this.#filter(item, [...path, index], depth));
  }

  #filter(filter: JsonValue, path: Path, depth: number): ChartFilter[] {
    if (!isJsonObject(filter)) return this.#refuse(path, "must be an object with type, field and value");
    if (++this.#count > MAX_FILTERS) return this.#refuse(path, `a chart has at most ${MAX_FILTERS} filters`);
    for (const name of Object.keys(filter)) {
      if (!MEMBERS.includes(name)) this.#report.warning("unknown_property", [...path, name], "is not used");
    }
    const written = ownProperty(filter, "type");
    if (written === "OR") return this.#or(filter, path, depth);
    const type = FILTER_TYPES.find((known) => known === written);
    if (!type) {
      const known = [...FILTER_TYPES, "OR"].join(", ");
      return this.#refuse(
        [...path, "type"],
        `must be one of ${known}${this.#suggest(written, FILTER_TYPES)}`,
      );
    }
    const found = readField(this.#kind, filter, { report: this.#report, path });
    if (!found) return [];
    const allowed = this.#typesOf(found.field, found.form);
    if (allowed.length === 0) return this.#refuse([...path, "field"], `${found.field} cannot be filtered`);
    if (!allowed.includes(type)) {
      return this.#refuse([...path, "type"], `${found.field} can be compared by ${allowed.join(", ")}`);
    }
    const values = this.#values(filter, type, { form: found.form, field: found.field, path });
    return values ? [{ type, ...found, values }] : [];
  }

  #or(filter: JsonObject, path: Path, depth: number): ChartFilter[] {
    const values = ownProperty(filter, "values");
    if (depth >= MAX_DEPTH) return this.#refuse(path, `filters are nested at most ${MAX_DEPTH} deep`);
    if (!Array.isArray(values) || values.length === 0) {
      return this.#refuse([...path, "values"], "must be a list of at least one filter");
    }
    return [{ type: "OR", anyOf: this.#list(values, [...path, "values"], depth + 1) }];
  }

  #typesOf(field: string, form: FieldForm): readonly FilterType[] {
    const fewer = this.#kind === "Executions" ? TYPES_OF_EXECUTIONS.get(field) : undefined;
    return fewer ?? TYPES_OF[form];
  }

  #values(
    filter: JsonObject,
    type: FilterType,
    { form, field, path }: { readonly form: FieldForm; readonly field: string; readonly path: Path },
  ): (string | number)[] | undefined {
    if (PRESENCE.includes(type)) return [];
    const isList = type === "IN" || type === "NOT_IN";
    const name = isList && Array.isArray(ownProperty(filter, "values")) ? "values" : "value";
    const written = ownProperty(filter, name) ?? undefined;
    const items = isList && Array.isArray(written) ? written : [written];
    const place = [...path, isList && written === undefined ? "values" : name];
    if (items.length === 0 || items.length > MAX_VALUES) {
      this.#refuse(place, `must have 1 to ${MAX_VALUES} values`);
      return undefined;
    }
    const values = items.map((item) => valueOf(item, form));
    if (values.some((value) => value === undefined)) {
      this.#refuse(place, EXPECTED[form]);
      return undefined;
    }
    const problem = type === "REGEX" ? mistakeOf(String(values[0]), field) : undefined;
    if (problem === undefined) return values as (string | number)[];
    this.#refuse(place, problem);
    return undefined;
  }

  #suggest(name: JsonValue | undefined, known: readonly string[]): string {
    return typeof name === "string" ? this.#report.suggest(name, known) : "";
  }

  #refuse(path: Path, message: string): never[] {
    this.#report.error("bad_chart", path, message);
    return [];
  }
}

interface Place {
  readonly report: Report;
  readonly path: Path;
}

/** The field that a column or filter names, if it is one of the data; reports what is wrong with it. */
export function readField(
  kind: DataKind,
  object: JsonObject,
  { report, path }: Place,
): (FieldName & { readonly form: FieldForm }) | undefined {
  const field = ownProperty(object, "field");
  const form = typeof field === "string" ? FIELDS[kind].get(field) : undefined;
  if (typeof field !== "string" || !form) {
    const names = [...FIELDS[kind].keys()];
    const hint = typeof field === "string" ? report.suggest(field, names) : "";
    report.error("bad_chart", [...path, "field"], `must be one of ${names.join(", ")}${hint}`);
    return undefined;
  }
  const labelKey = ownProperty(object, "labelKey") ?? undefined;
  if (form !== "label") return { field, form };
  if (typeof labelKey === "string" && labelKey !== "") return { field, form, labelKey };
  report.error("bad_chart", [...path, "labelKey"], "must name the label");
  return undefined;
}

/** Names of flows are compared by the platform's expressions, everything else by our linear ones. */
function mistakeOf(pattern: string, field: string): string | undefined {
  if (FLOW_NAMES.has(field)) return patternProblem(pattern);
  const mistake = patternMistake(pattern);
  return mistake && `is no regular expression: ${mistake}`;
}

const EXPECTED: Readonly<Record<FieldForm, string>> = {
  text: "must be a text",
  label: "must be a text",
  number: "must be a number",
  duration: 'must be a number of seconds or a duration such as "PT1M"',
  date: 'must be a date such as "2026-01-31T08:15:30Z"',
};

/** A value as it is compared; `undefined` if it is not of that form. */
function valueOf(value: JsonValue | undefined, form: FieldForm): string | number | undefined {
  const number = value instanceof Double ? value.value : typeof value === "bigint" ? Number(value) : value;
  switch (form) {
    case "text":
    case "label":
      return typeof number === "string" ? number : typeof number === "object" ? undefined : textOf(number);
    case "number":
      return finite(typeof number === "string" && number.trim() !== "" ? Number(number) : number);
    case "date":
      return typeof number === "string" ? parseInstant(number.trim()) : undefined;
    case "duration": {
      const seconds = finite(number);
      if (seconds !== undefined) return seconds * 1000;
      return typeof number === "string" ? parseDuration(number) : undefined;
    }
  }
}

function textOf(value: boolean | number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
