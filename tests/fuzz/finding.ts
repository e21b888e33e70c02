/** Something that a target did wrong, and how it is kept. */
import type { Input } from "./target.ts";

/** One thing found, with an input that shows it. */
export interface Finding {
  readonly target: string;
  readonly seed: number;
  readonly index: number;
  /** What is wrong, and where; equal for equal mistakes. */
  readonly kind: string;
  readonly detail: string;
  readonly input: Input;
}

/** Longest time that one input may take. */
export const MAX_INPUT_MS = 2_000;

const FRAME =
  /\((?:file:\/\/)?[^()]*\/(src\/[^():]+:\d+):\d+\)|at (?:file:\/\/)?[^()\s]*\/(src\/[^():\s]+:\d+):\d+/;

/** What is wrong, without what differs between inputs. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return `threw ${typeof error}`;
  const frame = FRAME.exec(error.stack ?? "");
  const text = error.message.split("\n", 1)[0]?.replace(/"(?:[^"\\]|\\.)*"|\d+/g, "…").slice(0, 100);
  return [error.name, text, frame?.[1] ?? frame?.[2] ?? ""].join(" | ");
}

/** The whole error as text. */
export function detailOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

/** Writes a finding into the folder. Gives its path. */
export async function saveFinding(folder: string, finding: Finding): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const path = `${folder}/${finding.target}-${finding.seed}-${finding.index}.json`;
  await Deno.writeTextFile(path, JSON.stringify(finding, undefined, 2));
  return path;
}

/** A finding that was written. @throws SyntaxError, Deno.errors.NotFound */
export async function readFinding(path: string): Promise<Pick<Finding, "target" | "input">> {
  const { target, input } = JSON.parse(await Deno.readTextFile(path)) as Finding;
  return { target, input };
}
