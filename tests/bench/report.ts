/** The results as a person, a machine or a document reads them. */
import { holds, type ServerMetric } from "./figures.ts";
import type { BenchOptions } from "./options.ts";

/** What was measured, and where. */
export interface Report {
  readonly figures: readonly ServerMetric[];
  readonly notes: readonly string[];
  /** Rows that could not be measured, and why. */
  readonly failures: readonly string[];
  readonly generator: string;
  readonly options: Pick<BenchOptions, "seconds" | "rounds" | "executions" | "logLevel">;
}

const HEADINGS = ["row", "what", "measured", "limit", "ratio", "floor", "goal", "held"];

/** The report in the form that was asked for. */
export function printReport(report: Report, output: BenchOptions["output"]): string {
  switch (output) {
    case "json":
      return JSON.stringify(toJson(report), null, 2);
    case "markdown":
      return toMarkdown(report);
    case "table":
      return toTable(report);
  }
}

/** Figures below (or above) their floor. */
export function missedFloors({ figures }: Report): ServerMetric[] {
  return figures.filter((serverMetric) => !holds(serverMetric, serverMetric.floor));
}

function toJson({ figures, notes, failures, generator, options }: Report) {
  const { seconds, rounds, executions, logLevel } = options;
  return {
    generator,
    deno: Deno.version.deno,
    cores: navigator.hardwareConcurrency,
    options: { seconds, rounds, executions, logLevel },
    figures: figures.map((serverMetric) => ({
      ...serverMetric,
      isFloorHeld: holds(serverMetric, serverMetric.floor),
      isGoalReached: holds(serverMetric, serverMetric.goal),
    })),
    notes,
    failures,
  };
}

function toTable(report: Report): string {
  const rows = [HEADINGS, ...report.figures.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((cells) => (cells[column] ?? "").length)));
  const lines = rows.map((cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd()
  );
  const notes = [...report.notes, ...report.failures].map((note) => `  ${note}`);
  return [...lines, "", ...notes, "", surroundings(report), verdict(report)].join("\n");
}

function toMarkdown(report: Report): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  const rows = report.figures.map((serverMetric) => line(cellsOf(serverMetric)));
  const notes = [...report.notes, ...report.failures].map((note) => `- ${note}`);
  const table = [line(HEADINGS), line(HEADINGS.map(() => "---")), ...rows];
  return [...table, "", ...notes, "", surroundings(report)].join("\n");
}

function cellsOf(serverMetric: ServerMetric): string[] {
  const { row, name, measured, limit, floor, goal, unit, better } = serverMetric;
  const bound = (value: number) => `${better === "higher" ? "≥" : "≤"} ${value}${unit ? ` ${unit}` : ""}`;
  const ratio = unit === "" ? serverMetric.value.toFixed(3) : "";
  const held = !holds(serverMetric, floor) ? "NO" : holds(serverMetric, goal) ? "yes, goal too" : "yes";
  return [String(row), name, measured, limit, ratio, bound(floor), bound(goal), held];
}

function surroundings({ generator, options }: Report): string {
  const { seconds, rounds, executions, logLevel } = options;
  return `Load generator ${generator}; ${rounds} × ${seconds} s a side; full store: ${
    executions.toLocaleString("en")
  } executions; log level ${logLevel}; Deno ${Deno.version.deno}, ${navigator.hardwareConcurrency} cores`;
}

function verdict(report: Report): string {
  const missed = missedFloors(report);
  if (missed.length === 0) return `All ${report.figures.length} floors are held`;
  return `${missed.length} of ${report.figures.length} floors are not held`;
}
