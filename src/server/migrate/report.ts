/** What a migration prints, for people and for programs. */
import type { Problem } from "../../model/flows/problem.ts";
import type { CheckedFlow, Verdict } from "./flow_check.ts";
import type { ImportedItem, ItemResult } from "./import.ts";

/** A secret that the target needs. */
export interface NeededSecret {
  readonly name: string;
  readonly namespaces: readonly string[];
}

/** What namespaces of the source hold. */
export interface ContentCounts {
  readonly namespaces: number;
  readonly files: number;
  readonly keys: number;
}

/** The result of a migration. */
export interface MigrationReport {
  readonly source: string;
  /** Absent after a check. */
  readonly target?: string;
  readonly flows: readonly CheckedFlow[];
  /** Absent when the source has flows only. */
  readonly contents?: ContentCounts;
  readonly secrets: readonly NeededSecret[];
  readonly imported: readonly ImportedItem[];
  /** Why the import ended early. */
  readonly stopped?: string;
}

const MAX_PROBLEMS = 5;
const MAX_REASONS = 12;
const VERDICTS: readonly Verdict[] = ["works", "differs", "refused"];
const RESULTS: readonly ItemResult[] = ["created", "replaced", "unchanged", "kept", "failed"];

/** 0 when every flow can be saved and nothing failed, 1 otherwise, 2 when the import ended early. */
export function exitCodeOf({ flows, imported, stopped }: MigrationReport): number {
  if (stopped !== undefined) return 2;
  const isWrong = flows.some(({ verdict }) => verdict === "refused") ||
    imported.some(({ result }) => result === "failed" || result === "kept");
  return isWrong ? 1 : 0;
}

/** One JSON object; flows without their sources. */
export function jsonOf(report: MigrationReport): string {
  const flows = report.flows.map(({ source: _, ...flow }) => flow);
  const summary = countOf(report.flows, VERDICTS, ({ verdict }) => verdict);
  return JSON.stringify({ ...report, flows, summary, exitCode: exitCodeOf(report) }, undefined, 2);
}

/** The text for people. */
export function textOf(report: MigrationReport): string {
  return [
    ...flowLines(report.flows),
    ...reasonLines(report.flows),
    ...contentLines(report),
    ...importLines(report),
    summaryLine(report),
  ].join("\n");
}

function flowLines(flows: readonly CheckedFlow[]): string[] {
  if (flows.length === 0) return ["The source has no flows"];
  const width = Math.max(...flows.map((flow) => nameOf(flow).length));
  return flows.flatMap((flow) => {
    const name = nameOf(flow);
    const origin = flow.origin === name ? "" : `  ${flow.origin}`;
    const shown = flow.problems.slice(0, MAX_PROBLEMS);
    const more = flow.problems.length - shown.length;
    return [
      `${flow.verdict.padEnd(8)} ${name.padEnd(origin === "" ? 0 : width)}${origin}`,
      ...shown.map((problem) => `           ${problemText(problem)}`),
      ...more > 0 ? [`           … ${more} more`] : [],
    ];
  });
}

function nameOf({ namespace, id, origin }: CheckedFlow): string {
  return namespace === undefined || id === undefined ? origin : `${namespace}.${id}`;
}

function problemText({ severity, message, path, range }: Problem): string {
  const place = range ? `line ${range.line}, column ${range.column}: ` : "";
  return `${severity}: ${place}${path === "" ? "" : `${path}: `}${message}`;
}

/** The most frequent reasons of refusals, so that one fix for many flows is seen first. */
function reasonLines(flows: readonly CheckedFlow[]): string[] {
  const counts = new Map<string, number>();
  for (const { problems } of flows) {
    const errors = problems.filter(({ severity }) => severity === "error").map(({ message }) => message);
    for (const message of new Set(errors)) counts.set(message, (counts.get(message) ?? 0) + 1);
  }
  const frequent = [...counts].filter(([, count]) => count > 1).sort(([, a], [, b]) => b - a);
  if (frequent.length === 0) return [];
  const lines = frequent.slice(0, MAX_REASONS).map(([message, count]) => `  ${count} flows: ${message}`);
  return ["", "Reasons of several refusals:", ...lines];
}

function contentLines({ contents, secrets }: MigrationReport): string[] {
  const needed = secrets.map(({ name, namespaces }) => `  ${name}  (${namespaces.join(", ")})`);
  return [
    ...contents
      ? ["", `Namespaces: ${contents.namespaces}, files: ${contents.files}, KV pairs: ${contents.keys}`]
      : [],
    ...needed.length === 0 ? [] : [
      "",
      "Secrets to set, in the namespace or as a variable SECRET_<NAME> of the server (no server shows their values):",
      ...needed,
    ],
  ];
}

function importLines({ imported, target, stopped }: MigrationReport): string[] {
  if (target === undefined) return [];
  const counts = countOf(imported, RESULTS, ({ result }) => result);
  const exceptions = imported.filter(({ result }) => result === "kept" || result === "failed");
  const text = RESULTS.filter((result) => counts[result]).map((result) => `${counts[result]} ${result}`);
  return [
    "",
    `Imported into ${target}: ${text.join(", ") || "nothing"}`,
    ...exceptions.map(({ kind, name, result, reason }) =>
      result === "kept"
        ? `  kept    ${kind} ${name}: the target has another one; --overwrite replaces it`
        : `  failed  ${kind} ${name}: ${reason}`
    ),
    ...stopped === undefined ? [] : [`Stopped: ${stopped}`, "Run it again to continue: what is there stays"],
  ];
}

function summaryLine({ flows, target }: MigrationReport): string {
  const counts = countOf(flows, VERDICTS, ({ verdict }) => verdict);
  const advice = target === undefined && counts.refused !== flows.length
    ? "; --apply imports the others"
    : "";
  return `\nFlows: ${flows.length} (${counts.works} working, ${counts.differs} differing, ${counts.refused} refused)${
    counts.refused > 0 ? advice : advice && "; --apply imports them"
  }`;
}

function countOf<Item, Kind extends string>(
  items: readonly Item[],
  kinds: readonly Kind[],
  kindOf: (item: Item) => Kind,
): Record<Kind, number> {
  const counts = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  for (const item of items) counts[kindOf(item)]++;
  return counts;
}
