/** Rules of declared inputs. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { checkId, IdSet, INPUT_ID } from "./check_ids.ts";
import { checkTypeMember, refuseType } from "./check_type.ts";
import { dependencyOf, dependencyOrder } from "./depends_on.ts";
import { describeValue, readFlag, scalarText } from "./describe.ts";
import { DEPENDS_ON_PROPERTIES, INPUT_PROPERTIES } from "./flow_schema.ts";
import type { InputType } from "./inputs/input_type.ts";
import { conversions, findInputType, listInputTypes } from "./inputs/registry.ts";
import { shownValue } from "./inputs/shown_value.ts";
import { UNSUPPORTED_INPUT_TYPES } from "./not_supported.ts";
import type { Path } from "./parse.ts";
import { hasExpression, type Report } from "./report.ts";
import { checkMembers } from "./schema_check.ts";

interface Declared {
  readonly id: string;
  readonly properties: JsonObject;
  readonly path: Path;
}

/** Reports what is wrong with the inputs of a flow, or with those that a task asks for. */
export function checkInputDeclarations(inputs: JsonValue | undefined, path: Path, report: Report): void {
  if (!Array.isArray(inputs)) return;
  const ids = new IdSet("input", report);
  const declared: Declared[] = [];
  for (const [index, properties] of inputs.entries()) {
    const at = [...path, index];
    if (!isJsonObject(properties)) {
      report.error("wrong_type", at, `must be an input, but received ${describeValue(properties)}`);
      continue;
    }
    const id = checkInputId(properties, at, report);
    ids.add(id, [...at, "id"]);
    if (id !== undefined) declared.push({ id, properties, path: at });
    checkDeclaration(properties, at, report);
  }
  checkNesting(declared, report);
  checkDependencies(declared, ids, report);
}

function checkInputId(properties: JsonObject, path: Path, report: Report): string | undefined {
  const name = Object.hasOwn(properties, "id") ? "id" : Object.hasOwn(properties, "name") ? "name" : "id";
  return checkId(ownProperty(properties, name), INPUT_ID, [...path, name], report);
}

function checkDeclaration(properties: JsonObject, path: Path, report: Report): void {
  const name = checkTypeMember(properties, path, report);
  if (name === undefined) return;
  const type = findInputType(name);
  if (!type) {
    const known = listInputTypes().flatMap((candidate) => candidate.names);
    refuseType(name, path, { report, isPlanned: UNSUPPORTED_INPUT_TYPES.has(name), known });
    return;
  }
  checkMembers(properties, { ...INPUT_PROPERTIES, ...type.properties }, { path, report });
  const mistakes = type.checkDeclaration?.(properties, conversions) ?? [];
  for (const { property, message } of mistakes) report.error("bad_input", [...path, property], message);
  checkDefaults(properties, type, { path, report, isSound: mistakes.length === 0 });
}

function checkDefaults(
  properties: JsonObject,
  type: InputType,
  { path, report, isSound }: { path: Path; report: Report; isSound: boolean },
): void {
  const defaults = ownProperty(properties, "defaults");
  if (defaults === undefined || defaults === null) return;
  const at = [...path, "defaults"];
  if (!readFlag(ownProperty(properties, "required"), true)) {
    report.warning("optional_default", at, 'has a default, so that "required: false" has no effect');
  }
  if (!isSound || holdsExpression(defaults) || isNoValue(defaults, type)) return;
  const converted = type.convert(defaults, properties, conversions);
  if ("reason" in converted) {
    report.error("bad_default", at, `${converted.reason}, but received \`${shownValue(defaults)}\``);
  }
}

/** An empty text is no default for types other than texts. */
function isNoValue(value: JsonValue, type: InputType): boolean {
  return value === "" && !type.takesEmptyText;
}

/** True when a text anywhere in the value must be rendered first. */
export function holdsExpression(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(holdsExpression);
  if (!isJsonObject(value)) return hasExpression(value);
  return Object.keys(value).some((name) => holdsExpression(value[name] as JsonValue));
}

/** `a.b` makes `a` an object: `a` cannot have a value of its own. */
function checkNesting(declared: readonly Declared[], report: Report): void {
  const ids = new Set(declared.map(({ id }) => id));
  for (const { id, path } of declared) {
    for (let dot = id.indexOf("."); dot >= 0; dot = id.indexOf(".", dot + 1)) {
      const parent = id.slice(0, dot);
      if (!ids.has(parent)) continue;
      report.error(
        "bad_id",
        [...path, "id"],
        `input "${parent}" exists already and cannot hold another input`,
      );
    }
  }
}

function checkDependencies(declared: readonly Declared[], ids: IdSet, report: Report): void {
  for (const { properties, path } of declared) {
    const dependsOn = ownProperty(properties, "dependsOn");
    if (!isJsonObject(dependsOn)) continue;
    const at = [...path, "dependsOn"];
    checkMembers(dependsOn, DEPENDS_ON_PROPERTIES, { path: at, report });
    for (const [index, id] of (dependencyOf(properties)?.inputs ?? []).entries()) {
      if (!ids.has(id)) report.error("unknown_input", [...at, "inputs", index], `Cannot find input "${id}"`);
    }
  }
  for (const { id, path } of dependencyOrder(declared).cyclic) {
    const message = `input "${scalarText(id)}" depends on itself, directly or through others`;
    report.error("dependency_cycle", [...path, "dependsOn"], message);
  }
}
