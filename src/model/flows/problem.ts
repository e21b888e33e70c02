/** What parsers and validators find; they collect and go on. */

/** A part of a source text. Lines and columns count from 1. */
export interface SourceRange {
  readonly line: number;
  readonly column: number;
  /** Characters, at least 1. */
  readonly length: number;
}

/** One mistake in a source. */
export interface Problem {
  /** Stable name of the rule, for example `unknown_property`. */
  readonly code: string;
  /** What is wrong, why, and the way out. */
  readonly message: string;
  /** Where, as the message of an error shows it: `tasks[0].message`; empty for the whole document. */
  readonly path: string;
  readonly range?: SourceRange;
  /** A warning does not keep a flow from being saved. */
  readonly severity: "error" | "warning";
}
