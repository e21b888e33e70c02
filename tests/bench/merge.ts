/** Several runs in one report: of each figure the run with the median, and what all of them measured. */
import { median, type ServerMetric } from "./figures.ts";
import type { Report } from "./report.ts";

/** Reads the JSON of several runs of the same rows. @throws Error when a file cannot be read, or the runs differ in their figures */
export async function mergeReports(paths: readonly string[]): Promise<Report> {
  const runs = await Promise.all(
    paths.map(async (path) => JSON.parse(await Deno.readTextFile(path)) as Report),
  );
  const [first] = runs;
  if (!first || runs.some(({ figures }) => figures.length !== first.figures.length)) {
    throw new Error("Cannot merge runs: they did not measure the same rows");
  }
  return {
    ...first,
    // Figures correspond by their place: a name may tell what was slowest in that run.
    figures: first.figures.map((_, index) =>
      medianFigure(runs.flatMap(({ figures }) => figures[index] ?? []))
    ),
    notes: first.figures.map((serverMetric, index) =>
      valuesNote(serverMetric, runs.map(({ figures }) => figures[index]?.value))
    ),
    failures: runs.flatMap(({ failures }) => failures),
  };
}

function medianFigure(figures: readonly ServerMetric[]): ServerMetric {
  const middle = median(figures.map(({ value }) => value));
  const found = figures.find(({ value }) => value === middle) ?? figures[0];
  if (!found) throw new Error("Cannot merge runs: a figure is missing");
  return found;
}

function valuesNote({ row, name }: ServerMetric, values: readonly (number | undefined)[]): string {
  return `row ${row}, ${name}: ${values.map((value) => value?.toPrecision(3)).join(" · ")}`;
}
