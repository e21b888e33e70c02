/** How requests get from a follower to the leader: sent by one, received by the other. */
import { RequestIds } from "../http/pipeline/request_id.ts";
import type { HttpHandler } from "../machine/http_server/connection.ts";
import type { LeaderView } from "./cluster/leader_view.ts";
import type { AssemblyOptions } from "./options.ts";
import { ClientFactsHeader } from "./proxy/client_facts.ts";
import { DirectCarrier } from "./proxy/direct_carrier.ts";
import { ForwardedRequests } from "./proxy/forwarded_requests.ts";
import { LeaderForwarder } from "./proxy/leader_forwarder.ts";
import { UnderWay } from "./proxy/under_way.ts";

type ForwardingOptions = Pick<
  AssemblyOptions,
  "clock" | "logger" | "randomBytes" | "encryptionKey" | "baseUrl"
>;

/** Both sides of one process. Dispose of it to cut what is under way. */
export class Forwarding implements Disposable {
  readonly forwarder: LeaderForwarder;
  readonly #underWay: UnderWay;
  readonly #received: ForwardedRequests;

  /** `ledEpoch`: the epoch in which this process leads now; `undefined` if it does not. */
  constructor(options: ForwardingOptions, view: LeaderView, ledEpoch: () => number | undefined) {
    const { clock, logger, randomBytes, encryptionKey, baseUrl } = options;
    const clientFacts = new ClientFactsHeader(encryptionKey);
    const underWay = new UnderWay(view, clock);
    this.#underWay = underWay;
    this.#received = new ForwardedRequests({ clientFacts, clock, epoch: ledEpoch });
    this.forwarder = new LeaderForwarder({
      ...{ view, clock, logger, baseUrl },
      direct: new DirectCarrier({ clientFacts, clock, underWay }),
      requestIds: new RequestIds(randomBytes),
    });
  }

  /** Handles requests as their clients sent them, whichever way they came. */
  receive(handler: (request: Request, connection: unknown) => Promise<Response>): HttpHandler {
    return (request, connection) => {
      const received = this.#received.receive(request);
      if (received === undefined) return handler(request, connection);
      return received instanceof Response ? received : handler(received.request, received.env);
    };
  }

  /** Cuts what is under way. */
  [Symbol.dispose](): void {
    this.#underWay[Symbol.dispose]();
  }
}
