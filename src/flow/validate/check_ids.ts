/** Rules of ids: form, length, and uniqueness. */
import type { JsonValue } from "../../base/json.ts";
import { MAX_FLOW_ID_LENGTH, MAX_NAMESPACE_LENGTH, MAX_TASK_ID_LENGTH } from "../../model/limits.ts";
import { describeValue, namesOf, scalarText } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

interface IdRule {
  readonly pattern: RegExp;
  readonly maxLength: number;
}

/** Form of flow ids. */
export const FLOW_ID: IdRule = { pattern: /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/, maxLength: MAX_FLOW_ID_LENGTH };
/** Form of namespaces. */
export const NAMESPACE: IdRule = { pattern: /^[a-z0-9][a-z0-9._-]*$/, maxLength: MAX_NAMESPACE_LENGTH };
const TASK_ID: IdRule = { pattern: /^[a-zA-Z0-9][a-zA-Z0-9_-]*$/, maxLength: MAX_TASK_ID_LENGTH };
const INPUT_ID: IdRule = { pattern: /^[a-zA-Z0-9][.a-zA-Z0-9_-]*$/, maxLength: MAX_TASK_ID_LENGTH };

/** Forms of the ids that are unique within a flow, by their name in messages. */
const RULES = { "task id": TASK_ID, "trigger id": TASK_ID, input: INPUT_ID, output: INPUT_ID };

/** The text of a declared id, `undefined` if it is missing or not a text; reports its problems. */
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

/** Ids of one kind. */
export class IdSet {
  /** The ids so far. */
  readonly ids = new Set<string>();
  readonly #kind: keyof typeof RULES;
  readonly #report: Report;
  readonly #duplicates: { readonly id: string; readonly path: Path }[] = [];

  constructor(kind: keyof typeof RULES, report: Report) {
    this.#kind = kind;
    this.#report = report;
  }

  /** Checks the form of an id and adds it, within the `group` of that id if there is one; returns its text as {@link checkId}. */
  check(value: JsonValue | undefined, path: Path, group?: string): string | undefined {
    const id = checkId(value, RULES[this.#kind], path, this.#report);
    if (id !== undefined) this.add(group === undefined ? id : `${group}.${id}`, path);
    return id;
  }

  /** Adds an id, and notes a duplicate for {@link reportDuplicates}. */
  add(id: string, path: Path): void {
    if (!this.ids.has(id)) this.ids.add(id);
    else this.#duplicates.push({ id, path });
  }

  /** Reports the duplicates; each message lists the first of them, as existing clients expect. Called once, at the end. */
  reportDuplicates(): void {
    const ids = namesOf([...new Set(this.#duplicates.map(({ id }) => id))]);
    for (const { path } of this.#duplicates) {
      this.#report.error("duplicate_id", path, `Duplicate ${this.#kind} with name [${ids}]`);
    }
  }
}

/** The groups of the id of an input, the longest last: `a.b.c` has `a` and `a.b`. A longer one is the group of no valid id. */
export function groupsOf(id: string): string[] {
  const groups: string[] = [];
  for (let dot = id.indexOf("."); dot >= 0 && dot < MAX_TASK_ID_LENGTH; dot = id.indexOf(".", dot + 1)) {
    groups.push(id.slice(0, dot));
  }
  return groups;
}
