/** The names that flows may use for a type. */
import { TYPE_PREFIXES } from "../../model/flows/flow.ts";

/** Aliases without `plugin` in the prefix: `io.svc.core.tasks.log.Log`. */
const OLD_ALIAS = /^core\.(?:tasks|models|runners)\./;
const OLD_PREFIXES = TYPE_PREFIXES.map((prefix) => prefix.replace(/plugin\.$/, ""));

interface Named {
  readonly type: string;
  readonly aliases: readonly string[];
  readonly isOwn?: boolean;
}

/** The name of a built-in type in schemas, documentation and icons. */
export function fullName(type: string): string {
  return TYPE_PREFIXES[0] + type;
}

/** The name of a declared type in schemas, documentation and icons. */
export function shownName({ type, isOwn }: Pick<Named, "type" | "isOwn">): string {
  return isOwn ? type : fullName(type);
}

/** The canonical name with each of these prefixes; by default with all, the one of {@link fullName} first. */
export function canonicalNames(
  { type, isOwn }: Pick<Named, "type" | "isOwn">,
  prefixes: readonly string[] = TYPE_PREFIXES,
): string[] {
  return isOwn ? [type] : prefixes.map((prefix) => prefix + type);
}

/** The aliases, each with its prefixes. */
function olderNames({ aliases, isOwn }: Pick<Named, "aliases" | "isOwn">): readonly string[] {
  return isOwn
    ? aliases
    : aliases.flatMap((alias) =>
      (OLD_ALIAS.test(alias) ? OLD_PREFIXES : TYPE_PREFIXES).map((prefix) => prefix + alias)
    );
}

/** All accepted names. */
export function allNames(named: Named): string[] {
  return [...canonicalNames(named), ...olderNames(named)];
}
