/** Rules of declared inputs and outputs. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { groupsOf, IdSet } from "./check_ids.ts";
import { checkObject, checkTypeMember, refuseUnknownType } from "./check_type.ts";
import { dependencyOrder } from "../inputs/depends_on.ts";
import { cutText, elementsOf, flagOf, hasValue, scalarText, textOf } from "../schema/describe.ts";
import { INPUT_PROPERTIES, OUTPUT_PROPERTIES } from "../schema/flow_schema.ts";
import { FORM, isForm } from "../inputs/form.ts";
import type { DeclarationMistake, InputDeclaration, InputType } from "../inputs/input_type.ts";
import {
  conversionsWith,
  findDeclaredType,
  findInputType,
  listInputTypes,
  listValueTypes,
} from "../inputs/registry.ts";
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
  checkInputList(inputs, path, { ...place, ids, declared });
  ids.reportDuplicates();
  checkNesting(declared, report);
  checkDependencies(declared, report);
}

/** Where a list of inputs is, and what was declared before. */
interface ListPlace extends InputPlace {
  readonly ids: IdSet;
  readonly declared: Declared[];
  /** The FORM around it. */
  readonly form?: string;
}

function checkInputList(inputs: readonly JsonValue[], path: Path, place: ListPlace): void {
  const { report, ids, declared, form } = place;
  for (const [index, properties] of inputs.entries()) {
    const at = [...path, index];
    if (!checkObject(properties, "an input", at, report)) continue;
    reportOldName(properties, [...at, "name"], report);
    const name = idMember(properties);
    const own = ids.check(ownProperty(properties, name), [...at, name], form);
    if (isForm(properties)) {
      if (form === undefined) checkForm(properties, at, { ...place, form: own ?? "" });
      else report.error("bad_input", [...at, "type"], "a FORM cannot contain another FORM");
      continue;
    }
    const id = own !== undefined && form !== undefined ? `${form}.${own}` : own;
    if (id !== undefined) declared.push({ id, properties, path: at });
    checkDeclaration(properties, at, place);
  }
}

function checkForm(properties: JsonObject, path: Path, place: ListPlace): void {
  checkDeclaration(properties, path, place);
  checkInputList(elementsOf(properties, "inputs"), [...path, "inputs"], place);
}

/** The member that holds the id: `name` in older flows. */
function idMember(properties: JsonObject): "id" | "name" {
  return !Object.hasOwn(properties, "id") && Object.hasOwn(properties, "name") ? "name" : "id";
}

function reportOldName(properties: JsonObject, path: Path, report: Report): void {
  if (!Object.hasOwn(properties, "name")) return;
  report.warning("deprecated", path, 'is replaced by "id", use that name');
  // Responses have both.
  const id = ownProperty(properties, "id");
  if (id === undefined || id === ownProperty(properties, "name")) return;
  report.error("duplicate_property", path, 'cannot differ from "id": both mean the same');
}

function checkDeclaration(properties: JsonObject, path: Path, { report, isForeign }: InputPlace): void {
  const name = checkTypeMember(properties, path, report);
  if (name === undefined) return;
  const type = findDeclaredType(name);
  if (!type) {
    refuseInputType(name, path, { report, types: listInputTypes() });
    return;
  }
  const [current = name] = type.names;
  if (current !== name) {
    report.warning("replaced_type", [...path, "type"], `${name} is replaced by ${current}`);
  }
  const schemas = { ...INPUT_PROPERTIES, ...type.properties };
  checkMembers(properties, schemas, { path, report, isForeign, apart: IDENTITY });
  const mistakes = [
    ...refusedMembers(properties, type),
    ...type.checkDeclaration?.(properties, conversionsWith(report)) ?? [],
  ];
  for (const { property, message } of mistakes) report.error("bad_input", [...path, property], message);
  const values = findInputType(name);
  if (values) checkDefaults(properties, values, { path, report, isSound: mistakes.length === 0 });
}

function refusedMembers(properties: JsonObject, { refused }: InputDeclaration): DeclarationMistake[] {
  return [...refused ?? []].filter(([property]) => hasValue(properties, property))
    .map(([property, message]) => ({ property, message }));
}

/** Inputs that a namespace declares for many flows; no such declarations exist here. */
const SHARED_INPUTS = "REUSABLE_INPUTS";

function refuseInputType(
  name: string,
  path: Path,
  { report, types }: { readonly report: Report; readonly types: readonly InputDeclaration[] },
): void {
  if (name === SHARED_INPUTS) {
    const message = `Type "${name}" is not supported: declare the inputs here, in an input of type ${FORM}`;
    report.error("unsupported_type", [...path, "type"], message);
    return;
  }
  refuseUnknownType(name, path, { report, known: types.flatMap((candidate) => candidate.names) });
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
  const reason = type.refusesDefault?.(defaults, properties) ??
    failureOf(type, properties, { defaults, report });
  if (reason === undefined) return;
  const shown = type.isSecret ? HIDDEN : shownValue(defaults);
  report.error("bad_default", at, `${reason}, but received \`${shown}\``);
}

/** Why the conversion of the defaults fails; `undefined` if it succeeds. */
function failureOf(
  type: InputType,
  properties: JsonObject,
  { defaults, report }: { readonly defaults: JsonValue; readonly report: Report },
): string | undefined {
  const converted = type.convert(defaults, properties, conversionsWith(report));
  return "reason" in converted ? converted.reason : undefined;
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
    for (const parent of groupsOf(id)) {
      if (!ids.has(parent)) continue;
      report.error(
        "bad_id",
        [...path, idMember(properties)],
        `input "${parent}" exists already and cannot hold another input`,
      );
    }
  }
}

function checkDependencies(declared: readonly Declared[], report: Report): void {
  const ids = new Set(declared.map(({ id }) => id));
  for (const { id: own, properties, path } of declared) {
    const dependsOn = ownProperty(properties, "dependsOn");
    const needed = isJsonObject(dependsOn) ? elementsOf(dependsOn, "inputs") : [];
    for (const [index, value] of needed.entries()) {
      const id = scalarText(value);
      if (id === undefined || ids.has(id)) continue;
      // Within a FORM the full id is needed.
      const sibling = `${own.slice(0, own.lastIndexOf(".") + 1)}${id}`;
      const hint = ids.has(sibling) ? `, did you mean "${sibling}"` : report.suggest(id, ids);
      const message = `Input with id '${cutText(own)}' depends on a non-existent input '${cutText(id)}'`;
      report.error("unknown_input", [...path, "dependsOn", "inputs", index], `${message}${hint || "."}`);
    }
  }
  for (const { id, path } of dependencyOrder(declared).cyclic) {
    const message = `Cycle dependency detected for input with id '${cutText(id)}'`;
    const reason = "it depends on itself, directly or through others";
    report.error("dependency_cycle", [...path, "dependsOn"], `${message}: ${reason}`);
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
    if (type === undefined || findInputType(type)) continue;
    refuseInputType(type, at, { report, types: listValueTypes() });
  }
  ids.reportDuplicates();
}
