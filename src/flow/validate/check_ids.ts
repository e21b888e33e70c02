/** Rules of ids: form, length, and uniqueness. */
import type { JsonValue } from "../../base/json.ts";
import { MAX_FLOW_ID_LENGTH, MAX_NAMESPACE_LENGTH, MAX_TASK_ID_LENGTH } from "../../model/limits.ts";
import { describeValue, scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

/** Form of an id. */
interface IdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

/** Form of flow ids. */
export const FLOW_ID: IdRule = { pattern: /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/, maxLength: MAX_FLOW_ID_LENGTH };
/** Form of namespaces. */
export const NAMESPACE: IdRule = { pattern: /^[a-z0-9][a-z0-9._-]*$/, maxLength: MAX_NAMESPACE_LENGTH };
/** Form of task and trigger ids. */
export const TASK_ID: IdRule = { pattern: /^[a-zA-Z0-9][a-zA-Z0-9_-]*$/, maxLength: MAX_TASK_ID_LENGTH };
/** Form of input and output ids. */
export const INPUT_ID: IdRule = { pattern: /^[a-zA-Z0-9][.a-zA-Z0-9_-]*$/, maxLength: MAX_TASK_ID_LENGTH };

/** The text of an id, or `undefined` when there is none; reports its problems. */
export function checkId(
  value: JsonValue | undefined,
  rule: IdRule,
  path: Path,
  report: Report,
): string | undefined {
  if (value === undefined || value === null) {
    report.error("required", path, "must not be null");
    return undefined;
  }
  const id = scalarText(value);
  if (id === undefined) {
    report.error("wrong_type", path, `must be a text, but received ${describeValue(value)}`);
  } else if (id === "") {
    report.error("required", path, "must not be empty");
  } else {
    if (!rule.pattern.test(id)) {
      report.error("bad_id", path, `must match "${rule.pattern.source.slice(0, -1)}"`);
    }
    if (id.length > rule.maxLength) {
      report.error("too_long", path, `size must be between 1 and ${rule.maxLength}`);
    }
  }
  return id === "" ? undefined : id;
}

/** Ids of one kind; reports duplicates. */
export class IdSet {
  readonly #kind: string;
  readonly #report: Report;
  readonly #seen = new Set<string>();

  /** `kind` is its name in messages: task id, trigger id, input, output. */
  constructor(kind: string, report: Report) {
    this.#kind = kind;
    this.#report = report;
  }

  /** Adds an id; reports a duplicate. */
  add(id: string | undefined, path: Path): void {
    if (id === undefined) return;
    if (!this.#seen.has(id)) this.#seen.add(id);
    else this.#report.error("duplicate_id", path, `Duplicate ${this.#kind} with name [${id}]`);
  }

  /** True for an added id. */
  has(id: string): boolean {
    return this.#seen.has(id);
  }

  /** All added ids. */
  get all(): ReadonlySet<string> {
    return this.#seen;
  }
}
