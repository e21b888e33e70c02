/** Problems → the texts and the refusal that callers see. */
import { DomainError } from "../../model/errors.ts";
import { positioned } from "./parse.ts";
import type { FlowProblem } from "./report.ts";

const MALFORMED_PREFIX = "yaml_";
/** Problems in one message; all of them are in its items. */
const MAX_JOINED = 100;

/** The problems that forbid saving as one text, `path: text, path: text`; `undefined` when there are none. */
export function problemsText(problems: readonly FlowProblem[]): string | undefined {
  const errors = problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return undefined;
  const malformed = errors.find((problem) => problem.code.startsWith(MALFORMED_PREFIX));
  if (malformed) return `Illegal flow yaml: ${positioned(malformed.message, malformed.range)}`;
  return errors.slice(0, MAX_JOINED).map(problemText).join(", ");
}

/** The refusal of a source with such problems; warnings are left out. */
export function problemsError(problems: readonly FlowProblem[]): DomainError {
  const errors = problems.filter((problem) => problem.severity === "error");
  const text = problemsText(errors) ?? "the flow is not valid";
  const items = errors.map(({ path, message }) => ({ path, message }));
  const isMalformed = errors.some((problem) => problem.code.startsWith(MALFORMED_PREFIX));
  return new DomainError("invalid_entity", isMalformed ? text : `Invalid entity: ${text}`, { items });
}

function problemText({ shownPath, path, message }: FlowProblem): string {
  const shown = shownPath ?? path;
  return shown === "" ? message : `${shown}: ${message}`;
}
