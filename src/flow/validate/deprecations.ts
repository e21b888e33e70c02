/** What is out of date in a flow, among the problems that validation found. */
import type { Problem } from "../../model/flows/problem.ts";

/** Types and properties that still work, and what they are called today. */
interface Deprecations {
  /** Paths of deprecated tasks, triggers, conditions and properties, in the order of the source. */
  readonly paths: readonly string[];
  /** Sentences such as `old.Type is replaced by new.Type`. */
  readonly replacements: readonly string[];
}

const DEPRECATED: ReadonlySet<string> = new Set(["deprecated", "deprecated_type"]);
const REPLACED = "replaced_type";

/** What is out of date. */
export function deprecationsOf(problems: readonly Problem[]): Deprecations {
  return {
    paths: problems.filter(({ code }) => DEPRECATED.has(code)).map(({ path }) => path),
    replacements: problems.filter(({ code }) => code === REPLACED).map(({ message }) => message),
  };
}

/** True for a problem that {@link deprecationsOf} tells of. */
export function isDeprecation({ code }: Problem): boolean {
  return code === REPLACED || DEPRECATED.has(code);
}
