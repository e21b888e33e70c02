/** Which connections are admitted, displaced, refused and closed. */
import { assertEquals } from "@std/assert";
import { Connections } from "../../../src/machine/http_server/connections.ts";
import { Transfers } from "../../../src/machine/http_server/transfers.ts";
import { type FakeConnection, FakeNetwork } from "./fake_connections.ts";

interface Setup {
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
  readonly isTrustedProxy?: (address: string) => boolean;
}

function createConnections(
  { maxConnections = 3, maxConnectionsPerAddress = 1_000, isTrustedProxy }: Setup = {},
) {
  const network = new FakeNetwork();
  const connections = new Connections({
    serve: network.serve,
    handler: () => new Response(),
    onError: () => new Response(),
    watcher: new Transfers(),
    limits: { maxConnections, maxConnectionsPerAddress, idleMs: 75_000 },
    isTrustedProxy: isTrustedProxy ?? (() => false),
  });
  const admit = (hostname?: string): FakeConnection => {
    const connection = network.connect(hostname);
    assertEquals(connections.admit(connection.accepted), true);
    return connection;
  };
  const pass = (seconds: number) => {
    for (let second = 0; second < seconds; second++) connections.sweep();
  };
  return { network, connections, admit, pass };
}

function closedOf(...connections: readonly FakeConnection[]): boolean[] {
  return connections.map((connection) => connection.isClosed);
}

Deno.test("Connections.admit() closes the connection that has been idle longest, at the limit", () => {
  const { connections, admit } = createConnections();
  const [first, second, third] = [admit(), admit(), admit()];
  const fourth = admit();
  assertEquals(closedOf(first, second, third, fourth), [true, false, false, false]);
  assertEquals(connections.count, 3);
});

Deno.test("Connections.admit() closes one without a request before one between two requests", async () => {
  const { admit, pass } = createConnections();
  const [first, second, third] = [admit(), admit(), admit()];
  await first.request()();
  await third.request()();
  pass(10);
  const fourth = admit();
  assertEquals(closedOf(first, second, third), [false, true, false]);
  await fourth.request()();
  admit();
  assertEquals(closedOf(first, second, third, fourth), [true, true, false, false]);
});

Deno.test("Connections.admit() refuses while all others are busy", async () => {
  const { network, connections, admit, pass } = createConnections();
  const ends = [admit(), admit(), admit()].map((connection) => connection.request());
  pass(1_000);
  assertEquals(connections.admit(network.connect().accepted), false);
  await ends[1]?.();
  assertEquals(connections.admit(network.connect().accepted), false, "its response may not have left yet");
  pass(2);
  assertEquals(connections.admit(network.connect().accepted), true);
});

Deno.test("Connections.admit() takes the place of another connection of the same address, at the limit of the address", () => {
  const { network, connections, admit } = createConnections({
    maxConnections: 10,
    maxConnectionsPerAddress: 2,
  });
  const other = admit("192.0.2.9");
  const [first, second] = [admit(), admit()];
  admit();
  assertEquals(closedOf(other, first, second), [false, true, false]);
  const busy = [admit("192.0.2.5"), admit("192.0.2.5")];
  for (const connection of busy) connection.request();
  assertEquals(connections.admit(network.connect("192.0.2.5").accepted), false);
});

Deno.test("Connections.admit() counts an IPv6 network of 64 bits as one address", () => {
  const { admit } = createConnections({ maxConnections: 10, maxConnectionsPerAddress: 1 });
  const [first, other] = [admit("2001:db8:0:1::1"), admit("2001:db8:0:2::1")];
  admit("2001:db8:0:1:ffff::2");
  assertEquals(closedOf(first, other), [true, false]);
});

Deno.test("Connections.admit() limits a trusted proxy by the limit of all only", () => {
  const isTrustedProxy = (address: string) => address === "192.0.2.7";
  const { admit } = createConnections({ maxConnections: 3, maxConnectionsPerAddress: 1, isTrustedProxy });
  const ofProxy = [1, 2, 3].map(() => admit("192.0.2.7"));
  assertEquals(closedOf(...ofProxy), [false, false, false]);
  admit("192.0.2.7");
  assertEquals(closedOf(...ofProxy), [true, false, false]);
});

Deno.test("Connections.sweep() closes a connection whose first head takes more than 30 s", () => {
  const { connections, admit, pass } = createConnections();
  const connection = admit();
  pass(30);
  assertEquals([connection.isClosed, connections.count], [false, 1]);
  pass(1);
  assertEquals([connection.isClosed, connections.count], [true, 0]);
});

Deno.test("Connections.sweep() closes an idle connection after the idle timeout, and never a busy one", async () => {
  const { admit, pass } = createConnections();
  const [idle, busy] = [admit(), admit()];
  const end = busy.request();
  pass(20);
  await idle.request()();
  pass(75);
  assertEquals(closedOf(idle, busy), [false, false]);
  pass(1);
  assertEquals(closedOf(idle, busy), [true, false]);
  pass(3_600);
  assertEquals(busy.isClosed, false);
  await end();
  pass(76);
  assertEquals(busy.isClosed, true);
});

Deno.test("Connections keeps a connection of HTTP/2 busy until its last request ends", async () => {
  const { admit, pass } = createConnections();
  const connection = admit();
  const [first, second] = [connection.request(), connection.request()];
  await first();
  pass(100);
  assertEquals(connection.isClosed, false);
  await second();
  pass(76);
  assertEquals(connection.isClosed, true);
});

Deno.test("Connections.drain() closes all and counts none", async () => {
  const { connections, admit } = createConnections();
  const all = [admit(), admit()];
  await connections.drain();
  assertEquals([closedOf(...all), connections.count], [[true, true], 0]);
});
