/** Searches the sources of flows. */
import type { Actor } from "../../model/access/actor.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import type { Flows } from "./flows.ts";

/** A flow whose source contains the text. */
interface FoundSource {
  readonly head: FlowHead;
  /** Lines as escaped HTML for the content of an element, the match as `[mark]…[/mark]`. */
  readonly fragments: readonly string[];
}

interface SourceSearch {
  readonly text: string;
  readonly matches: (head: FlowHead) => boolean;
  readonly page: number;
  readonly size: number;
}

/** Fragments of one flow. */
const MAX_FRAGMENTS = 5;
/** Characters of a line on either side of the match. */
const CONTEXT = 100;
const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** One page of the flows whose latest source contains the text, ignoring case, and their number. Every source contains the empty text. */
export async function searchSources(
  flows: Flows,
  actor: Actor,
  { text, matches, page, size }: SourceSearch,
): Promise<{ results: FoundSource[]; total: number }> {
  const wanted = text.toLowerCase();
  const first = (page - 1) * size;
  const results: FoundSource[] = [];
  let total = 0;
  for (const head of await flows.filter(actor, matches)) {
    const lines = linesWith((await flows.read(actor, head)).source, wanted);
    if (lines.length === 0) continue;
    if (total >= first && results.length < size) {
      results.push({ head, fragments: lines.map((line) => marked(line, wanted)) });
    }
    total++;
  }
  return { results, total };
}

function linesWith(source: string, wanted: string): string[] {
  const found: string[] = [];
  for (const line of source.split("\n")) {
    if (line.toLowerCase().includes(wanted)) found.push(line.trim());
    if (found.length === MAX_FRAGMENTS) break;
  }
  return found;
}

function marked(line: string, wanted: string): string {
  // Letters whose lower case has another length shift the position: such a line is not marked.
  const lower = line.toLowerCase();
  const at = lower.length === line.length ? lower.indexOf(wanted) : -1;
  if (at === -1 || wanted === "") return escapeHtml(line.slice(0, 2 * CONTEXT));
  const end = at + wanted.length;
  const before = line.slice(Math.max(0, at - CONTEXT), at), after = line.slice(end, end + CONTEXT);
  return `${escapeHtml(before)}[mark]${escapeHtml(line.slice(at, end))}[/mark]${escapeHtml(after)}`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => HTML[character] ?? character);
}
