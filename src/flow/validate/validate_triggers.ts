/** Rules of triggers, and of the conditions of triggers and listeners. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { MAX_TRIGGERS_PER_FLOW } from "../../model/limits.ts";
import type { TriggerCatalog } from "../../model/triggers/trigger_catalog.ts";
import { IdSet } from "./check_ids.ts";
import { checkObject, resolveType } from "./check_type.ts";
import { cutText, elementsOf, textOf } from "../schema/describe.ts";
import { TRIGGER_PROPERTIES } from "../schema/flow_schema.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";
import { checkMembers, type NestedChecks } from "../schema/schema_check.ts";
import { checkTriggerRules, REFUSED_MEMBERS } from "./trigger_rules.ts";

const IDENTITY: ReadonlySet<string> = new Set(["id", "type"]);
const TYPE: ReadonlySet<string> = new Set(["type"]);

/** Members that are not checked by the schemas of that type. */
function apartOf(type: string): ReadonlySet<string> {
  const refused = REFUSED_MEMBERS.get(type);
  return refused === undefined ? IDENTITY : new Set([...IDENTITY, refused]);
}

/** Checks the triggers of one flow. */
export class TriggerValidator {
  readonly #catalog: TriggerCatalog;
  readonly #report: Report;
  readonly #ids: IdSet;
  /** Literal webhook keys with the list position of their trigger. */
  readonly #keys = new Map<string, number>();
  /** Ids of preconditions with the list position of their trigger. */
  readonly #preconditions = new Map<string, number>();
  readonly #nested: NestedChecks;

  constructor(catalog: TriggerCatalog, report: Report) {
    this.#catalog = catalog;
    this.#report = report;
    this.#ids = new IdSet("trigger id", report);
    this.#nested = { checkCondition: (condition, path) => this.checkCondition(condition, path) };
  }

  /** The `triggers` of a flow. */
  checkList(triggers: JsonValue | undefined, path: Path): void {
    if (!Array.isArray(triggers)) return;
    if (triggers.length > MAX_TRIGGERS_PER_FLOW) {
      const message = `a flow has at most ${MAX_TRIGGERS_PER_FLOW} triggers`;
      return this.#report.error("too_many", path, message);
    }
    for (const [index, trigger] of triggers.entries()) this.check(trigger, [...path, index]);
    this.#ids.reportDuplicates();
  }

  /** One trigger: its id, type and properties. */
  check(trigger: JsonValue, path: Path): void {
    const report = this.#report;
    if (!checkObject(trigger, "a trigger", path, report)) return;
    this.#ids.check(ownProperty(trigger, "id"), [...path, "id"]);
    const type = resolveType(trigger, path, report, this.#catalog);
    if (!type) return;
    checkMembers(trigger, { ...TRIGGER_PROPERTIES, ...type.properties }, {
      path,
      report,
      nested: this.#nested,
      apart: apartOf(type.type),
      isForeign: true,
    });
    checkTriggerRules(trigger, type.type, { path, report });
    if (type.form === "flow") this.#checkPreconditionsAreUnique(trigger, path);
    if (type.form !== "webhook") return;
    this.#checkKeyIsUnique(trigger, path);
    const message =
      "invalid webhook: conditions of type MultipleCondition are not supported; use a Flow trigger";
    refuseWindows(trigger, path, { catalog: this.#catalog, report, message });
  }

  /** One condition and its nested conditions. */
  checkCondition(condition: JsonValue, path: Path): void {
    const report = this.#report, catalog = this.#catalog;
    if (!checkObject(condition, "a condition", path, report)) return;
    const type = resolveType(condition, path, report, {
      find: (kind) => catalog.findCondition(kind),
      list: () => catalog.listConditions(),
    });
    if (!type) return;
    const place = { path, report, nested: this.#nested, apart: TYPE, isForeign: true };
    checkMembers(condition, type.properties, place);
    const mistake = type.form === "condition" ? type.mistakeIn?.(condition) : undefined;
    const value = mistake && textOf(condition, mistake.property);
    if (!mistake || value === undefined || hasExpression(value)) return;
    report.error("wrong_value", [...path, mistake.property], mistake.message);
  }

  #checkPreconditionsAreUnique(trigger: JsonObject, path: Path): void {
    const preconditions = ownProperty(trigger, "preconditions");
    const id = isJsonObject(preconditions) ? textOf(preconditions, "id") : undefined;
    if (!id) return;
    const first = this.#preconditions.get(id);
    if (first === undefined) this.#preconditions.set(id, Number(path.at(-1)));
    else {
      const message = `Duplicate preconditions with id [${cutText(id)}]: triggers[${first}] has it, too`;
      this.#report.error("duplicate_id", [...path, "preconditions", "id"], message);
    }
  }

  /** Keys are unique within a flow. They are compared trimmed; the message does not show them. */
  #checkKeyIsUnique(trigger: JsonObject, path: Path): void {
    const key = textOf(trigger, "key")?.trim();
    if (!key || hasExpression(key)) return;
    const first = this.#keys.get(key);
    if (first === undefined) this.#keys.set(key, Number(path.at(-1)));
    else {
      const message = `must differ from the key of triggers[${first}]`;
      this.#report.error("duplicate_key", [...path, "key"], message);
    }
  }
}

/** Reports window conditions of `listeners`. */
export function checkListeners(document: JsonObject, catalog: TriggerCatalog, report: Report): void {
  for (const [index, listener] of elementsOf(document, "listeners").entries()) {
    if (!isJsonObject(listener)) continue;
    const message = "needs several executions, and a listener sees one; remove it";
    refuseWindows(listener, ["listeners", index], { catalog, report, message });
  }
}

/** Reports window conditions where they cannot hold: they need several executions. */
function refuseWindows(
  owner: JsonObject,
  path: Path,
  { catalog, report, message }: {
    readonly catalog: TriggerCatalog;
    readonly report: Report;
    readonly message: string;
  },
): void {
  for (const [at, condition] of elementsOf(owner, "conditions").entries()) {
    const written = isJsonObject(condition) ? textOf(condition, "type") : undefined;
    if (written === undefined || catalog.findCondition(canonicalType(written))?.form !== "window") continue;
    report.error("not_supported", [...path, "conditions", at, "type"], message);
  }
}
