/** `deno task bench:ui`: the budgets of the UI in Chromium, against a real server with many executions. */
import {
  flag,
  names,
  positiveNumber,
  readOptions,
  runTask,
  text,
  type ValuesOf,
  wholeNumber,
} from "../support/processes/command_line.ts";
import { withBrowser } from "../support/browser/browser.ts";
import { Bench } from "./bench.ts";
import { seedInBulk } from "./seeding/bulk_seeding.ts";
import { benchOptions, FULL_STORE_EXECUTIONS, OPTIONS as BENCH_OPTIONS } from "./options.ts";
import { openExecutions, openLog, updates } from "./ui/executions.ts";
import { bundle, firstViews, flowList, listApi } from "./ui/lists.ts";
import { type Figure, isHeld, type Measured, type Measurement, type Sizes } from "./ui/measurement.ts";
import { longOpen } from "./ui/open_page.ts";
import { type OpenedExecutions, seedForUi } from "./ui/ui_seeding.ts";

const MEASUREMENTS = [
  "bundle",
  "list-api",
  "first-views",
  "flows",
  "executions",
  "log",
  "updates",
  "open-page",
];
const OPTIONS = {
  "executions": wholeNumber("stored executions", FULL_STORE_EXECUTIONS),
  "flows": wholeNumber("stored flows", 5_000),
  "task-runs": text("of the executions that are opened", "<n,n>", "2000,10000"),
  "lines": wholeNumber("of the log that is opened", 100_000),
  "minutes": positiveNumber("that a list stays open while executions start and end", 2),
  "only": names("measurements", MEASUREMENTS),
  "strict": flag("exit code 1 when a budget is not held"),
};

function measurementsOf(opened: OpenedExecutions) {
  return {
    "bundle": bundle,
    "list-api": listApi,
    "first-views": firstViews,
    "flows": flowList,
    "executions": openExecutions(opened),
    "log": openLog(opened),
    "updates": updates,
    "open-page": longOpen,
  } satisfies Readonly<Record<string, Measurement>>;
}

async function measureAll(sizes: Sizes, only: readonly string[]): Promise<Figure[]> {
  const { executions } = sizes;
  const defaults = benchOptions(readOptions(BENCH_OPTIONS, []));
  await using bench = await Bench.create({ ...defaults, executions, logLevel: "warn" }, say);
  const dataDir = await bench.freshFolder();
  const startedAt = performance.now();
  await seedInBulk(bench, executions, dataDir);
  await using server = await bench.startServer({ dataDir });
  const opened = await seedForUi(server.url, sizes);
  say(`Filled in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  const figures: Figure[] = [];
  await withBrowser(async (browser) => {
    const measured: Measured = { server, browser, sizes };
    for (const [name, measure] of Object.entries(measurementsOf(opened))) {
      if (only.length > 0 && !only.includes(name)) continue;
      figures.push(...await logged(measure, measured));
    }
  });
  return figures;
}

async function logged(measure: Measurement, measured: Measured): Promise<Figure[]> {
  const figures = await measure(measured);
  for (const figure of figures) say(`${figure.what}: ${figure.measured}`);
  return figures;
}

function table(figures: readonly Figure[]): string {
  const rows = [["what", "budget", "measured", "held"], ...figures.map(cellsOf)];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, filler)).join(" | ")} |`;
  const [header = [], ...body] = rows;
  return [line(header), line(["", "", "", ""], "-"), ...body.map((row) => line(row))].join("\n");
}

function cellsOf(figure: Figure): string[] {
  const { what, limit, unit = "", measured } = figure;
  const held = isHeld(figure);
  return [
    what,
    limit === undefined ? "" : `< ${limit.toLocaleString("en")} ${unit}`,
    measured,
    held === undefined ? "" : held ? "yes" : "NO",
  ];
}

function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

async function run(values: ValuesOf<typeof OPTIONS>): Promise<number> {
  const { executions, flows, lines, minutes } = values;
  const taskRuns = values["task-runs"].split(",").map(Number);
  const loadBefore = Deno.loadavg()[0]?.toFixed(1);
  const figures = await measureAll({ executions, flows, taskRuns, lines, minutes }, values.only);
  const load = `Load average ${loadBefore} before, ${Deno.loadavg()[0]?.toFixed(1)} after`;
  await Deno.stdout.write(new TextEncoder().encode(`${table(figures)}\n\n${load}\n`));
  return values.strict && figures.some((figure) => isHeld(figure) === false) ? 1 : 0;
}

if (import.meta.main) await runTask("bench:ui", OPTIONS, run);
