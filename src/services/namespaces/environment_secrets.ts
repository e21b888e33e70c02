/** Secrets that the operator gives in the environment: `SECRET_NAME` holds base64 and is secret `NAME` of every namespace. */
import type { Logger } from "../../base/log.ts";

/** What the names of such variables begin with. */
export const SECRET_VARIABLE_PREFIX = "SECRET_";

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}(?:==)?|[A-Za-z0-9+/]{3}=?)?$/;

/**
 * Secrets by name, of those variables whose names begin with {@link SECRET_VARIABLE_PREFIX}. A value that is not base64 of
 * UTF-8 is left out with a warning that names the variable only.
 */
export function readEnvironmentSecrets(
  variables: ReadonlyMap<string, string>,
  logger: Logger,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const [variable, encoded] of variables) {
    if (!variable.startsWith(SECRET_VARIABLE_PREFIX) || variable === SECRET_VARIABLE_PREFIX) continue;
    const value = decode(encoded);
    if (value === undefined) {
      logger.warn("A secret of the environment is not base64 and is left out", { variable });
    } else secrets.set(variable.slice(SECRET_VARIABLE_PREFIX.length), value);
  }
  return secrets;
}

function decode(encoded: string): string | undefined {
  // Tools that encode wrap the text at 64 or 76 characters.
  const text = encoded.replace(/\s/g, "");
  if (!BASE64.test(text)) return undefined;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const decoded = new TextDecoder().decode(bytes);
  return decoded.includes("\ufffd") ? undefined : decoded;
}
