/** Reads charts and dashboards from their documents, and reports what is wrong with them. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { parseDuration } from "../../base/time/duration.ts";
import { DAY_MS } from "../../base/time/time_parts.ts";
import { type ParsedSource, type Path, Report } from "../../flow/mod.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import type { Problem } from "../../model/flows/problem.ts";
import {
  type Aggregation,
  AGGREGATIONS,
  type Chart,
  CHART_KINDS,
  CHART_TYPE_PREFIX,
  type ChartColumn,
  type ChartKind,
  type ChartOrder,
  type ChartQuery,
  DATA_KINDS,
  DATA_TYPE_PREFIX,
  type DataKind,
  type FieldForm,
  QUANTILES,
} from "./chart.ts";
import { FilterParser, readField } from "./filter_parser.ts";

/** A dashboard: its charts, and the window of time that it shows. */
export interface DashboardPlan {
  /** By id; without those that have errors. */
  readonly charts: ReadonlyMap<string, Chart>;
  /** Length of the window when a request names none. */
  readonly windowMs: number;
  /** Longest window that a request may name. */
  readonly maxWindowMs: number;
  readonly problems: readonly Problem[];
}

/** The window of dashboards and charts that name none. */
export const DEFAULT_WINDOW_MS = 30 * DAY_MS;
/** Longest window of any dashboard. */
export const MAX_WINDOW_MS = 366 * DAY_MS;

/** Most characters of the id of a dashboard or chart. */
export const MAX_ID_LENGTH = 100;
/** The form of such an id. */
export const ID_PATTERN = "[a-zA-Z0-9][a-zA-Z0-9._-]*";
const ID = new RegExp(`^${ID_PATTERN}$`);
const ID_RULE = `must match "${ID_PATTERN}" and have at most ${MAX_ID_LENGTH} characters`;
/** Most charts of a dashboard. */
export const MAX_CHARTS = 100;
/** Most columns of a chart. */
export const MAX_COLUMNS = 50;
/** Largest `width` of a chart: the columns of a dashboard. */
export const MAX_WIDTH = 12;
const TYPE_PREFIX = "io.kestra.plugin.";
const DASHBOARD_MEMBERS = ["id", "title", "description", "timeWindow", "charts"];
/** Members of responses, which a source may repeat. */
export const MANAGED_MEMBERS = ["tenantId", "deleted", "created", "updated", "sourceCode"];
const WINDOW_MEMBERS = ["default", "max"];
const CHART_MEMBERS = ["id", "type", "chartOptions", "data", "content", "source"];
const DATA_MEMBERS = ["type", "columns", "where", "orderBy", "numerator"];
/** How a KPI shows its number. */
export const NUMBER_TYPES = ["FLAT", "PERCENTAGE"];
/** The number of columns with an aggregation, by kind of chart. */
const AGGREGATION_COUNTS: Readonly<Record<string, readonly [least: number, most: number]>> = {
  TimeSeries: [1, 2],
  Bar: [1, 1],
  Pie: [1, 1],
  Table: [0, MAX_COLUMNS],
};
/** Aggregations by the form of the field. */
const AGGREGATIONS_OF: Readonly<Record<FieldForm, readonly Aggregation[]>> = {
  text: ["COUNT"],
  label: ["COUNT"],
  number: AGGREGATIONS.filter((agg) => !QUANTILES.has(agg)),
  duration: AGGREGATIONS,
  date: ["COUNT", "MIN", "MAX"],
};
/** Fields that lists of executions cannot be ordered by. */
const UNORDERED: ReadonlySet<string> = new Set(["FLOW_REVISION", "LABELS", "TRIGGER_EXECUTION_ID"]);

/** The charts of a dashboard. */
export function readDashboard(parsed: ParsedSource): DashboardPlan {
  const charts = new Map<string, Chart>();
  const { document } = parsed;
  const window = { windowMs: DEFAULT_WINDOW_MS, maxWindowMs: MAX_WINDOW_MS };
  if (!document) return { charts, ...window, problems: parsed.problems };
  const report = new Report(parsed);
  refuseUnknown(document, { known: DASHBOARD_MEMBERS, accepted: MANAGED_MEMBERS, at: [] }, report);
  const id = ownProperty(document, "id") ?? undefined;
  if (id !== undefined) checkId(id, ["id"], report);
  if (!isFilledText(ownProperty(document, "title"))) {
    report.error("bad_dashboard", ["title"], "must not be empty");
  }
  readCharts(ownProperty(document, "charts") ?? [], charts, report);
  const lengths = readWindow(ownProperty(document, "timeWindow") ?? {}, report);
  return { charts, ...lengths, problems: report.problems() };
}

/** The chart of a source; `undefined` if it has errors. */
export function readChartSource(
  parsed: ParsedSource,
): { readonly chart?: Chart; readonly problems: readonly Problem[] } {
  if (!parsed.document) return { problems: parsed.problems };
  const report = new Report(parsed);
  const chart = readChart(parsed.document, [], report);
  return { chart, problems: report.problems() };
}

function readCharts(list: JsonValue, charts: Map<string, Chart>, report: Report): void {
  if (!Array.isArray(list)) return report.error("bad_dashboard", ["charts"], "must be a list");
  if (list.length > MAX_CHARTS) {
    return report.error("bad_dashboard", ["charts"], `a dashboard has at most ${MAX_CHARTS} charts`);
  }
  const seen = new Set<JsonValue>();
  for (const [index, item] of list.entries()) {
    const chart = readChart(item, ["charts", index], report);
    const id = isJsonObject(item) ? ownProperty(item, "id") : undefined;
    if (id === undefined) continue;
    if (seen.has(id)) report.error("bad_dashboard", ["charts"], `Duplicate chart id with name [${id}]`);
    seen.add(id);
    if (chart) charts.set(chart.id, chart);
  }
}

function readWindow(
  window: JsonValue,
  report: Report,
): Pick<DashboardPlan, "windowMs" | "maxWindowMs"> {
  const lengths = { windowMs: DEFAULT_WINDOW_MS, maxWindowMs: MAX_WINDOW_MS };
  if (!isJsonObject(window)) {
    report.error("bad_dashboard", ["timeWindow"], 'must be an object with "default" and "max"');
    return lengths;
  }
  refuseUnknown(window, { known: WINDOW_MEMBERS, accepted: [], at: ["timeWindow"] }, report);
  const read = (name: "default" | "max", fallback: number) => {
    const text = ownProperty(window, name) ?? undefined;
    if (text === undefined) return fallback;
    const ms = typeof text === "string" ? parseDuration(text) : undefined;
    if (ms !== undefined && ms > 0 && ms <= MAX_WINDOW_MS) return ms;
    report.error(
      "bad_dashboard",
      ["timeWindow", name],
      'must be a duration such as "P30D", of at most 366 days',
    );
    return fallback;
  };
  const maxWindowMs = read("max", MAX_WINDOW_MS);
  const windowMs = read("default", Math.min(DEFAULT_WINDOW_MS, maxWindowMs));
  if (windowMs > maxWindowMs) {
    report.error("bad_dashboard", ["timeWindow", "default"], "must not be longer than max");
  }
  return { windowMs, maxWindowMs };
}

interface Members {
  readonly known: readonly string[];
  /** Members without an effect, which are not suggested. */
  readonly accepted: readonly string[];
  readonly at: Path;
}

function refuseUnknown(object: JsonObject, { known, accepted, at }: Members, report: Report): void {
  for (const name of Object.keys(object)) {
    if (known.includes(name) || accepted.includes(name)) continue;
    const message = `Unrecognized field ${JSON.stringify(name.slice(0, 100))}${report.suggest(name, known)}`;
    report.error("unknown_property", [...at, name], message);
  }
}

/** The chart at a path of the document; `undefined` if it has errors. */
function readChart(value: JsonValue, path: Path, report: Report): Chart | undefined {
  if (!isJsonObject(value)) {
    report.error("bad_dashboard", path, "must be an object");
    return undefined;
  }
  const errors = report.errorCount;
  const chart = new ChartReader(value, path, report).read();
  return report.errorCount === errors ? chart : undefined;
}

/** Reads one chart. */
class ChartReader {
  readonly #chart: JsonObject;
  readonly #path: Path;
  readonly #report: Report;

  constructor(chart: JsonObject, path: Path, report: Report) {
    this.#chart = chart;
    this.#path = path;
    this.#report = report;
  }

  read(): Chart | undefined {
    const id = ownProperty(this.#chart, "id");
    checkId(id, [...this.#path, "id"], this.#report);
    this.#warnUnknown(this.#chart, CHART_MEMBERS, []);
    const kind = this.#kind();
    const options = this.#object("chartOptions") ?? {};
    this.#checkOptions(options);
    if (!kind) return undefined;
    if (kind === "Markdown") return this.#markdown(String(id));
    return kind === "KPI" ? this.#kpi(String(id), options) : this.#table(kind, String(id), options);
  }

  #kind(): ChartKind | undefined {
    const type = ownProperty(this.#chart, "type");
    if (!isFilledText(type)) return this.#refuse(["type"], "must not be empty");
    const kind = CHART_KINDS.find((known) => canonicalType(type) === CHART_TYPE_PREFIX + known);
    return kind ?? this.#refuse(
      ["type"],
      `must be "${TYPE_PREFIX}${CHART_TYPE_PREFIX}" and one of ${CHART_KINDS.join(", ")}, but is "${
        shorten(type)
      }"`,
    );
  }

  #markdown(id: string): Chart {
    const source = this.#object("source");
    const type = source && ownProperty(source, "type");
    if (!source || typeof type !== "string" || !type.endsWith("FlowDescription")) {
      return { kind: "Markdown", id };
    }
    const namespace = ownProperty(source, "namespace"), flowId = ownProperty(source, "flowId");
    if (isFilledText(namespace) && isFilledText(flowId)) {
      return { kind: "Markdown", id, flow: { namespace, id: flowId } };
    }
    this.#refuse(["source"], "must name the namespace and the flowId");
    return { kind: "Markdown", id };
  }

  #kpi(id: string, options: JsonObject): Chart | undefined {
    const data = this.#data("KPI");
    if (!data) return undefined;
    const [kind, object] = data;
    const column = this.#column("value", ownProperty(object, "columns"), { kind, at: ["data", "columns"] });
    if (!column) return undefined;
    if (!column.agg) this.#refuse(["data", "columns", "agg"], `must be one of ${AGGREGATIONS.join(", ")}`);
    const filters = new FilterParser(kind, this.#report);
    const read = (name: string) => filters.read(ownProperty(object, name), this.#at(["data", name]));
    const query = { kind, columns: [column], where: read("where"), orderBy: [] };
    const isPercentage = ownProperty(options, "numberType") === "PERCENTAGE";
    return { kind: "KPI", id, query, numerator: read("numerator"), isPercentage };
  }

  #table(kind: Exclude<ChartKind, "KPI" | "Markdown">, id: string, options: JsonObject): Chart | undefined {
    const data = this.#data("");
    if (!data) return undefined;
    const errors = this.#report.errorCount;
    const columns = this.#columns(...data);
    const areColumnsGood = this.#report.errorCount === errors;
    const where = new FilterParser(data[0], this.#report).read(
      ownProperty(data[1], "where"),
      this.#at(["data", "where"]),
    );
    const query: ChartQuery = { kind: data[0], columns, where, orderBy: this.#orderBy(data[1], columns) };
    if (areColumnsGood) this.#checkColumns(kind, query, options);
    return { kind, id, query };
  }

  /** The kind and the object of the data. */
  #data(suffix: "KPI" | ""): readonly [DataKind, JsonObject] | undefined {
    const data = this.#object("data");
    if (!data) {
      if (!Object.hasOwn(this.#chart, "data")) {
        this.#refuse(["data"], "must be an object with type and columns");
      }
      return undefined;
    }
    this.#warnUnknown(data, DATA_MEMBERS, ["data"]);
    const type = ownProperty(data, "type");
    const name = typeof type === "string" ? canonicalType(type) : "";
    const kind = DATA_KINDS.find((known) => name === DATA_TYPE_PREFIX + known + suffix);
    if (kind) return [kind, data];
    const known = DATA_KINDS.map((each) => each + suffix).join(", ");
    return this.#refuse(
      ["data", "type"],
      `must be "${TYPE_PREFIX}${DATA_TYPE_PREFIX}" and one of ${known}, but is "${
        shorten(String(type ?? ""))
      }"`,
    );
  }

  #columns(kind: DataKind, data: JsonObject): ChartColumn[] {
    const columns = ownProperty(data, "columns");
    if (!isJsonObject(columns) || Object.keys(columns).length === 0) {
      this.#refuse(["data", "columns"], "must be an object with at least one column");
      return [];
    }
    const names = Object.keys(columns);
    if (names.length > MAX_COLUMNS) {
      this.#refuse(["data", "columns"], `a chart has at most ${MAX_COLUMNS} columns`);
      return [];
    }
    return names.map((name) =>
      this.#column(name, ownProperty(columns, name), { kind, at: ["data", "columns", name] })
    ).filter((column) => column !== undefined);
  }

  #column(
    name: string,
    column: JsonValue | undefined,
    { kind, at }: { readonly kind: DataKind; readonly at: Path },
  ): ChartColumn | undefined {
    if (!isJsonObject(column)) return this.#refuse(at, "must be an object with a field or an aggregation");
    const written = ownProperty(column, "agg") ?? undefined;
    const agg = AGGREGATIONS.find((known) => known === written);
    if (written !== undefined && !agg) {
      return this.#refuse([...at, "agg"], `must be one of ${AGGREGATIONS.join(", ")}`);
    }
    const hasField = (ownProperty(column, "field") ?? undefined) !== undefined;
    if (!hasField && agg === "COUNT") return { name, form: "number", agg };
    if (!hasField) return this.#refuse([...at, "field"], "is missing: only COUNT needs none");
    const found = readField(kind, column, { report: this.#report, path: this.#at(at) });
    if (!found || !agg) return found && { name, ...found };
    if (AGGREGATIONS_OF[found.form].includes(agg)) return { name, ...found, agg };
    const allowed = AGGREGATIONS_OF[found.form].join(", ");
    return this.#refuse([...at, "agg"], `of ${found.field} must be one of ${allowed}`);
  }

  /** The first criterion of each column: further ones have no effect. */
  #orderBy(data: JsonObject, columns: readonly ChartColumn[]): ChartOrder[] {
    const list = ownProperty(data, "orderBy") ?? [];
    if (!Array.isArray(list)) {
      this.#refuse(["data", "orderBy"], "must be a list of objects with column and order");
      return [];
    }
    const orders = new Map<string, ChartOrder>();
    for (const [index, item] of list.entries()) {
      const at = ["data", "orderBy", index];
      const column = isJsonObject(item) ? ownProperty(item, "column") : undefined;
      const order = isJsonObject(item) ? ownProperty(item, "order") ?? "ASC" : "ASC";
      const isKnown = columns.some(({ name }) => name === column);
      if (typeof column !== "string" || !isKnown) {
        this.#refuse([...at, "column"], "must be one of the columns");
      }
      if (order !== "ASC" && order !== "DESC") this.#refuse([...at, "order"], "must be ASC or DESC");
      const name = String(column);
      if (!orders.has(name)) orders.set(name, { column: name, descending: order === "DESC" });
    }
    return [...orders.values()];
  }

  #checkColumns(
    kind: Exclude<ChartKind, "KPI" | "Markdown">,
    { kind: of, columns, orderBy }: ChartQuery,
    options: JsonObject,
  ): void {
    const [least = 0, most = MAX_COLUMNS] = AGGREGATION_COUNTS[kind] ?? [];
    const count = columns.filter(({ agg }) => agg).length;
    if (count < least || count > most) {
      const range = least === most ? `${least}` : `${least} to ${most}`;
      this.#refuse(
        ["data", "columns"],
        `a ${kind} chart has ${range} columns with an aggregation, but this has ${count}`,
      );
    }
    if (count > 0 && columns.some(({ field }) => field === "MESSAGE")) {
      this.#refuse(["data", "columns"], "MESSAGE cannot be shown beside an aggregation");
    }
    const ordered = columns.filter(({ name }) => orderBy.some(({ column }) => column === name));
    const unordered = ordered.find(({ field = "" }) => UNORDERED.has(field));
    if (count === 0 && of === "Executions" && unordered) {
      this.#refuse(["data", "orderBy"], `executions cannot be ordered by ${unordered.field}`);
    }
    if (kind === "TimeSeries" && ownProperty(options, "column") === undefined) {
      this.#refuse(["chartOptions", "column"], "must name the column with the date");
    }
    for (const name of ["column", "colorByColumn"]) {
      const wanted = ownProperty(options, name) ?? undefined;
      if (wanted === undefined || columns.some((column) => column.name === wanted)) continue;
      this.#refuse(["chartOptions", name], "must be one of the columns of the data");
    }
  }

  #checkOptions(options: JsonObject): void {
    const width = ownProperty(options, "width") ?? undefined;
    if (width !== undefined && !(typeof width === "number" && width >= 1 && width <= MAX_WIDTH)) {
      this.#refuse(["chartOptions", "width"], `must be a number from 1 to ${MAX_WIDTH}`);
    }
    const numberType = ownProperty(options, "numberType") ?? undefined;
    if (numberType !== undefined && !NUMBER_TYPES.includes(String(numberType))) {
      this.#refuse(["chartOptions", "numberType"], `must be one of ${NUMBER_TYPES.join(", ")}`);
    }
  }

  /** A member that is an object; absent: `undefined`. */
  #object(name: string): JsonObject | undefined {
    const value = ownProperty(this.#chart, name) ?? undefined;
    if (value === undefined || isJsonObject(value)) return value;
    return this.#refuse([name], "must be an object");
  }

  #warnUnknown(object: JsonObject, known: readonly string[], at: Path): void {
    for (const name of Object.keys(object)) {
      if (known.includes(name)) continue;
      const hint = this.#report.suggest(name, known);
      this.#report.warning("unknown_property", this.#at([...at, name]), `is not used${hint}`);
    }
  }

  #at(path: Path): Path {
    return [...this.#path, ...path];
  }

  #refuse(path: Path, message: string): undefined {
    this.#report.error("bad_chart", this.#at(path), message);
    return undefined;
  }
}

function checkId(id: JsonValue | undefined, path: Path, report: Report): void {
  const isGood = typeof id === "string" && id.length <= MAX_ID_LENGTH && ID.test(id);
  if (!isGood) report.error("bad_dashboard", path, ID_RULE);
}

function isFilledText(value: JsonValue | undefined): value is string {
  return typeof value === "string" && value.trim() !== "";
}

function shorten(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`;
}
