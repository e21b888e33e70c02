/** What the doctor prints, for people and for programs. */
import type { Finding } from "../../store/check/findings.ts";
import type { Repaired } from "../../store/check/repair.ts";

/** The result of a check. */
export interface DoctorReport {
  readonly dataDir: string;
  /** Size of the write-ahead log before the check; 0 after an orderly stop. */
  readonly walBytes: number;
  /** Records by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** What is still wrong. */
  readonly findings: readonly Finding[];
  /** False when parts of the file cannot be read: a repair would lose what is derived from them. */
  readonly isRepairable: boolean;
  readonly repaired?: Repaired & {
    /** Folder with the database as it was before. */
    readonly copy: string | undefined;
    /** What was found before the repair. */
    readonly found: readonly Finding[];
  };
  readonly seconds: number;
}

const COLUMN = 38;
const DAMAGED =
  "The file is damaged, so nothing is repaired: restore a copy, or recover the file with the tools of SQLite " +
  "(sqlite3 sluice.db .recover) and check it again";

/** 1 when something is wrong, else 0; leftovers are harmless. */
export function exitCodeOf({ findings }: DoctorReport): number {
  return findings.some(({ severity }) => severity !== "leftover") ? 1 : 0;
}

/** One JSON object. */
export function jsonOf(report: DoctorReport): string {
  return JSON.stringify({ ...report, exitCode: exitCodeOf(report) }, undefined, 2);
}

/** The text for people. */
export function textOf(report: DoctorReport): string {
  const { dataDir, counts, repaired, walBytes, seconds } = report;
  return [
    `Checked "${dataDir}" in ${seconds.toFixed(1)} s`,
    ...walBytes > 0
      ? [`The write-ahead log had ${numberText(walBytes)} bytes: the server did not stop in order`]
      : [],
    "",
    ...Object.entries(counts).map(([kind, count]) =>
      `  ${kind.padEnd(COLUMN)}${numberText(count).padStart(12)}`
    ),
    "",
    ...repaired ? repairLines(repaired) : [],
    ...findingLines(report),
  ].join("\n");
}

function repairLines({ rows, otherRecords, copy, found }: NonNullable<DoctorReport["repaired"]>): string[] {
  return [
    `Repaired: ${numberText(rows)} catalog rows and ${
      numberText(otherRecords)
    } other derived records were written`,
    ...found.filter(({ severity }) => severity === "derived").map(({ count, text }) =>
      `  ${numberText(count)}: ${text}`
    ),
    ...copy === undefined ? [] : [`The database as it was before is in "${copy}"`],
    "",
  ];
}

function findingLines({ findings, repaired, isRepairable }: DoctorReport): string[] {
  const wrong = findings.filter(({ severity }) => severity !== "leftover");
  const leftovers = findings.filter(({ severity }) => severity === "leftover");
  return [
    wrong.length === 0 ? "Nothing is wrong" : "Wrong:",
    ...wrong.flatMap(linesOf),
    ...leftovers.length === 0 ? [] : ["Left over, harmless:", ...leftovers.flatMap(linesOf)],
    ...isRepairable ? adviceOf(wrong, repaired !== undefined) : [DAMAGED],
  ];
}

function linesOf({ code, count, text, examples }: Finding): string[] {
  const more = count > examples.length ? [`      … ${numberText(count - examples.length)} more`] : [];
  return [`  ${code} (${numberText(count)}): ${text}`, ...examples.map((each) => `      ${each}`), ...more];
}

function adviceOf(wrong: readonly Finding[], isRepaired: boolean): string[] {
  const hasDerived = wrong.some(({ severity }) => severity === "derived");
  const hasLost = wrong.some(({ severity }) => severity === "lost");
  return [
    ...hasDerived && !isRepaired ? ["Derived records can be written again: run it with --repair"] : [],
    ...hasLost
      ? [
        "What is lost cannot be made again from other records: restore it from a copy, or delete what refers to it",
      ]
      : [],
  ];
}

function numberText(count: number): string {
  return count.toLocaleString("en");
}
