/** Splits a stored file into stored files at line boundaries. */
import { type JsonObject, ownProperty } from "../../base/json.ts";
import type { Regex } from "../../languages/regex/mod.ts";
import type { RunContext } from "../../model/ports/run_context.ts";
import { textOf, wholeNumberOf } from "../property_values.ts";
import { type Piece, separatorBytes } from "./pieces.ts";
import { readPattern, splitByPattern } from "./split_by_pattern.ts";
import { linesOf, type SplitSource, storePart } from "./split_source.ts";
import { extensionOf } from "./stored_file.ts";

/** How a file is split. */
type SplitRule =
  | { readonly by: "bytes" | "rows"; readonly size: number }
  | { readonly by: "partitions"; readonly count: number }
  | { readonly by: "pattern"; readonly pattern: Regex };

/** Partitions written concurrently; each buffers up to 0.5 MB. */
const PARTITIONS_AT_ONCE = 16;

const UNITS: ReadonlyMap<string, number> = new Map([
  ["", 1],
  ["b", 1],
  ["kb", 1024],
  ["mb", 1024 ** 2],
  ["gb", 1024 ** 3],
  ["kib", 1024],
  ["mib", 1024 ** 2],
  ["gib", 1024 ** 3],
]);

/** The rule of `regexPattern`, else `bytes`, else `partitions`, else `rows`; `undefined` without any. @throws Error invalid size or pattern */
export function readSplitRule(properties: JsonObject): SplitRule | undefined {
  const isGiven = (name: string) => (textOf(properties, name) ?? "") !== "";
  const number = (name: string) => wholeNumberOf(properties, name, { fallback: 1, minimum: 1 });
  if (isGiven("regexPattern")) {
    return { by: "pattern", pattern: readPattern(textOf(properties, "regexPattern") ?? "") };
  }
  if (isGiven("bytes")) return { by: "bytes", size: readSize(textOf(properties, "bytes") ?? "") };
  if (isGiven("partitions")) return { by: "partitions", count: number("partitions") };
  return isGiven("rows") ? { by: "rows", size: number("rows") } : undefined;
}

/** Bytes of a size such as `10MB`; a kilobyte has 1,024 bytes. @throws Error */
function readSize(text: string): number {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  const size = Math.floor(Number(digits) * (factor ?? 0));
  if (digits !== "" && factor !== undefined && size >= 1 && Number.isSafeInteger(size)) return size;
  throw new Error(`Invalid bytes "${text}": it must be a size such as 10MB`);
}

/** Splits a file; returns the storage URIs of its parts in order. Every line ends with the separator. @throws Error */
export async function splitFile(
  context: RunContext,
  uri: string,
  { rule, separator }: { readonly rule: SplitRule; readonly separator: string },
): Promise<string[]> {
  const source = { context, uri, separator: separatorBytes(separator), ending: extensionOf(uri) };
  if (rule.by === "pattern") return await splitByPattern(source, rule.pattern);
  return rule.by === "partitions" ? await deal(source, rule.count) : await cut(source, rule);
}

/** `separator` of a task or batch; default is a line break. */
export function separatorOf(properties: JsonObject): string {
  return String(ownProperty(properties, "separator") ?? "\n");
}

/** A part is complete with the line that reaches its size. */
async function cut(source: SplitSource, rule: Extract<SplitRule, { size: number }>): Promise<string[]> {
  const uris: string[] = [];
  const lines = linesOf(source);
  try {
    for (let line = await lines.next(); !line.done;) {
      let size = 0;
      const next = line;
      const part = async function* (): AsyncGenerator<Piece> {
        for (line = next; !line.done && size < rule.size; line = await lines.next()) {
          size += rule.by === "rows" ? 1 : line.value.length;
          yield line.value;
        }
      };
      uris.push(await storePart(source, part(), uris.length));
    }
  } finally {
    await lines.return(undefined);
  }
  return uris;
}

/** Distributes lines in turn; empty partitions are omitted. The file is read once per {@link PARTITIONS_AT_ONCE} partitions. */
async function deal(source: SplitSource, count: number): Promise<string[]> {
  const uris: string[] = [];
  let dealt = count;
  for (let first = 0; first < Math.min(count, dealt); first += PARTITIONS_AT_ONCE) {
    const size = Math.min(PARTITIONS_AT_ONCE, count - first);
    const streams = Array.from({ length: size }, () => new TransformStream<Piece, Piece>());
    const stored = Promise.all(
      streams.map(({ readable }, index) => storeUnlessEmpty(source, readable, first + index)),
    );
    const lines = dealTo(source, streams.map(({ writable }) => writable.getWriter()), { first, count });
    const [found, lineCount] = await Promise.all([stored, lines]);
    dealt = lineCount;
    uris.push(...found.filter((uri) => uri !== undefined));
  }
  return uris;
}

async function dealTo(
  source: SplitSource,
  writers: readonly WritableStreamDefaultWriter<Piece>[],
  { first, count }: { readonly first: number; readonly count: number },
): Promise<number> {
  let index = 0;
  try {
    for await (const line of linesOf(source)) {
      await writers[index++ % count - first]?.write(line);
    }
    await Promise.all(writers.map((writer) => writer.close()));
    return index;
  } catch (error) {
    await Promise.allSettled(writers.map((writer) => writer.abort(error)));
    throw error;
  }
}

async function storeUnlessEmpty(
  source: SplitSource,
  pieces: ReadableStream<Piece>,
  index: number,
): Promise<string | undefined> {
  const iterator = pieces[Symbol.asyncIterator]();
  const first = await iterator.next();
  if (first.done) return undefined;
  const all = async function* (): AsyncGenerator<Piece> {
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  };
  return await storePart(source, all(), index);
}
