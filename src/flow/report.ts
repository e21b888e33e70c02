/** Collects what validation finds, with the place of each problem in the source. */
import { isJsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import type { Problem } from "../model/problem.ts";
import type { ParsedSource, Path } from "./parse.ts";

/** A problem of a flow, which also knows how the joined message of an error shows its path. */
export interface FlowProblem extends Problem {
  /** As `path`, but with ids instead of positions: `tasks[log].message`. */
  readonly shownPath?: string;
}

/** Syntax error of a template, or `undefined` when it is right. */
export type TemplateCheck = (source: string) => string | undefined;

/** Problems that are told of one source; a flow that breaks more rules is told of these first. */
export const MAX_PROBLEMS = 1_000;

const PLAIN_NAME = /^[\w.-]+$/;
const EXPRESSION = /\{\{|\{%/;

/** True for a text that may hold an expression, whose value is known only when it is rendered. */
export function hasExpression(value: JsonValue | undefined): value is string {
  return typeof value === "string" && EXPRESSION.test(value);
}

/** The problems of one source while it is validated. */
export class Report {
  readonly #parsed: ParsedSource;
  readonly #checkTemplate?: TemplateCheck;
  readonly #problems: FlowProblem[] = [];

  constructor(parsed: ParsedSource, checkTemplate?: TemplateCheck) {
    this.#parsed = parsed;
    this.#checkTemplate = checkTemplate;
  }

  /** Something that keeps the flow from being saved. */
  error(code: string, path: Path, message: string): void {
    this.#add(code, path, message, "error");
  }

  /** Something that the author should know. */
  warning(code: string, path: Path, message: string): void {
    this.#add(code, path, message, "warning");
  }

  /**
   * Compiles every text within `value`; each syntax error is a warning: existing flows with a task that always fails can
   * be saved, and what looks like an expression may be meant for another program.
   */
  checkTemplates(value: JsonValue | undefined, path: Path): void {
    if (Array.isArray(value)) value.forEach((item, index) => this.checkTemplates(item, [...path, index]));
    else if (isJsonObject(value)) {
      for (const name of Object.keys(value)) this.checkTemplates(value[name], [...path, name]);
    } else if (hasExpression(value)) {
      const message = this.#checkTemplate?.(value);
      if (message !== undefined) this.warning("expression", path, message);
    }
  }

  /** What was found, in the order of the source. */
  problems(): FlowProblem[] {
    const place = ({ range }: Problem) => range ? range.line * 1e7 + range.column : 0;
    return this.#problems.sort((a, b) => place(a) - place(b));
  }

  #add(code: string, path: Path, message: string, severity: Problem["severity"]): void {
    if (this.#problems.length >= MAX_PROBLEMS) return;
    const range = code === "unknown_property" || code === "not_supported" || code === "ignored"
      ? this.#parsed.locateKey(path)
      : this.#parsed.locate(path);
    const shownPath = pathText(path, this.#parsed.document);
    this.#problems.push({ code, message, path: pathText(path), shownPath, range, severity });
  }
}

/** `tasks[0].message`; with a document, items that have an id are shown by it. */
export function pathText(path: Path, document?: JsonValue): string {
  let text = "";
  let value: JsonValue | undefined = document;
  for (const step of path) {
    value = memberOf(value, step);
    text += typeof step === "number" ? `[${idOf(value) ?? step}]` : nameText(step, text === "");
  }
  return text;
}

function memberOf(value: JsonValue | undefined, step: string | number): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isJsonObject(value) ? ownProperty(value, String(step)) : undefined;
}

function idOf(value: JsonValue | undefined): string | undefined {
  const id = isJsonObject(value) ? ownProperty(value, "id") : undefined;
  return typeof id === "string" && PLAIN_NAME.test(id) ? id : undefined;
}

function nameText(name: string, isFirst: boolean): string {
  if (!PLAIN_NAME.test(name)) return `[${JSON.stringify(name.slice(0, 100))}]`;
  return isFirst ? name : `.${name}`;
}
