/** Problems → the texts, the error and the list of deprecations that clients get. */
import { DomainError } from "../../model/errors.ts";
import type { Problem } from "../../model/flows/problem.ts";
import { positioned } from "./parse.ts";
import type { FlowProblem } from "./report.ts";

const MALFORMED_PREFIX = "yaml_";
const DEPRECATED: ReadonlySet<string> = new Set(["deprecated", "deprecated_type"]);
const REPLACED = "replaced_type";
/** Problems in one message; the items of the error hold all. */
const MAX_JOINED = 100;

/** All errors in one text, `path: text, path: text`; `undefined` without errors. */
export function problemsText(problems: readonly FlowProblem[]): string | undefined {
  const errors = errorsOf(problems);
  if (errors.length === 0) return undefined;
  const malformed = errors.find((problem) => problem.code.startsWith(MALFORMED_PREFIX));
  if (malformed) return `Illegal flow yaml: ${positioned(malformed.message, malformed.range)}`;
  return errors.slice(0, MAX_JOINED).map(problemText).join(", ");
}

/** The error that refuses a source with these problems; warnings are left out. */
export function problemsError(problems: readonly FlowProblem[]): DomainError {
  const errors = errorsOf(problems);
  const text = problemsText(errors) ?? "the flow is not valid";
  const items = errors.map(({ path, message, range }) => ({
    path,
    message,
    ...range && { line: range.line, column: range.column },
  }));
  const isMalformed = errors.some((problem) => problem.code.startsWith(MALFORMED_PREFIX));
  return new DomainError("invalid_entity", isMalformed ? text : `Invalid entity: ${text}`, { items });
}

function errorsOf(problems: readonly FlowProblem[]): FlowProblem[] {
  return problems.filter((problem) => problem.severity === "error");
}

function problemText({ shownPath, path, message }: FlowProblem): string {
  const shown = shownPath ?? path;
  return shown === "" ? message : `${shown}: ${message}`;
}

/** Deprecated types and properties that a flow uses. */
interface Deprecations {
  /** Paths of deprecated tasks, triggers, conditions and properties, in the order of the source. */
  readonly paths: readonly string[];
  /** Sentences such as `old.Type is replaced by new.Type`. */
  readonly replacements: readonly string[];
}

/** The deprecations among the problems of a flow. */
export function deprecationsOf(problems: readonly Problem[]): Deprecations {
  return {
    paths: problems.filter(({ code }) => DEPRECATED.has(code)).map(({ path }) => path),
    replacements: problems.filter(({ code }) => code === REPLACED).map(({ message }) => message),
  };
}

/** True for a problem that {@link deprecationsOf} reports. */
export function isDeprecation({ code }: Problem): boolean {
  return code === REPLACED || DEPRECATED.has(code);
}
