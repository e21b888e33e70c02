/** Splits a stored file into one file per text that a pattern finds in its lines. */
import { joinBytes } from "../../base/bytes.ts";
import { Regex, seriesBudget } from "../../languages/regex/mod.ts";
import { inOwnDirectory } from "../attempt_directory.ts";
import type { Piece } from "./pieces.ts";
import { checkPart, linesOf, type SplitSource, storePart } from "./split_source.ts";

/** Bytes of lines buffered in memory. */
const BUFFER_BYTES = 4 * 1024 * 1024;

/** A pattern with a group, whose text selects the part. @throws Error invalid pattern, or no group */
export function readPattern(text: string): Regex {
  const pattern = new Regex(text);
  if (pattern.groupCount > 0) return pattern;
  throw new Error(`Invalid regexPattern "${text}": it must have a group, such as in "level=(\\w+)"`);
}

/** Storage URIs of the parts, ordered by the first occurrence of their texts; lines without a match are dropped. @throws Error */
export async function splitByPattern(source: SplitSource, pattern: Regex): Promise<string[]> {
  return await inOwnDirectory(source.context, async (directory) => {
    const parts = new PartFiles(directory), budgetFor = seriesBudget();
    for await (const line of linesOf(source)) {
      const text = new TextDecoder().decode(line.subarray(0, line.length - source.separator.length));
      const match = pattern.find(text, 0, budgetFor(text));
      if (match) await parts.add(match.groups[1] ?? "", line);
      checkPart(source.context, parts.count - 1); // Refuse early, not only after reading the whole file.
    }
    const uris: string[] = [];
    for (const path of await parts.finish()) {
      uris.push(await storePart(source, bytesOf(path), uris.length));
    }
    return uris;
  });
}

/** Opens the file with the first read, so that it needs no closing before. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* (await Deno.open(path)).readable;
}

/** Collects lines by text, in one local file each. */
class PartFiles {
  readonly #directory: string;
  readonly #paths = new Map<string, string>();
  readonly #buffered = new Map<string, Piece[]>();
  #bytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Number of files. */
  get count(): number {
    return this.#paths.size;
  }

  /** Appends a line to the file of that text. */
  async add(text: string, line: Piece): Promise<void> {
    if (!this.#paths.has(text)) this.#paths.set(text, `${this.#directory}/${this.#paths.size}`);
    const lines = this.#buffered.get(text) ?? [];
    if (lines.push(line) === 1) this.#buffered.set(text, lines);
    this.#bytes += line.length;
    if (this.#bytes >= BUFFER_BYTES) await this.#write();
  }

  /** Writes buffered lines; returns the paths of the files. */
  async finish(): Promise<string[]> {
    await this.#write();
    return [...this.#paths.values()];
  }

  async #write(): Promise<void> {
    for (const [text, lines] of this.#buffered) {
      await Deno.writeFile(this.#paths.get(text) ?? "", joinBytes(lines), { append: true });
    }
    this.#buffered.clear();
    this.#bytes = 0;
  }
}
