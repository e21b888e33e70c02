/** Row 11: templates a second of the expression language ÷ those of two template engines written in JavaScript. */
import { Liquid } from "liquidjs";
import nunjucks from "nunjucks";
import type { JsonObject } from "../../../src/base/json.ts";
import { compileTemplate, renderText, type Scope } from "../../../src/expr/mod.ts";
import type { Bench } from "../bench.ts";
import { median, perSecond, type RowResult, type ServerMetric } from "../figures.ts";
import { LONG_TEMPLATE, SHORT_TEMPLATE, TEMPLATE_DATA, type TemplateSources } from "../templates.ts";
import type { Row } from "./row.ts";

/** The expression language. */
export const expressionsRow: Row = {
  number: 11,
  name: "expressions",
  title: "templates rendered ÷ liquidjs and nunjucks",
  measure,
};

const SLICE_MS = 20;
const WARM_UP_SLICES = 25;
/** Renders between two looks at the clock. */
const BATCH = 8;

/** Renders once; gives the text, so that nothing is optimised away. */
type Render = () => string;

/** The engines; `ours` first. */
type Engines = Readonly<Record<"ours" | "liquidjs" | "nunjucks", Render>>;

function measure(bench: Bench): Promise<RowResult> {
  const slices = Math.ceil(bench.options.seconds * bench.options.rounds * 1000 / SLICE_MS);
  const results = [
    race("cached template of 3 variables and 2 filters", cachedEngines(SHORT_TEMPLATE), slices),
    race("2 KB template compiled and rendered", coldEngines(LONG_TEMPLATE), slices),
  ];
  return Promise.resolve({ figures: results.flat(), notes: [] });
}

function cachedEngines(sources: TemplateSources): Engines {
  const ours = compileTemplate(sources.ours);
  const liquid = new Liquid();
  const parsed = liquid.parse(sources.liquidjs);
  const compiled = new nunjucks.Template(sources.nunjucks, nunjucksEnvironment(), "bench", true);
  return {
    ours: () => renderText(ours, scopeOf(TEMPLATE_DATA)),
    liquidjs: () => liquid.renderSync(parsed, TEMPLATE_DATA),
    nunjucks: () => compiled.render(TEMPLATE_DATA),
  };
}

function coldEngines(sources: TemplateSources): Engines {
  const liquid = new Liquid();
  const environment = nunjucksEnvironment();
  return {
    ours: () => renderText(compileTemplate(sources.ours), scopeOf(TEMPLATE_DATA)),
    liquidjs: () => liquid.renderSync(liquid.parse(sources.liquidjs), TEMPLATE_DATA),
    nunjucks: () => new nunjucks.Template(sources.nunjucks, environment).render(TEMPLATE_DATA),
  };
}

function nunjucksEnvironment(): nunjucks.Environment {
  return new nunjucks.Environment([], { autoescape: false });
}

function scopeOf(data: JsonObject): Scope {
  return {
    variable: (name) => Object.hasOwn(data, name) ? data[name] : undefined,
    functions: new Map(),
    now: 0,
    timeZone: "UTC",
    random: () => 0.5,
  };
}

/** One figure against each rival. Slices of the engines alternate, so that what else goes on meets all alike. */
function race(name: string, engines: Engines, slices: number): ServerMetric[] {
  const { ours, liquidjs, nunjucks } = engines;
  const renders = [ours, liquidjs, nunjucks];
  if (new Set(renders.map((render) => render())).size > 1) {
    throw new Error(`Cannot compare the engines: their texts of the ${name} differ`);
  }
  for (let i = 0; i < WARM_UP_SLICES; i++) renders.forEach(measureSlice);
  const rates = renders.map((): number[] => []);
  for (let i = 0; i < slices; i++) renders.forEach((render, at) => rates[at]?.push(measureSlice(render)));
  const [mine = NaN, liquidRate = NaN, nunjucksRate = NaN] = rates.map(median);
  return [["liquidjs", liquidRate] as const, ["nunjucks", nunjucksRate] as const].map(([rival, rate]) => ({
    row: 11,
    name: `${name} ÷ ${rival}`,
    measured: perSecond(mine),
    limit: perSecond(rate),
    value: mine / rate,
    unit: "",
    better: "higher",
    floor: 1,
    goal: 1.5,
  }));
}

/** Renders a second. */
function measureSlice(render: Render): number {
  const start = performance.now();
  let count = 0, elapsedMs = 0;
  while (elapsedMs < SLICE_MS) {
    for (let i = 0; i < BATCH; i++) render();
    count += BATCH;
    elapsedMs = performance.now() - start;
  }
  return count * 1000 / elapsedMs;
}
