/** A follower and a leader in this process, over loopback. Timers are those of a fake clock. */
import { Logger } from "../../../src/base/log.ts";
import { RequestIds } from "../../../src/http/pipeline/request_id.ts";
import { startHttpServer } from "../../../src/machine/http_server/http_server.ts";
import type { HttpServer } from "../../../src/machine/http_server/options.ts";
import type { HttpHandler } from "../../../src/machine/http_server/connection.ts";
import type { Carrier } from "../../../src/server/proxy/carrier.ts";
import { ClientFactsHeader } from "../../../src/server/proxy/client_facts.ts";
import type { RemoteEnv } from "../../../src/server/proxy/client_request.ts";
import { DirectCarrier } from "../../../src/server/proxy/direct_carrier.ts";
import { ForwardedRequests } from "../../../src/server/proxy/forwarded_requests.ts";
import { LeaderForwarder } from "../../../src/server/proxy/leader_forwarder.ts";
import { UnderWay } from "../../../src/server/proxy/under_way.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { FakeLeaderView } from "../../support/fakes/leader_view.ts";

/** Handles the requests of clients at the leader. */
export type LeaderHandler = (request: Request, env: RemoteEnv) => Response | Promise<Response>;

const SECRET = new Uint8Array(32).fill(7);

/** Starts an HTTP server on a free port. */
export function startServer(handler: HttpHandler, clock = new FakeClock()): HttpServer {
  return startHttpServer({
    ...{ hostname: "127.0.0.1", port: 0, handler, clock },
    limits: { maxConnections: 100, maxConnectionsPerAddress: 100, idleMs: 75_000 },
    logger: silent(clock),
  });
}

/** A process that leads. */
export class LeaderProcess implements AsyncDisposable {
  readonly server: HttpServer;
  /** The epoch in which it leads; `undefined`: it does not. */
  epoch: number | undefined;

  constructor(handler: LeaderHandler, { epoch = 1, clock = new FakeClock() } = {}) {
    this.epoch = epoch;
    const clientFacts = new ClientFactsHeader(SECRET);
    const forwarded = new ForwardedRequests({ clientFacts, clock, epoch: () => this.epoch });
    this.server = startServer((request, { remoteAddr }) => {
      const received = forwarded.receive(request) ?? { request, env: { remoteAddr } };
      return received instanceof Response ? received : handler(received.request, received.env);
    });
  }

  /** Its address. */
  get url(): string {
    return `http://127.0.0.1:${this.server.addr.port}`;
  }

  /** Ends it after its requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.shutdown();
  }
}

/** A process that follows. */
export class FollowerProcess implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly view = new FakeLeaderView();
  readonly underWay = new UnderWay(this.view, this.clock);
  readonly direct = new DirectCarrier({
    clientFacts: new ClientFactsHeader(SECRET),
    clock: this.clock,
    underWay: this.underWay,
  });
  readonly server: HttpServer;

  constructor(
    { mailbox, remoteAddress, leaseTtlMs = 5_000 }: {
      mailbox?: Carrier;
      remoteAddress?: string;
      leaseTtlMs?: number;
    } = {},
  ) {
    const { clock, view, direct } = this;
    const requestIds = new RequestIds((buffer) => void buffer.fill(0xab));
    const forwarder = new LeaderForwarder({
      view,
      direct,
      mailbox,
      requestIds,
      leaseTtlMs,
      clock,
      logger: silent(clock),
    });
    this.server = startServer((request, { remoteAddr }) =>
      forwarder.forward(request, { remoteAddress: remoteAddress ?? remoteAddr.hostname })
    );
  }

  /** Its address. */
  get url(): string {
    return `http://127.0.0.1:${this.server.addr.port}`;
  }

  /** Sends a request to it. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, { redirect: "manual", ...init });
  }

  /** Ends it after its requests. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.shutdown();
    this.direct[Symbol.dispose]();
    this.underWay[Symbol.dispose]();
  }
}

function silent(clock: FakeClock): Logger {
  return new Logger({ level: "error", format: "text", clock, write: () => {} });
}
