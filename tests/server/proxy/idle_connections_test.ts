/** Which requests share a connection to the leader, and what becomes of a request whose connection is closed. */
import { assertEquals } from "@std/assert";
import { IdleConnections } from "../../../src/server/proxy/idle_connections.ts";
import { LeaderConnection } from "../../../src/server/proxy/leader_connection.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { FollowerProcess } from "./proxied_pair.ts";

const PATH = "/api/v1/main/flows/search";
const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Bytes of the response to the request of that number on its connection; `undefined` closes the connection. */
type Respond = (requestNo: number, connectionNo: number) => string | undefined;

/** A leader that says what it sends, and notes the method of each request, a list for each connection. */
class ScriptedLeader implements AsyncDisposable {
  readonly connections: string[][] = [];
  readonly #respond: Respond;
  readonly #listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  readonly #open = new Set<Deno.TcpConn>();
  readonly #serving: Promise<unknown>;

  constructor(respond: Respond) {
    this.#respond = respond;
    this.#serving = this.#accept();
  }

  get url(): string {
    return `http://127.0.0.1:${this.#listener.addr.port}`;
  }

  async #accept(): Promise<void> {
    const serving: Promise<void>[] = [];
    for await (const connection of this.#listener) {
      this.#open.add(connection);
      const requests: string[] = [];
      serving.push(this.#serve(connection, requests, this.connections.push(requests)));
    }
    await Promise.all(serving);
  }

  async #serve(connection: Deno.TcpConn, requests: string[], connectionNo: number): Promise<void> {
    const buffer = new Uint8Array(65_536);
    for (;;) {
      const count = await connection.read(buffer).catch(() => null);
      if (count === null) break;
      requests.push(new TextDecoder().decode(buffer.subarray(0, count)).split(" ", 1)[0] ?? "");
      const text = this.#respond(requests.length, connectionNo);
      if (text === undefined) break;
      await connection.write(new TextEncoder().encode(text));
    }
    this.#open.delete(connection);
    connection.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    for (const connection of this.#open) connection.close();
    this.#open.clear();
    await this.#serving.catch(() => {});
  }
}

/** Sends requests one after the other; their statuses, and the methods that the leader received on each connection. */
async function exchanges(
  respond: Respond,
  methods: readonly string[],
  between: (follower: FollowerProcess) => Promise<unknown> = () => Promise.resolve(),
): Promise<{ readonly statuses: number[]; readonly connections: string[][] }> {
  await using leader = new ScriptedLeader(respond);
  await using follower = new FollowerProcess();
  follower.view.set(1, leader.url);
  const statuses: number[] = [];
  for (const method of methods) {
    const response = await follower.fetch(PATH, { method });
    await response.text();
    statuses.push(response.status);
    await between(follower);
  }
  return { statuses, connections: leader.connections };
}

Deno.test("forward() sends requests one after the other on one connection", async () => {
  const { statuses, connections } = await exchanges(() => OK, ["GET", "POST", "GET"]);
  assertEquals([statuses, connections], [[200, 200, 200], [["GET", "POST", "GET"]]]);
});

Deno.test("forward() uses a connection again after a body in chunks, and after a response without a body", async () => {
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
  const empty = "HTTP/1.1 204 No Content\r\n\r\n";
  const respond = (no: number) => no === 1 ? chunked : empty;
  const { connections } = await exchanges(respond, ["GET", "POST", "GET"]);
  assertEquals(connections, [["GET", "POST", "GET"]]);
});

for (
  const [name, response] of [
    ["the leader closes", "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok"],
    ["carries HTTP/1.0", "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok"],
    ["has bytes that belong to no response", `${OK}HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nother`],
  ]
) {
  Deno.test(`forward() does not use a connection again that ${name}`, async () => {
    const { statuses, connections } = await exchanges(() => response, ["GET", "GET"]);
    assertEquals([statuses, connections], [[200, 200], [["GET"], ["GET"]]]);
  });
}

Deno.test("forward() does not use a connection again that has rested for more than half a second", async () => {
  const rest = (ms: number) => (follower: FollowerProcess) => follower.clock.advance(ms);
  assertEquals((await exchanges(() => OK, ["GET", "GET"], rest(500))).connections, [["GET", "GET"]]);
  assertEquals((await exchanges(() => OK, ["GET", "GET"], rest(501))).connections, [["GET"], ["GET"]]);
});

Deno.test("forward() does not send a request again whose connection was closed, unless it may be repeated", async () => {
  const closing: Respond = (requestNo) => requestNo === 1 ? OK : undefined;
  const safe = await exchanges(closing, ["GET", "GET"]);
  assertEquals([safe.statuses, safe.connections], [[200, 200], [["GET", "GET"], ["GET"]]]);
  const unsafe = await exchanges(closing, ["GET", "POST"]);
  assertEquals([unsafe.statuses, unsafe.connections], [[200, 504], [["GET", "POST"]]]);
});

Deno.test("IdleConnections.take() gives no connection that the leader has closed meanwhile", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const url = `http://127.0.0.1:${listener.addr.port}`;
  const clock = new FakeClock();
  const { signal } = new AbortController();
  using idle = new IdleConnections(clock);
  const opening = LeaderConnection.open(new URL(url), { clock, timeoutMs: 1_000, signal });
  const accepted = await listener.accept();
  const connection = await opening;
  idle.put(url, connection);
  accepted.close();
  while (!connection.isClosed) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(idle.take(url), undefined);
});

Deno.test("forward() uses no connection to the address of a former leader", async () => {
  await using former = new ScriptedLeader(() => OK);
  await using next = new ScriptedLeader(() => OK);
  await using follower = new FollowerProcess();
  for (const [epoch, { url }] of [[1, former], [2, next], [3, former]] as const) {
    follower.view.set(epoch, url);
    await (await follower.fetch(PATH)).text();
  }
  assertEquals([former.connections, next.connections], [[["GET"], ["GET"]], [["GET"]]]);
});
