/** Forms of elements that break no rule of accessibility. */

/** Those that this process has found, and those that others of the same run have written to a file. */
export class CheckedForms {
  readonly #file: string | undefined;
  /** Window and hash of each. */
  readonly #known = new Set<string>();
  /** Bytes of the file that are read. */
  #offset = 0;

  /** With a `file`, which need not exist, all who have its path share what they find. */
  constructor(file?: string) {
    this.#file = file;
  }

  /** Those of the hashes that are not known to break no rule in such a window, each once. */
  unknown(window: string, hashes: readonly string[]): string[] {
    const isUnknown = (hash: string) => !this.#known.has(lineOf(window, hash));
    const unknown = [...new Set(hashes)].filter(isUnknown);
    if (unknown.length === 0 || this.#file === undefined) return unknown;
    this.#read(this.#file);
    return unknown.filter(isUnknown);
  }

  /** Adds forms that break no rule. */
  add(window: string, hashes: readonly string[]): void {
    const lines = hashes.map((hash) => lineOf(window, hash));
    for (const line of lines) this.#known.add(line);
    if (this.#file === undefined || lines.length === 0) return;
    Deno.writeTextFileSync(this.#file, lines.map((line) => `${line}\n`).join(""), { append: true });
  }

  /** What others have added since; a line that is still being written is left for later. */
  #read(file: string): void {
    const bytes = tryRead(file)?.subarray(this.#offset);
    if (!bytes) return;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    this.#offset += end;
    const lines = new TextDecoder().decode(bytes.subarray(0, end)).split("\n");
    for (const line of lines) this.#known.add(line);
  }
}

const NEWLINE = 10;

function lineOf(window: string, hash: string): string {
  return `${window} ${hash}`;
}

function tryRead(file: string): Uint8Array | undefined {
  try {
    return Deno.readFileSync(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
