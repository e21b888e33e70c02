/** `deno task bench`: measures the server against the limits of this machine, and tells which floors and goals hold. */
import { Bench } from "./bench.ts";
import type { RowResult, ServerMetric } from "./figures.ts";
import { mergeReports } from "./merge.ts";
import { type BenchOptions, benchOptions, FULL_STORE_EXECUTIONS, OPTIONS } from "./options.ts";
import { runTask } from "../support/processes/command_line.ts";
import { missedFloors, printReport, type Report } from "./report.ts";
import { selectRows } from "./rows/all.ts";
import type { Row } from "./rows/row.ts";

async function measureAll(options: BenchOptions): Promise<Report> {
  const rows = selectRows(options.only);
  const figures: ServerMetric[] = [];
  const notes: string[] = [];
  const failures: string[] = [];
  await using bench = await Bench.create(options, say);
  say(`Load generator: ${bench.generator.name}`);
  if (options.executions < FULL_STORE_EXECUTIONS) {
    say(`A trial: the full store has ${options.executions} executions, not ${FULL_STORE_EXECUTIONS}`);
  }
  for (const row of rows) {
    try {
      const result = await measure(row, bench);
      figures.push(...result.figures);
      notes.push(...result.notes.map((note) => `row ${row.number}: ${note}`));
    } catch (error) {
      // The other rows took minutes: they are worth reporting.
      failures.push(`row ${row.number} failed: ${error instanceof Error ? error.message : String(error)}`);
      say(failures.at(-1) ?? "");
    }
  }
  return { figures, notes, failures, generator: bench.generator.name, options };
}

async function measure(row: Row, bench: Bench): Promise<RowResult> {
  bench.say(`Row ${row.number}, ${row.name}: ${row.title}`);
  const result = await row.measure(bench);
  for (const { name, measured, limit, value } of result.figures) {
    bench.say(`  ${name}: ${measured}${limit ? ` of ${limit}, ${value.toFixed(3)}` : ""}`);
  }
  return result;
}

async function run(options: BenchOptions): Promise<number> {
  const report = options.merge.length > 0 ? await mergeReports(options.merge) : await measureAll(options);
  await write(Deno.stdout, printReport(report, options.output));
  const isHeld = missedFloors(report).length === 0 && report.failures.length === 0;
  return isHeld || !options.isStrict ? 0 : 1;
}

/** To standard error, so that standard output holds the report alone. */
function say(line: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${line}\n`));
}

async function write(stream: typeof Deno.stdout, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(`${text}\n`);
  for (let written = 0; written < bytes.length;) written += await stream.write(bytes.subarray(written));
}

if (import.meta.main) await runTask("bench", OPTIONS, (values) => run(benchOptions(values)));
