/** A server of MySQL that does not answer ends a task. */
import { assertEquals, assertRejects } from "@std/assert";
import type { AddressInfo, Server, Socket } from "node:net";
import * as mysql from "mysql2";
import { openMysql } from "../../../src/integrations/jdbc/mysql/mysql_session.ts";
import { NO_ROWS } from "../../../src/integrations/jdbc/session.ts";
import type { WorkContext } from "../../../src/model/tasks/task_definition.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { until } from "../../support/processes/machine_processes.ts";

/** The server of the package, with its socket, which its types leave out. */
interface StubServer {
  readonly _server: Server;
  on(event: "connection", listener: (connection: StubConnection) => void): void;
}

interface StubConnection {
  readonly stream: Socket;
  serverHandshake(options: object): void;
  /** The next number of a packet; the package does not reset it after a response. */
  sequenceId: number;
  writeOk(): void;
  writeTextResult(rows: readonly object[], columns: readonly object[]): void;
  on(event: "query" | "stmt_prepare", listener: (sql: string) => void): void;
  on(event: "error", listener: () => void): void;
}

/** All but TLS, the bit 0x800. */
const CAPABILITIES = 0x00ff_f7ff;

/** Greets the first connections of this number; answers SET alone. */
class MysqlStub implements AsyncDisposable {
  readonly sockets: Socket[] = [];
  readonly queries: string[] = [];
  /** Columns of the results of queries; 0: there are none. */
  columns = 0;
  readonly #server = (mysql.createServer as unknown as () => StubServer)();

  static async start(greeted: number): Promise<MysqlStub> {
    const stub = new MysqlStub();
    stub.#server.on("connection", (connection) => {
      connection.on("error", () => {});
      if (stub.sockets.push(connection.stream) <= greeted) stub.#greet(connection);
    });
    await new Promise<void>((resolve) => stub.#server._server.listen(0, "127.0.0.1", resolve));
    return stub;
  }

  get port(): number {
    return (this.#server._server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server._server.close(resolve));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  #greet(connection: StubConnection): void {
    const accept = (send: () => void) => {
      send();
      connection.sequenceId = 0;
    };
    connection.serverHandshake({
      protocolVersion: 10,
      serverVersion: "8.0.0",
      connectionId: 7,
      statusFlags: 2,
      characterSet: 8,
      capabilityFlags: CAPABILITIES,
      authCallback: (_user: unknown, done: () => void) => accept(done),
    });
    connection.on("query", (sql) => {
      this.queries.push(sql);
      if (this.columns > 0) connection.writeTextResult([], columnsOf(this.columns));
    });
    // The package gives SET there, too.
    connection.on("stmt_prepare", () => accept(() => connection.writeOk()));
  }
}

function columnsOf(count: number): object[] {
  const names = { catalog: "def", schema: "", table: "", orgTable: "", orgName: "" };
  const type = { characterSet: 33, columnLength: 10, columnType: 253, flags: 0, decimals: 0 };
  return Array.from({ length: count }, (_, index) => ({ ...names, ...type, name: `c${index}` }));
}

/** What a session is opened with. */
function openingOf(stub: MysqlStub, options = "?sslMode=DISABLED") {
  const clock = new FakeClock();
  const stop = new AbortController();
  const context = {
    properties: { url: `jdbc:mysql://127.0.0.1:${stub.port}/shop${options}`, username: "app" },
    signal: stop.signal,
    log: () => {},
    connectAddress: (hostname: string, port: number) => Promise.resolve({ hostname, port }),
  } as unknown as WorkContext;
  return { open: () => openMysql(context, clock), clock, stop };
}

Deno.test("a query of jdbc.mysql that is stopped ends after two seconds if the server does not answer", async () => {
  await using stub = await MysqlStub.start(1);
  const { open, clock, stop } = openingOf(stub);
  const session = await open();
  const result = assertRejects(() => session.run({ sql: "SELECT 1", values: [] }, NO_ROWS), Error);
  await until(() => stub.queries.includes("SELECT 1"));
  stop.abort();
  await result;
  await until(() => stub.sockets.length === 2);
  let isOver = false;
  const over = session[Symbol.asyncDispose]().then(() => isOver = true);
  await clock.advance(2_000);
  assertEquals(isOver, true);
  await over;
  assertEquals(clock.timerCount, 0);
});

Deno.test("a stop ends a task of jdbc.mysql that waits for the greeting of the server", async () => {
  await using stub = await MysqlStub.start(0);
  const { open, stop } = openingOf(stub);
  const result = assertRejects(open, Error, "The attempt must stop");
  await until(() => stub.sockets.length === 1);
  stop.abort();
  await result;
});

for (const options of ["", "?sslMode=PREFERRED"]) {
  Deno.test(`a server of MySQL without TLS is connected to without TLS: ${options}`, async () => {
    await using stub = await MysqlStub.start(2);
    const { open, stop } = openingOf(stub, options);
    const session = await open();
    assertEquals(stub.sockets.length, 2);
    stop.abort();
    await session[Symbol.asyncDispose]();
  });
}

Deno.test("a server of MySQL without TLS is refused if TLS is required", async () => {
  await using stub = await MysqlStub.start(2);
  const { open } = openingOf(stub, "?sslMode=REQUIRED");
  await assertRejects(open, Error, "Server does not support secure connection");
  assertEquals(stub.sockets.length, 1);
});

Deno.test("a query of jdbc.mysql with too many columns fails, and its connection is closed", async () => {
  await using stub = await MysqlStub.start(1);
  stub.columns = 4_097;
  await using session = await openingOf(stub).open();
  const query = () => session.run({ sql: "SELECT 1", values: [] }, NO_ROWS);
  await assertRejects(query, Error, "The result has 4097 columns; the limit is 4096");
  await until(() => stub.sockets.every(({ destroyed }) => destroyed));
});
