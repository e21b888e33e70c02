/** The names under which flows may write a type, as editors offer them. */
import { TYPE_PREFIXES } from "../../model/flows/flow.ts";

/** Aliases from before types of plugins: `io.svc.core.tasks.log.Log`. */
const OLD_ALIAS = /^core\.(?:tasks|models|runners)\./;
const OLD_PREFIXES = TYPE_PREFIXES.map((prefix) => prefix.replace(/plugin\.$/, ""));

/** A type by its canonical name, and by its aliases. */
interface Named {
  readonly type: string;
  readonly aliases: readonly string[];
}

/** The one name that schemas, documentation and icons know a type by. */
export function fullName(type: string): string {
  return TYPE_PREFIXES[0] + type;
}

/** The canonical name with each prefix, the one of {@link fullName} first. */
export function canonicalNames({ type }: Pick<Named, "type">): string[] {
  return TYPE_PREFIXES.map((prefix) => prefix + type);
}

/** The older names, with the prefixes that go with them. */
function olderNames({ aliases }: Pick<Named, "aliases">): string[] {
  return aliases.flatMap((alias) =>
    (OLD_ALIAS.test(alias) ? OLD_PREFIXES : TYPE_PREFIXES).map((prefix) => prefix + alias)
  );
}

/** All names. */
export function allNames(named: Named): string[] {
  return [...canonicalNames(named), ...olderNames(named)];
}
