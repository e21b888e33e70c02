/** Rules of declared inputs and outputs. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { IdSet } from "./check_ids.ts";
import { checkObject, checkTypeMember, refuseUnknownType } from "./check_type.ts";
import { dependencyOrder } from "../inputs/depends_on.ts";
import { describeValue, elementsOf, flagOf, hasValue, scalarText, textOf } from "../schema/describe.ts";
import { INPUT_PROPERTIES, OUTPUT_PROPERTIES } from "../schema/flow_schema.ts";
import type { InputType } from "../inputs/input_type.ts";
import { conversions, findInputType, listInputTypes } from "../inputs/registry.ts";
import { shownValue } from "../inputs/shown_value.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";
import { checkMembers } from "../schema/schema_check.ts";

interface Declared {
  readonly id: string;
  readonly properties: JsonObject;
  readonly path: Path;
}

const HIDDEN = "******";
const IDENTITY: ReadonlySet<string> = new Set(["id", "name", "type"]);
const ID: ReadonlySet<string> = new Set(["id"]);

/** Inputs of a task are `isForeign`: they refer to inputs of their own, which are not checked. */
interface InputPlace {
  readonly report: Report;
  readonly isForeign?: boolean;
}

/** Reports problems of the inputs of a flow or of a task. */
export function checkInputDeclarations(inputs: readonly JsonValue[], path: Path, place: InputPlace): void {
  const { report } = place;
  const ids = new IdSet("input", report);
  const declared: Declared[] = [];
  for (const [index, properties] of inputs.entries()) {
    const at = [...path, index];
    if (!checkObject(properties, "an input", at, report)) continue;
    reportOldName(properties, [...at, "name"], report);
    const name = idMember(properties);
    const id = ids.check(ownProperty(properties, name), [...at, name]);
    if (id !== undefined) declared.push({ id, properties, path: at });
    checkDeclaration(properties, at, place);
  }
  checkNesting(declared, report);
  checkDependencies(declared, ids.ids, report);
}

/** The member that holds the id: `name` in older flows. */
function idMember(properties: JsonObject): "id" | "name" {
  return !Object.hasOwn(properties, "id") && Object.hasOwn(properties, "name") ? "name" : "id";
}

function reportOldName(properties: JsonObject, path: Path, report: Report): void {
  if (!Object.hasOwn(properties, "name")) return;
  report.warning("deprecated", path, 'is replaced by "id", use that name');
  if (!Object.hasOwn(properties, "id")) return;
  report.error("duplicate_property", path, 'cannot be given together with "id": both mean the same');
}

function checkDeclaration(properties: JsonObject, path: Path, { report, isForeign }: InputPlace): void {
  const name = checkTypeMember(properties, path, report);
  if (name === undefined) return;
  const type = findInputType(name);
  if (!type) {
    refuseInputType(name, path, report);
    return;
  }
  const [current = name] = type.names;
  if (current !== name) {
    report.warning("replaced_type", [...path, "type"], `${name} is replaced by ${current}`);
  }
  const schemas = { ...INPUT_PROPERTIES, ...type.properties };
  checkMembers(properties, schemas, { path, report, isForeign, apart: IDENTITY });
  const mistakes = type.checkDeclaration?.(properties, conversions) ?? [];
  for (const { property, message } of mistakes) report.error("bad_input", [...path, property], message);
  checkDefaults(properties, type, { path, report, isSound: mistakes.length === 0 });
}

function refuseInputType(name: string, path: Path, report: Report): void {
  const known = listInputTypes().flatMap((candidate) => candidate.names);
  refuseUnknownType(name, path, { report, known });
}

function checkDefaults(
  properties: JsonObject,
  type: InputType,
  { path, report, isSound }: { path: Path; report: Report; isSound: boolean },
): void {
  const defaults = ownProperty(properties, "defaults");
  if (defaults === undefined || defaults === null) return;
  const at = [...path, "defaults"];
  if (hasValue(properties, "prefill")) {
    report.warning("unused_prefill", [...path, "prefill"], 'has no effect beside "defaults"');
  }
  if (!flagOf(properties, "required", true)) {
    report.warning("optional_default", at, 'has a default, so that "required: false" has no effect');
  }
  if (!isSound || holdsExpression(defaults) || isNoValue(defaults, type)) return;
  const converted = type.convert(defaults, properties, conversions);
  if ("reason" in converted) {
    const shown = type.isSecret ? HIDDEN : shownValue(defaults);
    report.error("bad_default", at, `${converted.reason}, but received \`${shown}\``);
  }
}

/** An empty text is no default for types other than texts. */
function isNoValue(value: JsonValue, type: InputType): boolean {
  return value === "" && !type.takesEmptyText;
}

/** True when any text within the value holds an expression. */
function holdsExpression(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsExpression);
  if (!isJsonObject(value)) return hasExpression(value);
  return Object.keys(value).some((name) => holdsExpression(value[name] as JsonValue));
}

/** An input `a.b` makes `a` an object, so `a` cannot be an input too. */
function checkNesting(declared: readonly Declared[], report: Report): void {
  const ids = new Set(declared.map(({ id }) => id));
  for (const { id, path, properties } of declared) {
    for (let dot = id.indexOf("."); dot >= 0; dot = id.indexOf(".", dot + 1)) {
      const parent = id.slice(0, dot);
      if (!ids.has(parent)) continue;
      report.error(
        "bad_id",
        [...path, idMember(properties)],
        `input "${parent}" exists already and cannot hold another input`,
      );
    }
  }
}

function checkDependencies(declared: readonly Declared[], ids: ReadonlySet<string>, report: Report): void {
  for (const { properties, path } of declared) {
    const dependsOn = ownProperty(properties, "dependsOn");
    const needed = isJsonObject(dependsOn) ? elementsOf(dependsOn, "inputs") : [];
    for (const [index, value] of needed.entries()) {
      const id = scalarText(value);
      if (id === undefined || ids.has(id)) continue;
      const message = `Cannot find input ${describeValue(id)}${report.suggest(id, ids)}`;
      report.error("unknown_input", [...path, "dependsOn", "inputs", index], message);
    }
  }
  for (const { id, path } of dependencyOrder(declared).cyclic) {
    const message = `input ${describeValue(id)} depends on itself, directly or through others`;
    report.error("dependency_cycle", [...path, "dependsOn"], message);
  }
}

/** Reports problems of the outputs of a flow, or of one iteration of a Loop. */
export function checkOutputs(outputs: JsonValue | undefined, path: Path, report: Report): void {
  if (!Array.isArray(outputs)) return;
  const ids = new IdSet("output", report);
  for (const [index, output] of outputs.entries()) {
    const at = [...path, index];
    if (!checkObject(output, "an output", at, report)) continue;
    ids.check(ownProperty(output, "id"), [...at, "id"]);
    checkMembers(output, OUTPUT_PROPERTIES, { path: at, report, apart: ID });
    const type = textOf(output, "type");
    if (type !== undefined && !findInputType(type)) refuseInputType(type, at, report);
  }
}
