/** Paths of namespace files: canonical form and validation. Works on text only, never on a file system. */
import { DomainError } from "../errors.ts";
import { MAX_FILE_NAME_LENGTH, MAX_FILE_PATH_LENGTH } from "../limits.ts";

/** Maximum nesting, so that one entry can create all parents of a file. */
const MAX_FILE_DEPTH = 32;
/** Folder of the flows of the namespace: files written to it are imported. */
export const FLOWS_FOLDER = "_flows";

/** A key of the database has 2,048 bytes and also contains tenant and namespace; a non-ASCII character counts as 3. */
const MAX_FILE_PATH_BYTES = 1_700;

// deno-lint-ignore no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
/** Undecodable bytes, lone surrogates, and bidirectional control characters. */
const UNSAFE = /[\ufffd\u202a-\u202e\u2066-\u2069]|\p{Surrogate}/u;
const ENCODED = /%(?:2e|2f|5c|00|25)/i;
const DRIVE_OR_URL = /^\/*(?:[a-z]:|[a-z][a-z0-9+.-]*:\/\/)/i;

/**
 * The canonical path: parts joined by single slashes, without leading or trailing slash, in NFC; `""` is the root. The
 * caller must have decoded the text exactly once.
 * @throws DomainError invalid_argument
 */
export function normalizeFilePath(text: string): string {
  const reason = textProblem(text);
  if (reason) throw refusal(text, reason);
  const parts = text.normalize("NFC").split("/").filter((part) => part !== "" && part !== ".");
  const partReason = parts.map(partProblem).find((problem) => problem !== undefined);
  if (partReason) throw refusal(text, partReason);
  const path = parts.join("/");
  const lengthReason = lengthProblem(path, parts.length);
  if (lengthReason) throw refusal(text, lengthReason);
  return path;
}

/** Like {@link normalizeFilePath}, but refuses the root. @throws DomainError invalid_argument */
export function normalizeFileName(text: string): string {
  const path = normalizeFilePath(text);
  if (path === "") throw refusal(text, "names no file");
  return path;
}

/** The parent directory; `""` for a path in the root. */
export function parentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** All parent directories, outermost first, without the root. */
export function parentPaths(path: string): string[] {
  const parents: string[] = [];
  for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
    parents.push(path.slice(0, slash));
  }
  return parents;
}

/** The last part of a path. */
export function fileNameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** True if the path is `directory` or below it. */
export function isWithin(path: string, directory: string): boolean {
  return directory === "" || path === directory || path.startsWith(`${directory}/`);
}

/** Refuses the folder of flows and paths in it. @throws DomainError invalid_argument */
export function checkNotFlows(path: string): void {
  if (!isWithin(path, FLOWS_FOLDER)) return;
  throw new DomainError(
    "invalid_argument",
    `Forbidden path: ${JSON.stringify(path)}; only flows can be put into "${FLOWS_FOLDER}"`,
  );
}

function textProblem(text: string): string | undefined {
  if (text.length > 3 * MAX_FILE_PATH_LENGTH) return `is longer than ${MAX_FILE_PATH_LENGTH} characters`;
  if (CONTROL.test(text)) return "contains a control character";
  if (UNSAFE.test(text)) return "contains a character that is not allowed";
  if (text.includes("\\")) return 'contains a backslash; use "/"';
  if (ENCODED.test(text)) return "is encoded twice";
  if (DRIVE_OR_URL.test(text)) return "must be relative to the namespace, not a drive or URL";
  return undefined;
}

function partProblem(part: string): string | undefined {
  // Other systems may normalize look-alikes, such as a full-width dot or slash, to the plain character.
  const folded = part.normalize("NFKC");
  if (/^\s*\.[.\s]*$/.test(folded)) return 'contains ".."';
  if (/[\\/]/.test(folded)) return "contains a character that is not allowed";
  if (part.length > MAX_FILE_NAME_LENGTH) return `has a name longer than ${MAX_FILE_NAME_LENGTH} characters`;
  return undefined;
}

function lengthProblem(path: string, depth: number): string | undefined {
  if (path.length > MAX_FILE_PATH_LENGTH) return `is longer than ${MAX_FILE_PATH_LENGTH} characters`;
  if (depth > MAX_FILE_DEPTH) return `is nested deeper than ${MAX_FILE_DEPTH} directories`;
  // deno-lint-ignore no-control-regex
  const isAscii = /^[\u0000-\u007f]*$/.test(path);
  if (!isAscii && path.length * 3 > MAX_FILE_PATH_BYTES) {
    return `is longer than ${
      Math.floor(MAX_FILE_PATH_BYTES / 3)
    } characters, the most with letters beyond ASCII`;
  }
  return undefined;
}

function refusal(text: string, reason: string): DomainError {
  const shown = text.length > 100 ? `${text.slice(0, 100)}…` : text;
  return new DomainError("invalid_argument", `Illegal argument: path ${JSON.stringify(shown)} ${reason}`);
}
