/** LDIF, the text form of entries and changes. https://www.rfc-editor.org/rfc/rfc2849 */

/** A value: a text, or bytes that are none. */
export type LdifValue = string | Uint8Array;

/** A line `name: value`, or the separator of a modification. */
interface LdifLine {
  readonly name: string;
  readonly value: LdifValue;
}

/** Attributes in the order of a record; a name may occur several times. */
export interface LdifRecord {
  readonly dn: string;
  /** `add` if the record names none. */
  readonly changeType: string;
  /** The lines after DN and type; `undefined` for a line that is a dash. */
  readonly lines: readonly (LdifLine | undefined)[];
}

/** Values that can stand as they are. */
const SAFE = /^(?:[\x21-\x39\x3b\x3d-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/;

/** The text of an entry, with an empty line at its end. */
export function ldifText(dn: string, attributes: Iterable<readonly [string, readonly LdifValue[]]>): string {
  const lines = [lineOf("dn", dn)];
  for (const [name, values] of attributes) {
    for (const value of values) lines.push(lineOf(name, value));
  }
  return `${lines.join("\n")}\n\n`;
}

function lineOf(name: string, value: LdifValue): string {
  if (typeof value === "string" && SAFE.test(value)) return `${name}: ${value}`;
  const bytes = typeof value === "string" ? new TextEncoder().encode(value) : value;
  return `${name}:: ${new Uint8Array(bytes).toBase64()}`;
}

/** The records of lines of text. @throws Error a line is malformed, or names a file */
export async function* readLdif(lines: AsyncIterable<string>): AsyncGenerator<LdifRecord> {
  let block: string[] = [];
  for await (const line of lines) {
    if (line.startsWith("#")) continue;
    if (line.startsWith(" ") && block.length > 0) block.push(`${block.pop()}${line.slice(1)}`);
    else if (line !== "") block.push(line);
    else {
      yield* recordOf(block);
      block = [];
    }
  }
  yield* recordOf(block);
}

function recordOf(block: readonly string[]): LdifRecord[] {
  const lines = block.map((line) => line === "-" ? undefined : readLine(line));
  if (lines[0]?.name.toLowerCase() === "version") lines.shift();
  const [head, ...rest] = lines;
  if (head === undefined) return [];
  if (head.name.toLowerCase() !== "dn") {
    throw new Error(`Cannot read the LDIF: a record begins with "${head.name}", not "dn"`);
  }
  const dn = textOf(head.value);
  if (rest[0]?.name.toLowerCase() !== "changetype") return [{ dn, changeType: "add", lines: rest }];
  return [{ dn, changeType: textOf(rest[0].value).toLowerCase(), lines: rest.slice(1) }];
}

function readLine(line: string): LdifLine {
  const [, name = "", separator, text = ""] = /^([^:]+):([:<]?) *(.*)$/s.exec(line) ?? [];
  if (separator === undefined) {
    throw new Error(`Cannot read the LDIF: the line "${line.slice(0, 50)}" has no colon`);
  }
  if (separator === "<") throw new Error(`Cannot read the LDIF: "${name}" names a file, which is not read`);
  return { name, value: separator === ":" ? bytesOf(name, text) : text };
}

/** A text where the bytes are one. */
function bytesOf(name: string, base64: string): LdifValue {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(base64);
  } catch (error) {
    throw new Error(`Cannot read the LDIF: the value of "${name}" is no Base64`, { cause: error });
  }
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** The value of a line that must be a text. */
export function textOf(value: LdifValue): string {
  return typeof value === "string" ? value : new TextDecoder().decode(value);
}
