/** Reads server-sent events (WHATWG HTML, "Server-sent events") from the body of a response. */

/** One event. */
export interface SseEvent {
  /** Lines of its data, joined by line breaks. */
  readonly data: string;
  readonly id?: string;
  /** Its type; absent for the default type `message`. */
  readonly name?: string;
  readonly comment?: string;
  /** Reconnection time in milliseconds. */
  readonly retryMs?: number;
}

/** Fields of the event that is being read. */
interface Draft {
  data?: string;
  id?: string;
  name?: string;
  comment?: string;
  retryMs?: number;
}

/**
 * The events with data, in order. Unlike in browsers an event at the end of the stream counts without its blank line, and
 * each event has only an id of its own. Ending the loop cancels the body.
 * @throws Error the lines of an event, also of one without data, have more than `maxChars` characters
 */
export async function* sseEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  maxChars = Infinity,
): AsyncGenerator<SseEvent> {
  let draft: Draft = {};
  let chars = 0;
  for await (const line of linesOf(body.pipeThrough(new TextDecoderStream()), maxChars)) {
    if (line !== "") {
      chars += line.length;
      if (chars > maxChars) throw tooLarge(maxChars);
      addLine(draft, line);
      continue;
    }
    chars = 0;
    if (draft.data !== undefined) yield { ...draft, data: draft.data };
    draft = {};
  }
  if (draft.data !== undefined) yield { ...draft, data: draft.data };
}

/** Lines end with CR LF, LF or CR. An LF at the start of a chunk belongs to a CR before it. */
async function* linesOf(texts: ReadableStream<string>, maxChars: number): AsyncGenerator<string> {
  const pieces: string[] = [];
  let chars = 0;
  let endsInCr = false;
  for await (const chunk of texts) {
    const text = endsInCr && chunk.startsWith("\n") ? chunk.slice(1) : chunk;
    if (chunk !== "") endsInCr = chunk.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    for (const line of lines.slice(0, -1)) {
      pieces.push(line);
      yield pieces.splice(0).join("");
      chars = 0;
    }
    const rest = lines[lines.length - 1] ?? "";
    pieces.push(rest);
    chars += rest.length;
    if (chars > maxChars) throw tooLarge(maxChars);
  }
  if (pieces.some((piece) => piece !== "")) yield pieces.join("");
}

function tooLarge(maxChars: number): Error {
  return new Error(`Cannot read an event: it has more than ${maxChars} characters`);
}

function addLine(draft: Draft, line: string): void {
  const colon = line.indexOf(":");
  const field = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(colon + 1).replace(/^ /, "");
  switch (field) {
    case "":
      draft.comment = joined(draft.comment, value);
      return;
    case "data":
      draft.data = joined(draft.data, value);
      return;
    case "event":
      draft.name = value;
      return;
    case "id":
      if (!value.includes("\0")) draft.id = value;
      return;
    case "retry":
      if (/^\d{1,15}$/.test(value)) draft.retryMs = Number(value);
      return;
    default: // Unknown fields are ignored.
  }
}

function joined(lines: string | undefined, line: string): string {
  return lines === undefined ? line : `${lines}\n${line}`;
}
