/** Names of namespaces and their hierarchy. */
import { DomainError } from "../errors.ts";
import { MAX_NAMESPACE_LENGTH } from "../limits.ts";

const PATTERN = /^[a-z0-9][a-z0-9._-]*$/;

/** Validates and returns the name. @throws DomainError invalid_argument */
export function checkNamespace(text: string): string {
  if (text.length <= MAX_NAMESPACE_LENGTH && PATTERN.test(text)) return text;
  const shown = JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
  throw new DomainError(
    "invalid_argument",
    `Illegal argument: namespace ${shown} must match "[a-z0-9][a-z0-9._-]*" and have at most ${MAX_NAMESPACE_LENGTH} characters`,
  );
}

/** Parent namespaces, nearest first: `a.b.c` has `a.b` and `a`. */
export function parentNamespaces(namespace: string): string[] {
  const parents: string[] = [];
  for (let dot = namespace.lastIndexOf("."); dot > 0; dot = namespace.lastIndexOf(".", dot - 1)) {
    parents.push(namespace.slice(0, dot));
  }
  return parents;
}

/** True for `parent` itself and the namespaces below it. */
export function isWithinNamespace(namespace: string, parent: string): boolean {
  return namespace === parent || namespace.startsWith(`${parent}.`);
}
