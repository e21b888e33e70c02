/**
 * Sends requests to the address of the leader: HTTP/1.1, one after the other on a connection. A request whose connection was
 * closed is sent again if it may be repeated, or if the leader cannot have received its head. Redirects and encodings are passed
 * on.
 */
import { Buffer } from "node:buffer";
import type { Clock } from "../../base/time/clock.ts";
import { RequestWriter } from "../../machine/http_client/request_writer.ts";
import {
  type ByteSource,
  isDelimited,
  type ResponseHead,
  ResponseReader,
} from "../../machine/http_client/response_reader.ts";
import { DomainError } from "../../model/errors.ts";
import { HttpError, type NamedText } from "../../model/ports/http.ts";
import {
  type CarriedRequest,
  type Carrier,
  ForwardError,
  incompleteBody,
  type Leader,
  maySendAgain,
} from "./carrier.ts";
import { CLIENT_FACTS_HEADER, type ClientFactsHeader } from "./client_facts.ts";
import { endToEndHeaders } from "./end_to_end_headers.ts";
import { NOT_LEADING_HEADER } from "./forwarded_requests.ts";
import { IdleConnections } from "./idle_connections.ts";
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

/** The way to a leader that has an address. Dispose of it to close the connections that carry no request. */
export class DirectCarrier implements Carrier, Disposable {
  readonly #options: DirectCarrierOptions;
  readonly #idle: IdleConnections;

  constructor(options: DirectCarrierOptions) {
    this.#options = options;
    this.#idle = new IdleConnections(options.clock);
  }

  /** @inheritdoc */
  async send(request: CarriedRequest, leader: Leader): Promise<Response> {
    const over = new AbortController();
    const remove = this.#options.underWay.add(leader.epoch, { cut: () => over.abort() });
    const signal = AbortSignal.any([over.signal, request.signal]);
    const sending = { request, leader, signal, remove };
    try {
      const idle = this.#idle.take(leader.url ?? "");
      if (!idle) return await this.#sendNew(sending);
      idle.wake(signal);
      return await this.#exchange(idle, sending).catch((error) => {
        if (!(error instanceof ConnectionLost) || !maySendAgain(request, error) || signal.aborted) {
          throw error;
        }
        return this.#sendNew(sending);
      });
    } catch (error) {
      remove();
      if (over.signal.aborted) throw new ForwardError("another server has taken over", true);
      throw error;
    }
  }

  /** @inheritdoc */
  [Symbol.dispose](): void {
    this.#idle[Symbol.dispose]();
  }

  async #sendNew(sending: Sending): Promise<Response> {
    const { leader: { url = "" }, signal } = sending;
    const open = { clock: this.#options.clock, timeoutMs: CONNECT_TIMEOUT_MS, signal };
    const connection = await LeaderConnection.open(new URL(url), open).catch((error: Error) => {
      throw new ForwardError(error.message, false);
    });
    return await this.#exchange(connection, sending);
  }

  #exchange(connection: LeaderConnection, { request, leader, remove }: Sending): Promise<Response> {
    const ended = (isReusable: boolean) => {
      if (isReusable) this.#idle.put(leader.url ?? "", connection);
      else connection.close();
      remove();
    };
    return exchange(request, this.#headersOf(request, leader), { connection, ended });
  }

  #headersOf(request: CarriedRequest, { epoch, url = "" }: Leader): NamedText[] {
    const { clientFacts, clock } = this.#options;
    const { body, client, method } = request;
    const facts = clientFacts.write(request, { ...client, epoch }, clock.now());
    const host: NamedText = ["Host", new URL(url).host];
    const headers: NamedText[] = [host, ...request.headers, [CLIENT_FACTS_HEADER, facts]];
    if (body?.size !== undefined) headers.push(["Content-Length", String(body.size)]);
    else if (body) headers.push(["Transfer-Encoding", "chunked"]);
    else if (WITH_BODY.has(method)) headers.push(["Content-Length", "0"]);
    return headers;
  }
}

interface Sending {
  readonly request: CarriedRequest;
  readonly leader: Leader;
  /** Aborted when the client is gone, and some time after another process leads. */
  readonly signal: AbortSignal;
  /** To be called when the request is over. */
  readonly remove: () => void;
}

/** The connection broke before the head of a response. */
class ConnectionLost extends ForwardError {}

interface OpenExchange {
  readonly connection: LeaderConnection;
  /** Called when the response is over; with whether the connection can carry another request. */
  readonly ended: (isReusable: boolean) => void;
}

/** Writes and reads at the same time: the leader may refuse a body before it has received all of it. */
async function exchange(
  request: CarriedRequest,
  headers: readonly NamedText[],
  { connection, ended }: OpenExchange,
): Promise<Response> {
  const { method } = request;
  const reader = new ResponseReader(connection, latin1Text);
  const writer = new RequestWriter(connection, { encodeHead: latin1Bytes, collects: false });
  const headWritten = writer.head(request, headers);
  let isWritten = false;
  const written = headWritten.then(() => writeBody(request, writer)).then(() => void (isWritten = true));
  try {
    const head = await Promise.race([reader.head(), failureOf(written, connection)]);
    const canStay = head.keepsOpen && isDelimited(head, method);
    const body = reader.arrivedBody(head, method) ?? reader.body(head, method);
    return responseOf(head, body, (isRead) => ended(isRead && canStay && isWritten && reader.isEmpty));
  } catch (error) {
    connection.close();
    if (!(error instanceof HttpError)) throw error;
    // The leader handles no request whose head it has not received completely.
    const hasBegun = await headWritten.then(() => true, () => false);
    throw new ConnectionLost(error.message, hasBegun);
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

async function writeBody({ body }: CarriedRequest, writer: RequestWriter): Promise<void> {
  if (body) await writer.body(body.open(), body.size);
}

/** Headers are texts of bytes, as they arrived. */
function latin1Bytes(text: string): Uint8Array {
  return Buffer.from(text, "latin1");
}

function latin1Text(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** `ended` is called once, with whether the body was read to its end. */
function responseOf(
  head: ResponseHead,
  body: Uint8Array | ByteSource,
  ended: (isRead: boolean) => void,
): Response {
  const headers = new Headers();
  for (const [name, value] of endToEndHeaders(head.headers)) headers.append(name, value);
  if (headers.has(NOT_LEADING_HEADER)) {
    ended(false);
    throw new ForwardError("the process does not lead any more", false);
  }
  const { code: status } = head;
  if (status < 200 || status > 599) throw new HttpError(`the status ${status} cannot be passed on`);
  if (!NO_BODY.has(status) && typeof body === "function") {
    return new Response(bodyStream(body, ended), { status, headers });
  }
  // With 205 a body may follow, which is not read.
  ended(typeof body !== "function" || status !== 205);
  return new Response(NO_BODY.has(status) ? null : body as Bytes, { status, headers });
}

function bodyStream(source: ByteSource, ended: (isRead: boolean) => void): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>({
    async pull(controller) {
      try {
        const bytes = await source();
        if (bytes) return controller.enqueue(bytes as Bytes);
        ended(true);
        controller.close();
      } catch (error) {
        ended(false);
        throw new DomainError("unavailable", `Cannot pass on the response: ${(error as Error).message}`);
      }
    },
    cancel: () => ended(false),
  }, { highWaterMark: 0 });
}
