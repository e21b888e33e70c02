/** Searches the sources of flows. */
import type { Actor } from "../../model/access/actor.ts";
import { DomainError } from "../../model/errors.ts";
import { searchWords } from "../../model/executions/execution_query.ts";
import type { FlowHead } from "../../store/records/flow_records.ts";
import type { FlowSortKey } from "./flow_heads.ts";
import type { Flows } from "./flows.ts";

/** A flow whose source contains the text. */
interface FoundSource {
  readonly head: FlowHead;
  /** Lines as escaped HTML for the content of an element, the match as `[mark]…[/mark]`. */
  readonly fragments: readonly string[];
}

interface SourceSearch {
  /** Words of which a source has each one. `*` and the empty text find all; a text without letters and digits is found as it is. */
  readonly text: string;
  readonly matches: (head: FlowHead) => boolean;
  readonly sort: readonly FlowSortKey[];
  readonly page: number;
  readonly size: number;
}

/** Each is searched in every source. */
const MAX_WORDS = 20;
/** Fragments of one flow. */
const MAX_FRAGMENTS = 5;
/** Characters of a line on either side of the match. */
const CONTEXT = 100;
const HTML: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** One page of the flows whose latest source contains the text, ignoring case, and their number. @throws DomainError invalid_argument, invalid_filter */
export async function searchSources(
  flows: Flows,
  actor: Actor,
  { text, matches, sort, page, size }: SourceSearch,
): Promise<{ results: FoundSource[]; total: number }> {
  const whole = text === "*" ? "" : text.toLowerCase();
  const words = searchWords(whole);
  if (words.length > MAX_WORDS) {
    throw new DomainError("invalid_filter", `Invalid filter: "q" has more than ${MAX_WORDS} different words`);
  }
  const first = (page - 1) * size;
  const results: FoundSource[] = [];
  let total = 0;
  for (const head of await flows.filter(actor, matches, sort)) {
    const { source } = await flows.read(actor, head);
    const lower = source.toLowerCase();
    if (!(words.length > 0 ? words : [whole]).every((word) => lower.includes(word))) continue;
    if (total >= first && results.length < size) {
      results.push({ head, fragments: fragmentsOf(source, whole, words) });
    }
    total++;
  }
  return { results, total };
}

/** Lines with the whole text; if there are none, those with one of its words. */
function fragmentsOf(source: string, whole: string, words: readonly string[]): string[] {
  const lines = linesWith(source, [whole]);
  return lines.length > 0 ? lines : linesWith(source, words);
}

function linesWith(source: string, wanted: readonly string[]): string[] {
  const found: string[] = [];
  for (const line of source.split("\n")) {
    const lower = line.toLowerCase();
    const word = wanted.find((each) => lower.includes(each));
    if (word !== undefined) found.push(marked(line.trim(), word));
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
