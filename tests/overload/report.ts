/** The table of a run, and whether the server passed. */

/** What one scenario measured. */
export interface ScenarioResult {
  readonly name: string;
  /** What the attackers did, by their own account. */
  readonly attack: string;
  /** Times of the responses that others received, in milliseconds. */
  readonly reads: readonly number[];
  readonly starts: readonly number[];
  /** Responses 429 and 503 with `Retry-After`. */
  readonly refused: number;
  /** Requests of others without a response, or with one that says neither success nor when to retry. */
  readonly failed: number;
  /** Starts that were acknowledged, and how many of them are not there afterwards. */
  readonly acknowledged: number;
  readonly lost: number;
  /** The most resident memory seen. */
  readonly residentBytes: number;
  readonly hasDied: boolean;
}

/** Bounds of every scenario. */
export const MAX_P99_MS = 100;
const MEGABYTE = 1_000_000;
/** Of the server under attack. */
export const MAX_RESIDENT_BYTES = 600 * MEGABYTE;

/** The value that a part of the values does not exceed; NaN without values. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? NaN;
}

/** Why the server did not pass; empty if it did. */
export function failuresOf(result: ScenarioResult): string[] {
  const failures: string[] = [];
  const add = (isBroken: boolean, reason: string) => isBroken && failures.push(`${result.name}: ${reason}`);
  add(result.hasDied, "the server died");
  add(result.lost > 0, `${result.lost} acknowledged starts are lost`);
  add(result.failed > 0, `${result.failed} requests of others failed`);
  for (const [what, values] of [["reads", result.reads], ["starts", result.starts]] as const) {
    const p99 = percentile(values, 0.99);
    add(values.length === 0, `no ${what} of others were served`);
    add(p99 > MAX_P99_MS, `p99 of ${what} is ${Math.round(p99)} ms, more than ${MAX_P99_MS} ms`);
  }
  const megabytes = Math.round(result.residentBytes / MEGABYTE);
  add(result.residentBytes > MAX_RESIDENT_BYTES, `memory is ${megabytes} MB, more than 600 MB`);
  return failures;
}

const HEADER = [
  "what",
  "reads p50",
  "p99",
  "starts p50",
  "p99",
  "acked",
  "refused",
  "failed",
  "RSS MB",
  "lost",
];

/** A line a scenario, in columns. */
export function table(results: readonly ScenarioResult[]): string[] {
  const rows = [HEADER, ...results.map(rowOf)];
  const widths = HEADER.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((row, index) => {
    const attack = results[index - 1]?.attack ?? "";
    return `${row.map(pad).join("  ")}  ${attack}`.trimEnd();
  });
}

function rowOf(result: ScenarioResult): string[] {
  const times = [result.reads, result.starts].flatMap((values) =>
    [0.5, 0.99].map((part) => percentile(values, part).toFixed(1))
  );
  const { acknowledged, refused, failed, residentBytes, lost } = result;
  const memory = Math.round(residentBytes / MEGABYTE);
  return [result.name, ...times, ...[acknowledged, refused, failed, memory, lost].map(String)];
}
