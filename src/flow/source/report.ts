/** Collects the problems that validation finds, each with its position in the source. */
import { isJsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { flattenString } from "../../base/text/flatten_string.ts";
import { nearestName, type SearchBudget, takeNames } from "../../base/text/nearest_name.ts";
import { type Budget, untimedBudget } from "../../languages/regex/mod.ts";
import type { Problem } from "../../model/flows/problem.ts";
import { memberOf, type ParsedSource, type Path, type ValueBudget, valueBudget } from "./parse.ts";

/** A problem of a flow, with its path as error messages show it. */
export interface FlowProblem extends Problem {
  /** As `path`, but with ids instead of positions: `tasks[log].message`. */
  readonly shownPath?: string;
}

/** Errors reported of one source, and as many warnings; further ones are dropped. */
const MAX_PROBLEMS = 1_000;

const PLAIN_NAME = /^[\w.-]+$/;
const EXPRESSION = /\{\{|\{%/;

/** True for a text that may hold an expression: its value is known only after rendering. */
export function hasExpression(value: JsonValue | undefined): value is string {
  return typeof value === "string" && EXPRESSION.test(value);
}

/** A text with expressions, with its path. */
export interface NotedTemplate {
  readonly source: string;
  readonly path: Path;
  /** Rendered with other variables than those of the flow: only its syntax is checked. */
  readonly isForeign: boolean;
}

/** Codes of problems whose range is the name of a member, not its value. */
const AT_NAME: ReadonlySet<string> = new Set([
  "unknown_property",
  "not_supported",
  "ignored",
  "deprecated",
  "duplicate_property",
]);

/** Misspelt names compared with the known ones. */
const MAX_SUGGESTIONS = 100;
/** Work of all comparisons, some 80 ms: there may be thousands of long known names. */
const MAX_COMPARED_CELLS = 5_000_000;
/** Characters of a name that are compared. */
const MAX_COMPARED = 200;
/** Shorter names are all similar. */
const MIN_COMPARED = 3;

/** Characters of a message, and of a path: names of a source may be as long as the source, and each problem may repeat them. */
const MAX_MESSAGE = 1_000;
const MAX_PATH = 2_000;
/** Characters of an id or a name in a path; a longer id is refused. */
const MAX_NAME = 256;

/** Problems of one source during validation. */
export class Report {
  readonly #parsed: ParsedSource;
  readonly #errors: FlowProblem[] = [];
  readonly #warnings: FlowProblem[] = [];
  readonly #templates: NotedTemplate[] | undefined;
  #errorCount = 0;
  #suggestions = 0;
  readonly #searchBudget: SearchBudget = { cells: MAX_COMPARED_CELLS };
  /** For the patterns that the whole source is checked with. */
  readonly patternBudget: Budget = untimedBudget();
  /** For the texts in YAML and ION that are defaults. */
  readonly valueBudget: ValueBudget = valueBudget();

  /** Templates are collected only when they will be checked. */
  constructor(parsed: ParsedSource, options: { readonly notesTemplates?: boolean } = {}) {
    this.#parsed = parsed;
    if (options.notesTemplates) this.#templates = [];
  }

  /** Adds a problem that prevents saving. */
  error(code: string, path: Path, message: string): void {
    this.#errorCount++;
    if (this.#errors.length >= MAX_PROBLEMS) return;
    this.#errors.push(this.#problem(code, path, { message, severity: "error" }));
  }

  /** Adds a problem that does not prevent saving. */
  warning(code: string, path: Path, message: string): void {
    if (this.hasEnoughWarnings) return;
    this.#warnings.push(this.#problem(code, path, { message, severity: "warning" }));
  }

  /** The number of errors so far, with those that were dropped. */
  get errorCount(): number {
    return this.#errorCount;
  }

  /** True when further warnings are dropped. */
  get hasEnoughWarnings(): boolean {
    return this.#warnings.length >= MAX_PROBLEMS;
  }

  /**
   * `, did you mean "…"` when a known name is similar, else an empty text, also for further names than are compared. Known
   * names that take work to find are given as a function.
   */
  suggest(name: string, known: Iterable<string> | (() => Iterable<string>), maxEdits?: number): string {
    const budget = this.#searchBudget;
    if (name.length < MIN_COMPARED || budget.cells <= 0 || ++this.#suggestions > MAX_SUGGESTIONS) return "";
    const names = typeof known === "function" ? known() : known;
    const near = nearestName(name.slice(0, MAX_COMPARED), names, { maxEdits, budget });
    return near === undefined ? "" : `, did you mean "${near}"`;
  }

  /** True while there is work left for another look at that many known names. */
  mayLookAt(count: number): boolean {
    return takeNames(this.#searchBudget, count);
  }

  /** Notes every text with expressions within `value`; they are checked after the rest of the flow. */
  noteTemplates(value: JsonValue, path: Path, isForeign = false): void {
    const templates = this.#templates;
    if (!templates) return;
    if (Array.isArray(value)) {
      value.forEach((item, index) => this.noteTemplates(item, [...path, index], isForeign));
    } else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) {
        this.noteTemplates(value[name] as JsonValue, [...path, name], isForeign);
      }
    } else if (hasExpression(value)) templates.push({ source: value, path, isForeign });
  }

  /** The noted texts. */
  get templates(): readonly NotedTemplate[] {
    return this.#templates ?? [];
  }

  /** All problems, in the order of the source. */
  problems(): FlowProblem[] {
    const place = ({ range }: Problem) => range ? range.line * 1e7 + range.column : 0;
    return [...this.#errors, ...this.#warnings].sort((a, b) => place(a) - place(b));
  }

  #problem(code: string, path: Path, written: Pick<FlowProblem, "message" | "severity">): FlowProblem {
    const range = AT_NAME.has(code) ? this.#parsed.locateKey(path) : this.#parsed.locate(path);
    const shownPath = pathText(path, this.#parsed.document);
    const { severity } = written, message = cut(written.message, MAX_MESSAGE);
    return { code, message, severity, path: pathText(path), shownPath, range };
  }
}

/** `tasks[0].message`; with a document, items that have an id are shown by it. */
function pathText(path: Path, document?: JsonValue): string {
  let text = "";
  let value: JsonValue | undefined = document;
  for (const step of path) {
    if (text.length > MAX_PATH) return cut(text, MAX_PATH);
    value = memberOf(value, step);
    text += typeof step === "number" ? `[${idOf(value) ?? step}]` : nameText(step, text === "");
  }
  return text;
}

function idOf(value: JsonValue | undefined): string | undefined {
  const id = isJsonObject(value) ? ownProperty(value, "id") : undefined;
  return typeof id === "string" && isShown(id) ? id : undefined;
}

function nameText(name: string, isFirst: boolean): string {
  if (!isShown(name)) return `[${JSON.stringify(name.slice(0, 100))}]`;
  return isFirst ? name : `.${name}`;
}

/** The result is flattened, because a substring keeps the whole text in memory. */
function cut(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : flattenString(`${text.slice(0, maxLength)}…`);
}

/** True for a name that paths show as it is. */
function isShown(name: string): boolean {
  return name.length <= MAX_NAME && PLAIN_NAME.test(name);
}
