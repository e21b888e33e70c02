/** Names of files that attempts write: an id makes each unique, so that no file is replaced. */
import { ID_LENGTH, isId } from "../../base/id.ts";
import { MAX_FILE_NAME_LENGTH } from "../limits.ts";

/** The length that remains after an id and a hyphen. */
const MAX_NAME_LENGTH = MAX_FILE_NAME_LENGTH - ID_LENGTH - 1;

/** The name of a new file; a `name` that begins with a dot becomes the extension of the id. */
export function newFileName(id: string, name: string): string {
  const hyphen = name === "" || name.startsWith(".") ? "" : "-";
  return `${id}${hyphen}${safeName(name)}`;
}

/** Whether {@link newFileName} could have made that name. */
export function isNewFileName(text: string): boolean {
  const id = text.slice(0, ID_LENGTH);
  const rest = text.slice(ID_LENGTH).replace(/^-(?!\.|$)/, "");
  return isId(id) && newFileName(id, rest) === text;
}

/** The name from which {@link newFileName} made that name; any other name as it is. */
export function givenFileName(text: string): string {
  return isNewFileName(text) ? text.slice(ID_LENGTH).replace(/^-/, "") : text;
}

// deno-lint-ignore no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f/\\%\ufffd\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/gu;

/** A file name that is valid on every platform. */
function safeName(name: string): string {
  // Cut first: normalizing takes a time that is quadratic in the number of combining marks, and shortens a text to a third at most.
  return name.slice(-4 * MAX_NAME_LENGTH).replace(UNSAFE, "_").normalize("NFC").slice(-MAX_NAME_LENGTH);
}
