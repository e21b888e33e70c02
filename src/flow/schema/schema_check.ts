/** Checks the members of an object against property schemas: of flows, tasks, triggers, inputs and outputs. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { readStructure } from "../../base/json_text.ts";
import { currentName, type PropertySchema, type PropertySchemas } from "../../model/flows/schema.ts";
import { deprecationText, describeValue, scalarText } from "./describe.ts";
import type { Path } from "../source/parse.ts";
import { hasExpression, type Report } from "../source/report.ts";
import { checkLength, checkRules, VALUE_KINDS } from "./value_kinds.ts";

/** Checks of nested declarations. Without its check only the kind of such a value is checked. */
export interface NestedChecks {
  /** One task. */
  checkTask?(task: JsonValue, path: Path): void;
  /** A list of tasks. */
  checkTasks?(tasks: readonly JsonValue[], path: Path): void;
  /** Declared inputs. */
  checkInputs?(inputs: readonly JsonValue[], path: Path): void;
  /** One condition of a trigger. */
  checkCondition?(condition: JsonValue, path: Path): void;
  /** One task runner. */
  checkRunner?(runner: JsonObject, path: Path): void;
  /** One part of a family. */
  checkPart?(part: JsonObject, family: string, path: Path): void;
}

interface ValuePlace {
  readonly path: Path;
  readonly report: Report;
  readonly nested?: NestedChecks;
  /** Expressions are allowed and have been noted. */
  readonly isDynamic?: boolean;
  /** Its expressions are rendered with other variables: their references are not checked. */
  readonly isForeign?: boolean;
}

/** The path of an object and the members that need special treatment. */
interface MemberPlace extends ValuePlace {
  /** Names that are skipped here. */
  readonly apart?: ReadonlySet<string>;
  /** Names of members whose expressions are rendered with other variables. */
  readonly foreign?: ReadonlySet<string>;
}

interface Member {
  readonly object: JsonObject;
  readonly name: string;
  readonly schemas: PropertySchemas;
}

/** Reports unknown, missing and wrong members of `object`. */
export function checkMembers(object: JsonObject, schemas: PropertySchemas, place: MemberPlace): void {
  const { path, report, apart } = place;
  for (const name of Object.keys(object)) {
    if (!apart?.has(name)) checkMember({ object, name, schemas }, place);
  }
  for (const name of Object.keys(schemas)) {
    const schema = schemas[name];
    if (!schema?.required || apart?.has(name) || memberValue(object, name, schema) !== undefined) continue;
    const isEmpty = VALUE_KINDS[schema.type].isList;
    report.error("required", [...path, name], isEmpty ? "must not be empty" : "must not be null");
  }
}

/** The value under that name or an alias; `undefined` when it is missing or null. */
function memberValue(object: JsonObject, name: string, schema?: PropertySchema): JsonValue | undefined {
  const value = ownProperty(object, name);
  if (value !== undefined && value !== null) return value;
  for (const alias of schema?.aliases ?? []) {
    const given = ownProperty(object, alias);
    if (given !== undefined && given !== null) return given;
  }
  return undefined;
}

function checkMember(member: Member, place: MemberPlace): void {
  const { report, nested, isDynamic } = place;
  const path = [...place.path, member.name];
  const schema = schemaOf(member, path, report);
  const value = ownProperty(member.object, member.name) ?? null;
  if (!schema || value === null) return;
  const isForeign = place.isForeign || place.foreign?.has(member.name);
  reportStatus(value, schema, path, report);
  if (schema.ignored || schema.planned && isNothing(value)) return;
  checkValue(value, schema, { path, report, nested, isDynamic, isForeign });
}

/** The schema of a member, also by an alias; reports an unknown name. */
function schemaOf({ object, name, schemas }: Member, path: Path, report: Report): PropertySchema | undefined {
  const target = currentName(name, schemas);
  if (target === undefined) {
    const hint = report.suggest(name, Object.keys(schemas));
    report.error("unknown_property", path, `Unrecognized field ${describeValue(name)}${hint}`);
    return undefined;
  }
  if (target === name) return schemas[name];
  report.warning("deprecated", path, `is replaced by "${target}", use that name`);
  if (memberValue(object, target) !== undefined) {
    const message = `you can't define both \`${target}\` and \`${name}\`: both mean the same`;
    report.error("duplicate_property", path, message);
  }
  return schemas[target];
}

/** Reports members that are planned, ignored or deprecated. */
function reportStatus(value: JsonValue, schema: PropertySchema, path: Path, report: Report): void {
  if (schema.planned && !isNothing(value)) {
    report.error("not_supported", path, "is not supported yet, remove it");
  }
  if (schema.ignored) report.warning("ignored", path, "has no effect on this server and is ignored");
  if (schema.deprecated) report.warning("deprecated", path, deprecationText(schema.deprecated));
}

/** True for a value that enables nothing: a planned property may have it. */
function isNothing(value: JsonValue): boolean {
  return value === null || value === false || Array.isArray(value) && value.length === 0;
}

/** Reports problems of a value that is not null. */
function checkValue(value: JsonValue, schema: PropertySchema, given: ValuePlace): void {
  let place = given;
  if (schema.dynamic && !place.isDynamic) {
    place.report.noteTemplates(value, place.path, place.isForeign);
    place = { ...place, isDynamic: true };
  }
  if (!schema.orList || !Array.isArray(value)) {
    checkOne(value, schema, place);
    return;
  }
  if (schema.required && value.length === 0) place.report.error("required", place.path, "must not be empty");
  value.forEach((item, index) => checkOne(item, schema, { ...place, path: [...place.path, index] }));
}

function checkOne(value: JsonValue, schema: PropertySchema, place: ValuePlace): void {
  const { path, report } = place;
  if (typeof value === "string" && (schema.orText || place.isDynamic && hasExpression(value))) {
    checkLength(value, schema, path, report);
    return;
  }
  if (schema.orMap && isJsonObject(value)) return;
  if (schema.orJson && place.isDynamic && (Array.isArray(value) || isJsonObject(value))) return;
  const kind = VALUE_KINDS[schema.type];
  if (!kind.accepts(value)) {
    // Rendered, an expression is a text too: what reads it reads JSON.
    const structure = place.isDynamic ? readStructure(value) : value;
    if (structure !== value && kind.accepts(structure)) return checkOne(structure, schema, place);
    report.error("wrong_type", path, `must be ${kind.text}, but received ${describeValue(value)}`);
    return;
  }
  if (schema.required && !schema.mayBeEmpty && Array.isArray(value) && value.length === 0) {
    report.error("required", path, "must not be empty");
  }
  checkRules(value, schema, path, report);
  if (Array.isArray(value)) checkList(value, schema, place);
  else if (isJsonObject(value)) checkObject(value, schema, place);
}

function checkList(list: readonly JsonValue[], schema: PropertySchema, place: ValuePlace): void {
  const { path, nested } = place;
  if (schema.type === "tasks") return nested?.checkTasks?.(list, path);
  if (schema.type === "inputs") return nested?.checkInputs?.(list, path);
  const element = elementOf(schema);
  if (!element) return;
  list.forEach((item, index) => checkElement(item, element, { ...place, path: [...path, index] }));
}

function checkObject(object: JsonObject, schema: PropertySchema, place: ValuePlace): void {
  const { path, nested } = place;
  if (schema.type === "task") return nested?.checkTask?.(object, path);
  if (schema.type === "condition") return nested?.checkCondition?.(object, path);
  if (schema.type === "taskRunner") return nested?.checkRunner?.(object, path);
  if (schema.type === "part") return nested?.checkPart?.(object, schema.family ?? "", path);
  if (schema.properties || schema.variants) return checkObjectMembers(object, schema, place);
  const element = elementOf(schema);
  if (!element) return;
  for (const name of Object.keys(object)) {
    checkElement(ownProperty(object, name) ?? null, element, { ...place, path: [...path, name] });
  }
}

const BRANCH: PropertySchema = { type: "tasks", description: "Tasks of a branch." };
const CONDITION: PropertySchema = { type: "condition", description: "A condition." };
const DAG_TASK: PropertySchema = {
  type: "object",
  description: "A task of a Dag, and what comes before it.",
  properties: {
    task: { type: "task", required: true, description: "The task." },
    dependsOn: {
      type: "list",
      items: { type: "string", required: true, description: "Id of a task of the same Dag." },
      description: "Ids of the tasks that come first.",
    },
  },
};

/** Schema of the elements of a list or map; `undefined` when they may be anything. */
function elementOf({ type, items }: PropertySchema): PropertySchema | undefined {
  if (type === "cases") return BRANCH;
  if (type === "conditions" || type === "conditionMap") return CONDITION;
  return type === "dagTasks" ? DAG_TASK : items;
}

/** Null is refused where an element is required or structured. */
function checkElement(item: JsonValue, schema: PropertySchema, place: ValuePlace): void {
  if (item !== null || !schema.required && isScalarKind(schema)) {
    if (item !== null) checkValue(item, schema, place);
  } else place.report.error("required", place.path, "must not be null");
}

function isScalarKind({ type, properties, variants }: PropertySchema): boolean {
  return properties === undefined && variants === undefined && !STRUCTURED.has(type);
}

const STRUCTURED: ReadonlySet<string> = new Set(["task", "tasks", "dagTasks", "inputs", "condition", "part"]);

/** Members common to all variants, and those of the variant that `type` names. */
function checkObjectMembers(object: JsonObject, schema: PropertySchema, place: ValuePlace): void {
  const { properties = {}, variants } = schema;
  if (!variants) return checkMembers(object, properties, place);
  const names = Object.keys(variants);
  const typeSchema: PropertySchema = properties.type ?? {
    type: "string",
    required: true,
    values: names,
    description: "Which of the variants it is.",
  };
  const given = ownProperty(object, "type") ?? typeSchema.default ?? null;
  const type = scalarText(given);
  const isKnown = type !== undefined && Object.hasOwn(variants, type);
  const members = isKnown ? variants[type] : withoutRequired(Object.assign({}, ...Object.values(variants)));
  checkMembers(object, { ...properties, type: typeSchema, ...members }, place);
}

/** Of an unknown variant no member is required. */
function withoutRequired(schemas: PropertySchemas): PropertySchemas {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...schema, required: false }]),
  );
}
