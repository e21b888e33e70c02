/** Cuts a stored file into one file for each text that a pattern finds in its lines. */
import { joinBytes } from "../../base/bytes.ts";
import { Regex } from "../../languages/regex/mod.ts";
import { inOwnDirectory } from "../attempt_directory.ts";
import type { Piece } from "./pieces.ts";
import { checkPart, linesOf, type SplitSource, storePart } from "./split_source.ts";

/** Moves of the pattern within one line. */
const MAX_MOVES = 1_000_000;
/** Bytes of lines that wait in memory. */
const BUFFER_BYTES = 4 * 1024 * 1024;

/** A pattern with a group, which tells where a line goes. @throws Error it is no pattern, or has none */
export function readPattern(text: string): Regex {
  const pattern = new Regex(text);
  if (pattern.groupCount > 0) return pattern;
  throw new Error(`Invalid regexPattern "${text}": it must have a group, such as in "level=(\\w+)"`);
}

/** The storage URIs of the parts, in the order in which their texts occur first; lines without a match are left out. @throws Error */
export async function splitByPattern(source: SplitSource, pattern: Regex): Promise<string[]> {
  return await inOwnDirectory(source.context, async (directory) => {
    const parts = new PartFiles(directory);
    for await (const line of linesOf(source)) {
      const text = new TextDecoder().decode(line.subarray(0, line.length - source.separator.length));
      const match = pattern.find(text, 0, { moves: MAX_MOVES, maxLength: 0 });
      if (match) await parts.add(match.groups[1] ?? "", line);
      checkPart(source.context, parts.count - 1); // Not only once all of them are there.
    }
    const uris: string[] = [];
    for (const path of await parts.finish()) {
      uris.push(await storePart(source, bytesOf(path), uris.length));
    }
    return uris;
  });
}

/** Opened when the first bytes are asked for, so that nobody need close it before. */
async function* bytesOf(path: string): AsyncGenerator<Uint8Array> {
  yield* (await Deno.open(path)).readable;
}

/** Lines by their text, in one file each. */
class PartFiles {
  readonly #directory: string;
  readonly #paths = new Map<string, string>();
  readonly #waiting = new Map<string, Piece[]>();
  #bytes = 0;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Number of files. */
  get count(): number {
    return this.#paths.size;
  }

  /** Puts a line behind the others of that text. */
  async add(text: string, line: Piece): Promise<void> {
    if (!this.#paths.has(text)) this.#paths.set(text, `${this.#directory}/${this.#paths.size}`);
    const lines = this.#waiting.get(text) ?? [];
    if (lines.push(line) === 1) this.#waiting.set(text, lines);
    this.#bytes += line.length;
    if (this.#bytes >= BUFFER_BYTES) await this.#write();
  }

  /** Paths of the files, which are complete now. */
  async finish(): Promise<string[]> {
    await this.#write();
    return [...this.#paths.values()];
  }

  async #write(): Promise<void> {
    for (const [text, lines] of this.#waiting) {
      await Deno.writeFile(this.#paths.get(text) ?? "", joinBytes(lines), { append: true });
    }
    this.#waiting.clear();
    this.#bytes = 0;
  }
}
