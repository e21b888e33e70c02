/** JSON Schemas of dashboards for editors. They accept what a save accepts; a save also checks how the members fit together. */
import type { JsonObject } from "../../base/json.ts";
import {
  canonicalNames,
  type Definitions,
  kindDefinition,
  listOf,
  reference,
  shownName,
} from "../../flow/json_schema/json_schema.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import {
  AGGREGATIONS,
  CHART_KINDS,
  CHART_TYPE_PREFIX,
  type ChartKind,
  DATA_KINDS,
  DATA_TYPE_PREFIX,
  type DataKind,
  FIELDS,
  FILTER_TYPES,
} from "./chart.ts";
import {
  ID_PATTERN,
  MANAGED_MEMBERS,
  MAX_CHARTS,
  MAX_COLUMNS,
  MAX_ID_LENGTH,
  MAX_WIDTH,
  NUMBER_TYPES,
} from "./chart_parser.ts";

/** The definition of a whole dashboard. */
export const DASHBOARD_DEFINITION = "Dashboard";
const CHART = "Chart";
/** What charts show, and what KPIs show, which have one column. */
const DATA = { "": "ChartData", KPI: "KpiData" } as const;

const TEXT: JsonObject = { type: "string" };
const CHART_DESCRIPTIONS: Readonly<Record<ChartKind, string>> = {
  TimeSeries: "Values over time.",
  Bar: "A value for each group, as bars.",
  Pie: "The share of each group.",
  Table: "Rows and columns.",
  KPI: "One number.",
  Markdown: "A text, or the description of a flow.",
};
const CHART_COMMON: PropertySchemas = Object.freeze({
  id: {
    type: "string",
    required: true,
    pattern: ID_PATTERN,
    maxLength: MAX_ID_LENGTH,
    description: "Id of the chart, unique in the dashboard.",
  },
  type: { type: "string", required: true, description: "Type of the chart." },
});
const DATA_COMMON: PropertySchemas = Object.freeze({
  type: { type: "string", required: true, description: "Type of the data." },
});

/** The definitions of dashboards and their parts; editors offer names of types with these prefixes. */
export function dashboardDefinitions(prefixes?: readonly string[]): Definitions {
  const charts = CHART_KINDS.map(chartType);
  return new Map([
    [DASHBOARD_DEFINITION, dashboardForm()],
    [CHART, kindDefinition({ noun: "chart", common: CHART_COMMON, types: charts }, { prefixes })],
    ...CHART_KINDS.map((kind) => [shownName(chartType(kind)), chartForm(kind)] as const),
    ...(["", "KPI"] as const).flatMap((suffix) => dataDefinitions(suffix, prefixes)),
    ...DATA_KINDS.map((kind) => [filterName(kind), filterForm(kind)] as const),
  ]);
}

function typeOf(type: string, description: string): TypeDeclaration {
  return { type, aliases: [], description, properties: {} };
}

function chartType(kind: ChartKind): TypeDeclaration {
  return typeOf(CHART_TYPE_PREFIX + kind, CHART_DESCRIPTIONS[kind]);
}

function dashboardForm(): JsonObject {
  const managed = MANAGED_MEMBERS.map((name) => [name, { doNotSuggest: true }] as const);
  const duration = { ...TEXT, description: 'A duration such as "P30D", of at most 366 days.' };
  return {
    type: "object",
    title: "Dashboard",
    properties: {
      id: idForm("Id of the dashboard; without it, it is given one."),
      title: { ...TEXT, pattern: "\\S", description: "Title of the dashboard." },
      description: { description: "What the dashboard shows." },
      timeWindow: {
        type: "object",
        description: "How long a time the dashboard shows.",
        properties: { default: duration, max: duration },
        additionalProperties: false,
      },
      charts: { ...listOf(CHART), maxItems: MAX_CHARTS, description: "The charts, in their order." },
      ...Object.fromEntries(managed),
    },
    required: ["title"],
    additionalProperties: false,
  };
}

function idForm(description: string): JsonObject {
  return { ...TEXT, pattern: `^(?:${ID_PATTERN})$`, maxLength: MAX_ID_LENGTH, description };
}

function chartForm(kind: ChartKind): JsonObject {
  const id = idForm("Id of the chart, unique in the dashboard.");
  const type = { enum: canonicalNames(chartType(kind)), description: CHART_DESCRIPTIONS[kind] };
  const own: JsonObject = kind === "Markdown"
    ? { content: { description: "The text." }, source: { type: "object" } }
    : { data: reference(DATA[kind === "KPI" ? "KPI" : ""]) };
  return {
    type: "object",
    title: kind,
    description: CHART_DESCRIPTIONS[kind],
    properties: { id, type, chartOptions: optionsForm(), ...own },
    required: ["id", "type", ...(kind === "Markdown" ? [] : ["data"])],
  };
}

function optionsForm(): JsonObject {
  return {
    type: "object",
    description: "How the chart is shown.",
    properties: {
      displayName: { description: "Title of the chart." },
      description: { description: "Text below the title." },
      width: { type: "number", minimum: 1, maximum: MAX_WIDTH, description: "Columns of 12 that it takes." },
      numberType: { enum: [...NUMBER_TYPES], description: "How a KPI shows its number." },
      column: { description: "Column of the axis." },
      colorByColumn: { description: "Column whose values have colours." },
      legend: { description: "Whether there is a legend." },
    },
  };
}

/** The data of charts, or of KPIs, of any kind and of each. */
function dataDefinitions(
  suffix: keyof typeof DATA,
  prefixes: readonly string[] | undefined,
): (readonly [string, JsonObject])[] {
  const types = DATA_KINDS.map((kind) =>
    typeOf(`${DATA_TYPE_PREFIX}${kind}${suffix}`, `The ${kind.toLowerCase()} that the conditions select.`)
  );
  const common = kindDefinition({ noun: "data", common: DATA_COMMON, types }, { prefixes });
  return [
    [DATA[suffix], common],
    ...types.map((type, index): [string, JsonObject] => {
      const kind = DATA_KINDS[index] ?? "Executions";
      return [shownName(type), dataForm(kind, type, suffix === "KPI")];
    }),
  ];
}

function dataForm(kind: DataKind, type: TypeDeclaration, isKpi: boolean): JsonObject {
  const filters = { ...listOf(filterName(kind)), description: "Conditions that all must match." };
  const columns: JsonObject = isKpi ? { ...columnForm(kind), required: ["agg"] } : {
    type: "object",
    description: "The columns by name: fields, and aggregations over them.",
    minProperties: 1,
    maxProperties: MAX_COLUMNS,
    additionalProperties: columnForm(kind),
  };
  const order = {
    type: "object",
    properties: { column: TEXT, order: { enum: ["ASC", "DESC"] } },
    required: ["column"],
  };
  return {
    type: "object",
    title: kind,
    description: type.description,
    properties: {
      type: { enum: canonicalNames(type), description: type.description },
      columns,
      where: filters,
      ...(isKpi
        ? { numerator: { ...filters, description: "Further conditions of what is counted." } }
        : { orderBy: { type: "array", items: order, description: "Columns that order the rows." } }),
    },
    required: ["type", "columns"],
  };
}

function columnForm(kind: DataKind): JsonObject {
  return {
    type: "object",
    properties: {
      field: { enum: [...FIELDS[kind].keys()], description: "The field that it shows." },
      agg: { enum: [...AGGREGATIONS], description: "What it shows of all values of a group." },
      labelKey: { description: "Which of the labels it shows." },
      displayName: { description: "Title of the column." },
      graphStyle: { description: "How a TimeSeries shows it, such as LINES or BARS." },
    },
  };
}

function filterName(kind: DataKind): string {
  return `ChartFilter.${kind}`;
}

/** A condition on a field, or alternatives of conditions. */
function filterForm(kind: DataKind): JsonObject {
  return {
    type: "object",
    properties: {
      type: { enum: [...FILTER_TYPES, "OR"], description: "How the field is compared." },
      field: { enum: [...FIELDS[kind].keys()], description: "The field that is compared." },
      labelKey: { description: "Which of the labels is compared." },
      value: { description: "What it is compared with." },
      values: { description: "The values of IN and NOT_IN, or the alternatives of OR." },
    },
    required: ["type"],
    if: { type: "object", properties: { type: { const: "OR" } }, required: ["type"] },
    then: { properties: { values: { ...listOf(filterName(kind)), minItems: 1 } }, required: ["values"] },
    else: { required: ["field"] },
  };
}
