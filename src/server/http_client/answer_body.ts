/** The body of an answer as its reader gets it: unpacked, bounded, and its connection closed whatever happens. */
import { HttpError } from "../../model/ports/http.ts";

/** What is known of a body before it is read. */
export interface AnswerBodyOptions {
  /** The `content-encoding`. */
  readonly encoding: string | undefined;
  readonly maxBytes: number | undefined;
  /** Begins the message of a failure. */
  readonly where: string;
  readonly close: () => void;
}

const FORMATS: ReadonlyMap<string, CompressionFormat> = new Map([
  ["gzip", "gzip"],
  ["x-gzip", "gzip"],
  ["deflate", "deflate"],
]);

/** Reads no faster than it is read; fails with an HttpError. */
export function answerBody(
  source: AsyncGenerator<Uint8Array>,
  options: AnswerBodyOptions,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = checked(unpacked(source, options.encoding), options);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      options.close();
      await chunks.return(undefined);
    },
  }, { highWaterMark: 0 });
}

async function* unpacked(
  source: AsyncGenerator<Uint8Array>,
  encoding = "",
): AsyncGenerator<Uint8Array> {
  const format = FORMATS.get(encoding.trim().toLowerCase());
  const first = await source.next();
  if (first.done) return;
  if (!format) {
    yield first.value;
    return yield* source;
  }
  const stream = ReadableStream.from(joined(first.value, source)) as ReadableStream<Uint8Array<ArrayBuffer>>;
  yield* stream.pipeThrough(new DecompressionStream(format));
}

async function* joined(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

async function* checked(
  source: AsyncGenerator<Uint8Array>,
  { maxBytes = Infinity, where, close }: AnswerBodyOptions,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let size = 0;
  try {
    for await (const bytes of source) {
      size += bytes.length;
      if (size > maxBytes) throw new HttpError(`the answer is larger than ${maxBytes} bytes`);
      yield bytes as Uint8Array<ArrayBuffer>;
    }
  } catch (error) {
    // A stream that unpacks says in its own way that the bytes are not what they should be.
    const reason = error instanceof HttpError ? error.message : "the answer cannot be unpacked";
    throw new HttpError(`${where}: ${reason}`);
  } finally {
    close();
  }
}
