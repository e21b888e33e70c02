/** Finds where a flow reads secrets, so that an execution that is read back knows again what to mask. */
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";

/** A call without calls inside its brackets; more than that no flow needs to name a secret. */
const CALL = /\bsecret\s*\([^()]*\)/g;

/** Every call of `secret()` in the texts of a flow's document, each once, as a template of its own. */
export function secretCalls(definition: JsonObject): readonly string[] {
  const found = new Set<string>();
  collect(definition, found);
  return [...found];
}

function collect(value: JsonValue, found: Set<string>): void {
  if (typeof value === "string") {
    for (const [call] of value.matchAll(CALL)) found.add(`{{ ${call} }}`);
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) {
      collect(name, found);
      collect(item, found);
    }
  }
}
