/** How requests get from a follower to the leader: sent by one, received by the other. */
import { IdSource } from "../base/id.ts";
import { RequestIds } from "../http/pipeline/request_id.ts";
import type { HttpHandler } from "../machine/http_server/connection.ts";
import type { LeaderView } from "./cluster/leader_view.ts";
import type { DeskTerm } from "./cluster/term.ts";
import { MailboxCarrier } from "./mailbox/mailbox_carrier.ts";
import { MailboxDesk } from "./mailbox/mailbox_desk.ts";
import type { AssemblyOptions } from "./options.ts";
import { ClientFactsHeader } from "./proxy/client_facts.ts";
import { DirectCarrier } from "./proxy/direct_carrier.ts";
import { ForwardedRequests } from "./proxy/forwarded_requests.ts";
import { MAX_REST_MS } from "./proxy/idle_connections.ts";
import { LeaderForwarder } from "./proxy/leader_forwarder.ts";
import { UnderWay } from "./proxy/under_way.ts";

type PlatformOption = "store" | "clock" | "logger" | "randomBytes" | "encryptionKey" | "baseUrl";

interface ForwardingOptions extends Pick<AssemblyOptions, PlatformOption> {
  /** Id of this process. */
  readonly process: string;
  /** How long a lease lasts. */
  readonly leaseTtlMs: number;
}

/** Time on the way from a follower. */
const MARGIN_MS = 250;

/** Both sides of one process. Dispose of it to cut what is under way. */
export class Forwarding implements Disposable {
  readonly forwarder: LeaderForwarder;
  readonly #options: ForwardingOptions;
  readonly #underWay: UnderWay;
  readonly #direct: DirectCarrier;
  readonly #mailbox: MailboxCarrier;
  #desk: MailboxDesk | undefined;
  readonly #received: ForwardedRequests;
  /** When the last response to a follower was given, monotonic. */
  #respondedMs = -Infinity;

  /** `ledEpoch`: the epoch in which this process leads now; `undefined` if it does not. */
  constructor(options: ForwardingOptions, view: LeaderView, ledEpoch: () => number | undefined) {
    const { store, clock, logger, randomBytes, encryptionKey, baseUrl, process, leaseTtlMs } = options;
    this.#options = options;
    const clientFacts = new ClientFactsHeader(encryptionKey);
    const underWay = new UnderWay(view, clock);
    this.#underWay = underWay;
    const ids = new IdSource(randomBytes);
    this.#direct = new DirectCarrier({ clientFacts, clock, underWay });
    this.#mailbox = new MailboxCarrier({ store, clock, ids, process, underWay });
    this.#received = new ForwardedRequests({ clientFacts, clock, epoch: ledEpoch });
    this.forwarder = new LeaderForwarder({
      ...{ view, clock, logger, baseUrl, leaseTtlMs },
      direct: this.#direct,
      mailbox: this.#mailbox,
      requestIds: new RequestIds(randomBytes),
    });
  }

  /** Handles requests as their clients sent them, whichever way they came. */
  receive(handler: (request: Request, connection: unknown) => Promise<Response>): HttpHandler {
    return (request, connection) => {
      const received = this.#received.receive(request);
      if (received === undefined) return handler(request, connection);
      if (received instanceof Response) return received;
      return handler(received.request, received.env).finally(() =>
        this.#respondedMs = this.#options.clock.monotonicMs()
      );
    };
  }

  /**
   * Resolves once no follower sends a request on a connection that it keeps open. To be called when this process leads no more,
   * before it closes connections.
   */
  async untilUnused(): Promise<void> {
    const { clock } = this.#options;
    const { promise, resolve } = Promise.withResolvers<void>();
    const restMs = this.#respondedMs + MAX_REST_MS + MARGIN_MS - clock.monotonicMs();
    clock.setTimer(Math.max(0, restMs), resolve);
    await promise;
  }

  /** Handles the requests that followers post into the database for the term, which has no address. */
  createDesk({ fetch: handler, ...term }: DeskTerm): MailboxDesk {
    const { store, clock, logger, process } = this.#options;
    return this.#desk = new MailboxDesk({ ...term, store, clock, logger, process, handler });
  }

  /** Requests in the mailbox, sent or received by this process, without the end of their response. */
  get mailboxDepth(): number {
    return this.#mailbox.openCount + (this.#desk?.openCount ?? 0);
  }

  /** Cuts what is under way. */
  [Symbol.dispose](): void {
    this.#direct[Symbol.dispose]();
    this.#mailbox[Symbol.dispose]();
    this.#underWay[Symbol.dispose]();
  }
}
