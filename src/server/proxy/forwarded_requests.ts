/** The side of the leader: restores a request as its client sent it, from what a follower states. */
import type { Clock } from "../../base/time/clock.ts";
import { plainResponse } from "../../machine/http_server/options.ts";
import { shareWatcher } from "../../model/http/transfer_watch.ts";
import { CLIENT_FACTS_HEADER, type ClientFactsHeader } from "./client_facts.ts";
import { clientRequest, type RemoteEnv, targetOf } from "./client_request.ts";

/** Header of the response of a process that does not lead: the request was not handled. */
export const NOT_LEADING_HEADER = "x-sluice-not-leading";

interface ForwardedRequestsOptions {
  readonly clientFacts: ClientFactsHeader;
  readonly clock: Clock;
  /** The epoch in which this process leads now; `undefined` if it does not. */
  readonly epoch: () => number | undefined;
}

/** A request as the client sent it. */
interface ReceivedRequest {
  readonly request: Request;
  /** What the platform would state of the connection. */
  readonly env: RemoteEnv;
}

/** Reads the requests that followers pass on. */
export class ForwardedRequests {
  readonly #options: ForwardedRequestsOptions;

  constructor(options: ForwardedRequestsOptions) {
    this.#options = options;
  }

  /** The request of the client; a refusal of what no follower may send; `undefined` for a request that was not passed on. */
  receive(request: Request): ReceivedRequest | Response | undefined {
    const value = request.headers.get(CLIENT_FACTS_HEADER);
    if (value === null) return undefined;
    const { clientFacts, clock, epoch } = this.#options;
    const { method } = request;
    const target = targetOf(request.url);
    const facts = clientFacts.read(value, { method, target }, clock.now());
    if (!facts) {
      return refusal(403, `The header "${CLIENT_FACTS_HEADER}" is not signed by a server of this database`);
    }
    if (facts.epoch !== epoch()) {
      return refusal(503, "This process does not lead", { [NOT_LEADING_HEADER]: "true", "retry-after": "1" });
    }
    const { body, signal } = request;
    const headers = new Headers(request.headers);
    headers.delete(CLIENT_FACTS_HEADER);
    const received = clientRequest({ method, target, headers, body, signal, client: facts });
    if (!received) return refusal(400, "The address of the request is malformed");
    shareWatcher(request, received.request);
    return received;
  }
}

function refusal(status: number, text: string, headers: Readonly<Record<string, string>> = {}): Response {
  return plainResponse(status, `${text}\n`, headers);
}
