/** Sends requests to the address of the leader: HTTP/1.1 on a connection of its own each. Redirects and encodings are passed on. */
import type { Clock } from "../../base/clock.ts";
import { RequestWriter } from "../../machine/http_client/request_writer.ts";
import {
  type ByteSource,
  type ResponseHead,
  ResponseReader,
} from "../../machine/http_client/response_reader.ts";
import { DomainError } from "../../model/errors.ts";
import { HttpError, type NamedText } from "../../model/ports/http.ts";
import { type CarriedRequest, type Carrier, ForwardError, incompleteBody, type Leader } from "./carrier.ts";
import { CLIENT_FACTS_HEADER, type ClientFactsHeader } from "./client_facts.ts";
import { endToEndHeaders } from "./end_to_end_headers.ts";
import { NOT_LEADING_HEADER } from "./forwarded_requests.ts";
import { LeaderConnection } from "./leader_connection.ts";
import type { UnderWay } from "./under_way.ts";

type Bytes = Uint8Array<ArrayBuffer>;

interface DirectCarrierOptions {
  readonly clientFacts: ClientFactsHeader;
  readonly clock: Clock;
  readonly underWay: UnderWay;
}

const CONNECT_TIMEOUT_MS = 3_000;
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** Statuses whose responses have no body. */
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The way to a leader that has an address. */
export class DirectCarrier implements Carrier {
  readonly #options: DirectCarrierOptions;

  constructor(options: DirectCarrierOptions) {
    this.#options = options;
  }

  /** @inheritdoc */
  async send(request: CarriedRequest, leader: Leader): Promise<Response> {
    const { clock, underWay } = this.#options;
    const over = new AbortController();
    const remove = underWay.add(leader.epoch, { cut: () => over.abort() });
    try {
      const url = new URL(leader.url ?? "");
      const signal = AbortSignal.any([over.signal, request.signal]);
      const connection = await LeaderConnection.open(url, { clock, timeoutMs: CONNECT_TIMEOUT_MS, signal })
        .catch((error: Error) => {
          throw new ForwardError(error.message, false);
        });
      const headers = this.#headersOf(request, leader, url.host);
      return await exchange(request, headers, { connection, ended: remove });
    } catch (error) {
      remove();
      if (over.signal.aborted) throw new ForwardError("another server has taken over", true);
      throw error;
    }
  }

  #headersOf(request: CarriedRequest, { epoch }: Leader, host: string): NamedText[] {
    const { clientFacts, clock } = this.#options;
    const { body, client, method } = request;
    const facts = clientFacts.write(request, { ...client, epoch }, clock.now());
    const headers: NamedText[] = [["Host", host], ...request.headers, [CLIENT_FACTS_HEADER, facts]];
    if (body?.size !== undefined) headers.push(["Content-Length", String(body.size)]);
    else if (body) headers.push(["Transfer-Encoding", "chunked"]);
    else if (WITH_BODY.has(method)) headers.push(["Content-Length", "0"]);
    return [...headers, ["Connection", "close"]];
  }
}

interface OpenExchange {
  readonly connection: LeaderConnection;
  /** Called when the response is over. */
  readonly ended: () => void;
}

/** Writes and reads at the same time: the leader may refuse a body before it has received all of it. */
async function exchange(
  request: CarriedRequest,
  headers: readonly NamedText[],
  open: OpenExchange,
): Promise<Response> {
  const { connection } = open;
  const reader = new ResponseReader(connection);
  const written = write(request, headers, connection);
  try {
    const head = await Promise.race([reader.head(), failureOf(written, connection)]);
    return responseOf(head, reader.body(head, request.method), open);
  } catch (error) {
    connection.close();
    if (error instanceof HttpError) throw new ForwardError(error.message, true);
    throw error;
  }
}

/** Rejects if the client does not send the body to its end. A broken connection is left to the reader: the response may have arrived. */
function failureOf(written: Promise<void>, connection: LeaderConnection): Promise<never> {
  return new Promise((_, reject) =>
    written.catch((error) => {
      if (!connection.isBroken) reject(incompleteBody(error));
    })
  );
}

async function write(
  { method, target, body }: CarriedRequest,
  headers: readonly NamedText[],
  connection: LeaderConnection,
): Promise<void> {
  const writer = new RequestWriter(connection, { encodeHead: latin1Bytes, collects: false });
  await writer.head({ method, target }, headers);
  if (body) await writer.body(body.open(), body.size);
}

/** Headers are texts of bytes, as they arrived. */
function latin1Bytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

function responseOf(head: ResponseHead, source: ByteSource, { connection, ended }: OpenExchange): Response {
  const headers = new Headers();
  for (const [name, value] of endToEndHeaders(head.headers)) headers.append(name, value);
  const close = () => {
    connection.close();
    ended();
  };
  if (headers.has(NOT_LEADING_HEADER)) {
    close();
    throw new ForwardError("the process does not lead any more", false);
  }
  if (head.code < 200 || head.code > 599) throw new HttpError(`the status ${head.code} cannot be passed on`);
  if (!NO_BODY.has(head.code)) {
    return new Response(bodyStream(source, close), { status: head.code, headers });
  }
  close();
  return new Response(null, { status: head.code, headers });
}

function bodyStream(source: ByteSource, close: () => void): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const bytes = await source();
        if (bytes) return controller.enqueue(bytes as Bytes);
        close();
        controller.close();
      } catch (error) {
        close();
        throw new DomainError("unavailable", `Cannot pass on the response: ${(error as Error).message}`);
      }
    },
    cancel: close,
  }, { highWaterMark: 0 });
}
