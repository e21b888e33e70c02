/** A request on its way to the leader, and what can go wrong there. */
import { DomainError } from "../../model/errors.ts";
import type { NamedText } from "../../model/ports/http.ts";
import type { LeaderView } from "../cluster/leader_view.ts";

/** The leader. */
export type Leader = NonNullable<ReturnType<LeaderView["leader"]>>;

/** Facts of the client that the leader cannot see itself. They never say who the client is. */
export interface ClientFacts {
  /** Address that the connection of the client came from: the client or its proxy. */
  readonly remoteAddress?: string;
  /** Host and port that the client named. */
  readonly host: string;
  readonly scheme: "http" | "https";
}

/** A body that is passed on. */
export interface CarriedBody {
  /** In bytes; `undefined`: the client has not stated it. */
  readonly size: number | undefined;
  /** Whether {@link open} gives it from its beginning. */
  readonly canOpen: boolean;
  /** The bytes. Fails when the client does not send all. */
  open(): ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Reads nothing more of what the client sends. */
  discard(): void;
}

/** A request that is passed on. */
export interface CarriedRequest {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  /** Without those of the connection, `Host` and `Content-Length`. */
  readonly headers: readonly NamedText[];
  readonly body?: CarriedBody;
  /** Whether it may be sent again although the leader may have begun to handle it. */
  readonly isRepeatable?: boolean;
  readonly client: ClientFacts;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** A way to the leader. */
export interface Carrier {
  /** The response of the leader, whose body must be read or cancelled. @throws ForwardError, DomainError */
  send(request: CarriedRequest, leader: Leader): Promise<Response>;
}

/** No response of the leader. */
export class ForwardError extends Error {
  override readonly name = "ForwardError";
  /** Whether the leader may have begun to handle the request. */
  readonly hasBegun: boolean;

  constructor(reason: string, hasBegun: boolean) {
    super(reason);
    this.hasBegun = hasBegun;
  }
}

/** Whether a request without a response can be sent again: at once, or to another leader. */
export function maySendAgain({ isRepeatable, body }: CarriedRequest, { hasBegun }: ForwardError): boolean {
  return (isRepeatable === true || !hasBegun) && body?.canOpen !== false;
}

/** The refusal of a request whose client has not sent its body to the end. */
export function incompleteBody(cause: unknown): DomainError {
  return new DomainError("bad_request", "Bad Request: the body did not arrive completely", { cause });
}
