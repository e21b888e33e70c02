/** No client can state the facts of another one. */
import { assertEquals } from "@std/assert";
import { isLocalCaller } from "../../../src/http/pipeline/local_caller.ts";
import { ClientAddresses } from "../../../src/http/pipeline/client_addresses.ts";
import { ClientFactsHeader } from "../../../src/server/proxy/client_facts.ts";
import { ForwardedRequests } from "../../../src/server/proxy/forwarded_requests.ts";
import { FAKE_START, FakeClock } from "../../support/fakes/fake_clock.ts";

const SECRET = new Uint8Array(32).fill(1);
const OTHER = new Uint8Array(32).fill(2);
const REQUEST = { method: "POST", target: "/api/v1/main/flows?q=1" };
const FACTS = { epoch: 3, host: "sluice.example", scheme: "https", remoteAddress: "192.0.2.1" } as const;
const VALUE = new ClientFactsHeader(SECRET).write(REQUEST, FACTS, FAKE_START);

const READS:
  readonly (readonly [string, ClientFactsHeader, string, Partial<typeof REQUEST>, number, boolean])[] = [
    ["the same request", new ClientFactsHeader(SECRET), VALUE, {}, 0, true],
    ["a clock that is 59 s behind", new ClientFactsHeader(SECRET), VALUE, {}, -59_000, true],
    ["a former secret", new ClientFactsHeader(OTHER, SECRET), VALUE, {}, 0, true],
    ["another secret", new ClientFactsHeader(OTHER), VALUE, {}, 0, false],
    ["another target", new ClientFactsHeader(SECRET), VALUE, { target: "/api/v1/main/flows?q=2" }, 0, false],
    ["another method", new ClientFactsHeader(SECRET), VALUE, { method: "PUT" }, 0, false],
    ["after a minute", new ClientFactsHeader(SECRET), VALUE, {}, 60_001, false],
    ["a changed text", new ClientFactsHeader(SECRET), `x${VALUE}`, {}, 0, false],
    ["a cut signature", new ClientFactsHeader(SECRET), VALUE.slice(0, -4), {}, 0, false],
    ["no text", new ClientFactsHeader(SECRET), "", {}, 0, false],
  ];

for (const [name, header, value, change, ms, isRead] of READS) {
  Deno.test(`ClientFactsHeader.read() with ${name}`, () => {
    const facts = header.read(value, { ...REQUEST, ...change }, FAKE_START + ms);
    assertEquals(facts, isRead ? { ...FACTS } : undefined);
  });
}

function forwardedRequest(value: string): Request {
  const headers = { "x-sluice-client": value, via: "1.1 sluice" };
  return new Request(`http://10.0.0.1${REQUEST.target}`, { method: "POST", headers });
}

function receiver(epoch: number | undefined) {
  return new ForwardedRequests({
    clientFacts: new ClientFactsHeader(SECRET),
    clock: new FakeClock(),
    epoch: () => epoch,
  });
}

Deno.test("receive() restores address, host and scheme of the client, who is never a local caller", () => {
  const facts = { ...FACTS, host: "localhost:8080", scheme: "http", remoteAddress: "127.0.0.1" } as const;
  const value = new ClientFactsHeader(SECRET).write(REQUEST, facts, FAKE_START);
  const received = receiver(3).receive(forwardedRequest(value));
  if (!received || received instanceof Response) throw new Error("the request was refused");
  const { request, env } = received;
  assertEquals([request.url, request.headers.get("host"), request.headers.get("x-sluice-client")], [
    `http://localhost:8080${REQUEST.target}`,
    "localhost:8080",
    null,
  ]);
  assertEquals(env.remoteAddr.hostname, "127.0.0.1");
  assertEquals(isLocalCaller(request, env, { clients: new ClientAddresses() }), false);
});

Deno.test("receive() refuses forged facts, and requests for another epoch", () => {
  const statusOf = (epoch: number | undefined, value: string) => {
    const received = receiver(epoch).receive(forwardedRequest(value));
    return received instanceof Response ? received.status : undefined;
  };
  assertEquals(statusOf(3, "forged.value"), 403);
  assertEquals(statusOf(4, VALUE), 503);
  assertEquals(statusOf(undefined, VALUE), 503);
  assertEquals(statusOf(3, VALUE), undefined);
  assertEquals(receiver(3).receive(new Request("http://localhost/")), undefined);
});
