/** Checks that declarations are objects of a known `type`: tasks, triggers, conditions, inputs and outputs. */
import { nearestName } from "../../base/text/nearest_name.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType, OLD_TYPE_PREFIXES, TYPE_PREFIXES } from "../../model/flows/flow.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
import { integrationOf, TRIGGER_WAY } from "../schema/integrations.ts";
import { nearestWay } from "../schema/nearest_ways.ts";
import { cutText, deprecationText, describeValue } from "../schema/describe.ts";
import type { Path } from "../source/parse.ts";
import type { Report } from "../source/report.ts";

type DeclaredType = TypeDeclaration & { readonly form: string };

interface TypeFinder<T extends DeclaredType> {
  find(kind: string): T | undefined;
  list(): readonly T[];
}

/** True for an object; reports any other value. `noun` is "a task", for example. */
export function checkObject(value: JsonValue, noun: string, path: Path, report: Report): value is JsonObject {
  if (isJsonObject(value)) return true;
  report.error("wrong_type", path, `must be ${noun}, but received ${describeValue(value)}`);
  return false;
}

/** The declared type of the object at `path`; reports a missing, unknown, planned, deprecated or replaced one. */
export function resolveType<T extends DeclaredType>(
  object: JsonObject,
  path: Path,
  report: Report,
  types: TypeFinder<T>,
): T | undefined {
  const written = checkTypeMember(object, path, report);
  if (written === undefined) return undefined;
  const type = types.find(canonicalType(written));
  if (type) reportStatus(written, type, path, report);
  else refuseUnknownType(written, path, { report, known: () => namesLike(written, types.list()) });
  return type;
}

/** The declared type of the task runner at `path`; reports a missing or unknown one, such as that of another service. */
export function resolveRunner<T extends DeclaredType>(
  runner: JsonObject,
  path: Path,
  report: Report,
  types: TypeFinder<T>,
): T | undefined {
  const written = checkTypeMember(runner, path, report);
  if (written === undefined) return undefined;
  const type = types.find(canonicalType(written));
  if (type) {
    reportStatus(written, type, path, report);
    return type;
  }
  const prefix = TYPE_PREFIXES.find((candidate) => written.startsWith(candidate)) ?? TYPE_PREFIXES[0];
  const known = types.list().map(({ type: name }) => prefix + name);
  const suggestion = report.suggest(written, known);
  const advice = suggestion ||
    `: this server runs scripts itself, not on other services; use ${
      known.map((name) => `"${name}"`).join(" or ")
    }`;
  report.error("unknown_type", [...path, "type"], `Invalid task runner: ${cutText(written)}${advice}`);
  return undefined;
}

/** The `type` of the object at `path`; reports a missing or wrong one and returns `undefined`. */
export function checkTypeMember(object: JsonObject, path: Path, report: Report): string | undefined {
  const type = ownProperty(object, "type");
  const at = [...path, "type"];
  if (type === undefined || type === null) report.error("required", at, "must not be null");
  else if (typeof type !== "string") {
    report.error("wrong_type", at, `must be a text, but received ${describeValue(type)}`);
  } else if (type === "") report.error("required", at, "must not be empty");
  else return type;
  return undefined;
}

/** Reports an unknown type; suggests a known one, else says what to do about a type of an integration. */
export function refuseUnknownType(
  type: string,
  path: Path,
  { report, known }: { readonly report: Report; readonly known: Parameters<Report["suggest"]>[1] },
): void {
  // Names of different systems of one integration are similar.
  const maxEdits = integrationOf(canonicalType(type)) ? 2 : undefined;
  const suggestion = report.suggest(type, known, maxEdits);
  const help = suggestion === "" ? integrationHelp(type) : suggestion;
  report.error("unknown_type", [...path, "type"], `Invalid type: ${cutText(type)}${help}`);
}

const PAGE = "docs/INTEGRATIONS.md";

/** The end of a refusal: the integration of the type, whether it is planned, and the nearest way. */
function integrationHelp(type: string): string {
  const integration = integrationOf(canonicalType(type));
  if (!integration) {
    const isPlugin = TYPE_PREFIXES.some((prefix) => type.startsWith(prefix));
    return isPlugin ? `; this server has no such type, see docs/COMPATIBILITY.md and ${PAGE}` : "";
  }
  const { id, title, isPlanned, way } = integration;
  const plan = isPlanned ? "planned, but not here yet; until then" : "not planned; instead";
  const nearest = nearestWay(canonicalType(type)) ?? (TRIGGER_NAME.test(type) ? TRIGGER_WAY : way);
  return `; this type of the integration "${title}" is ${plan} ${nearest}; see ${PAGE}#${id}`;
}

/** The last part of the name of a trigger, by the convention of other servers. */
const TRIGGER_NAME = /\.\w*Trigger$/;

/** Reports a type that is planned, deprecated, or written with an older name. */
function reportStatus(written: string, type: DeclaredType, path: Path, report: Report): void {
  if (type.form === "planned") {
    const reason = type.refusal === undefined ? " yet" : `: ${type.refusal}`;
    report.error(
      "unsupported_type",
      [...path, "type"],
      `Type "${cutText(written)}" is not supported${reason}`,
    );
  }
  if (type.deprecated) {
    report.warning("deprecated_type", path, `Type "${cutText(written)}" ${deprecationText(type.deprecated)}`);
  }
  const current = currentName(written, type.type);
  if (current !== written) {
    report.warning("replaced_type", [...path, "type"], `${cutText(written)} is replaced by ${current}`);
  }
}

/** The current name of a type, with the prefix of the written name if it has one. */
function currentName(written: string, canonical: string): string {
  const root = OLD_TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  return root ? `${root}plugin.${canonical}` : canonical;
}

/**
 * Names of the types for suggestions, with the same prefix as `written`. Where its group is known, only those of the group:
 * a type of another language or integration is no correction.
 */
function namesLike(written: string, all: readonly TypeDeclaration[]): string[] {
  const types = sameGroup(written, all);
  const prefix = TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  if (prefix) return types.map(({ type }) => prefix + type);
  const root = OLD_TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  if (root) return types.flatMap(({ aliases }) => aliases.map((alias) => root + alias));
  return types.flatMap(({ type }) => [type, TYPE_PREFIXES[0] + type]);
}

function sameGroup(written: string, types: readonly TypeDeclaration[]): readonly TypeDeclaration[] {
  const name = canonicalType(written);
  const groupsOf = ({ type, aliases }: TypeDeclaration) => [type, ...aliases].map(groupOf);
  const group = nearestGroup(groupOf(name), new Set(types.flatMap(groupsOf)));
  const ofGroup = types.filter((type) => groupsOf(type).includes(group));
  return ofGroup.length > 0 || integrationOf(name) ? ofGroup : types;
}

/** The group itself; a misspelt script language is that of the known group whose language is similar. */
function nearestGroup(group: string, known: ReadonlySet<string>): string {
  if (known.has(group) || !group.startsWith(SCRIPTS)) return group;
  const languages = [...known].filter((each) => each.startsWith(SCRIPTS)).map((each) =>
    each.slice(SCRIPTS.length)
  );
  const written = group.slice(SCRIPTS.length);
  const language = written.length < MIN_LANGUAGE ? undefined : nearestName(written, languages);
  return language === undefined ? group : SCRIPTS + language;
}

/** The part of a canonical name within which names are compared: `core`, `jdbc`, `scripts.python`, `fs.sftp`. */
function groupOf(name: string): string {
  const [first = "", second = ""] = name.split(".");
  return PARTED_GROUPS.has(first) ? `${first}.${second}` : first;
}

/** Groups whose parts have types of the same names: those of one language or protocol are no correction of another. */
const PARTED_GROUPS: ReadonlySet<string> = new Set(["ai", "fs", "scripts"]);

const SCRIPTS = "scripts.";
/** Shorter names are all similar: C is not R. */
const MIN_LANGUAGE = 3;
