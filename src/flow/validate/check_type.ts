/** Checks that declarations are objects of a known `type`: tasks, triggers, conditions, inputs and outputs. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../../base/json.ts";
import { canonicalType, OLD_TYPE_PREFIXES, TYPE_PREFIXES } from "../../model/flows/flow.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";
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
  else refuseUnknownType(written, path, { report, known: namesLike(written, types.list()) });
  return type;
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

/** Reports an unknown type; suggests a known one. */
export function refuseUnknownType(
  type: string,
  path: Path,
  { report, known }: { readonly report: Report; readonly known: Iterable<string> },
): void {
  report.error(
    "unknown_type",
    [...path, "type"],
    `Invalid type: ${cutText(type)}${report.suggest(type, known)}`,
  );
}

/** Reports a type that is planned, deprecated, or written with an older name. */
function reportStatus(written: string, type: DeclaredType, path: Path, report: Report): void {
  if (type.form === "planned") {
    report.error("unsupported_type", [...path, "type"], `Type "${cutText(written)}" is not supported yet`);
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

/** Names of the types for suggestions, with the same prefix as `written`. */
function namesLike(written: string, types: readonly TypeDeclaration[]): string[] {
  const prefix = TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  if (prefix) return types.map(({ type }) => prefix + type);
  const root = OLD_TYPE_PREFIXES.find((candidate) => written.startsWith(candidate));
  if (root) return types.flatMap(({ aliases }) => aliases.map((alias) => root + alias));
  return types.flatMap(({ type }) => [type, TYPE_PREFIXES[0] + type]);
}
