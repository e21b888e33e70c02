/** A server of PostgreSQL that breaks the protocol or does not answer ends a task, never the process. */
import { assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import { openPostgresql } from "../../../src/integrations/jdbc/postgresql/postgresql_session.ts";
import { NO_ROWS } from "../../../src/integrations/jdbc/session.ts";
import { FakeClock } from "../../support/fakes/fake_clock.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { taskOf } from "./stubbed_database.ts";
import { answering, int32, LOGGED_IN, message, PostgresqlStub, READY } from "./postgresql_stub.ts";

async function query(stub: PostgresqlStub, properties: Readonly<Record<string, string>> = {}) {
  return await runDefinition(taskOf("postgresql.Query"), {
    url: `jdbc:postgresql://127.0.0.1:${stub.port}/shop`,
    username: "app",
    password: "word",
    sslMode: "DISABLE",
    sql: "SELECT 1",
    fetchType: "FETCH",
    ...properties,
  });
}

/** A column of the type text. */
const COLUMN = message(
  "T",
  Buffer.concat([Buffer.from([0, 1]), Buffer.from("c\0"), Buffer.alloc(6), int32(25), Buffer.alloc(8)]),
);
const DONE = Buffer.concat([message("C", "SELECT 1\0"), READY]);
const rowOf = (length: number, content: string) =>
  message("D", Buffer.concat([Buffer.from([0, 1]), int32(length), Buffer.from(content)]));

const LENGTHS: readonly (readonly [name: string, length: number, shown: number])[] = [
  ["goes back by a byte", -1, 4_294_967_295],
  ["goes back by 256 bytes", -256, 4_294_967_040],
  ["is shorter than itself", 3, 3],
  ["is longer than a row may be", 64 * 1024 * 1024 + 1, 67_108_865],
];
const MESSAGES: readonly (readonly [name: string, bytes: Buffer, error: string])[] = [
  ...LENGTHS.map(([name, length, shown]) =>
    [
      `whose length ${name}`,
      Buffer.concat([Buffer.from("Z"), int32(length)]),
      `The server sent a message of ${shown} bytes: it must have 4 to 67108864`,
    ] as const
  ),
  [
    "that is an error without an end",
    message("E", "SERROR\0"),
    "The server sent an error or a notice without an end",
  ],
  [
    "with more columns than bytes",
    message("T", Buffer.from([0, 9])),
    "A message cannot be read: ",
  ],
];

for (const [name, bytes, error] of MESSAGES) {
  Deno.test(`jdbc.postgresql.Query fails for a message ${name}`, async () => {
    await using stub = await PostgresqlStub.start(answering(() => bytes));
    await assertRejects(() => query(stub), Error, `Cannot query "127.0.0.1:${stub.port}": ${error}`);
  });
}

for (const fetchType of ["FETCH", "STORE"]) {
  Deno.test(`jdbc.postgresql.Query ${fetchType} fails for a cell that ends after its row`, async () => {
    await using stub = await PostgresqlStub.start(
      answering(() => Buffer.concat([COLUMN, rowOf(300_000_000, "short"), DONE])),
    );
    await assertRejects(
      () => query(stub, { fetchType }),
      Error,
      `Cannot query "127.0.0.1:${stub.port}": A cell ends after its row`,
    );
  });
}

Deno.test("jdbc.postgresql.Query fails for a malformed message before the log-in", async () => {
  await using stub = await PostgresqlStub.start(() => message("R", ""));
  await assertRejects(
    () => query(stub),
    Error,
    `Cannot connect to "127.0.0.1:${stub.port}": A message cannot be read: `,
  );
});

Deno.test("jdbc.postgresql.Query reads cells that end with their row", async () => {
  await using stub = await PostgresqlStub.start(
    answering(() => Buffer.concat([COLUMN, rowOf(4, "text"), rowOf(-1, ""), DONE])),
  );
  assertEquals((await query(stub)).outputs.rows, [{ c: "text" }, { c: null }]);
});

Deno.test("jdbc.postgresql.Query closes a connection that the server refuses to configure", async () => {
  const error = message("E", 'SERROR\0C22023\0Minvalid value for parameter "TimeZone": "Mars"\0\0');
  await using stub = await PostgresqlStub.start((request) =>
    request === "startup" ? LOGGED_IN : Buffer.concat([error, READY])
  );
  await assertRejects(
    () => query(stub, { timeZoneId: "Mars" }),
    Error,
    'invalid value for parameter "TimeZone": "Mars"',
  );
  await until(() => stub.connections === 0);
});

/** A session with a server that closes no connection. */
async function openSession(stub: PostgresqlStub) {
  const clock = new FakeClock();
  const stop = new AbortController();
  const properties = {
    url: `jdbc:postgresql://127.0.0.1:${stub.port}/shop`,
    sslMode: "DISABLE",
    username: "app",
  };
  const session = await openPostgresql(
    {
      properties,
      signal: stop.signal,
      log: () => {},
      connectAddress: (hostname, port) => Promise.resolve({ hostname, port }),
    },
    { kinds: ["postgresql"], port: 5432 },
    clock,
  );
  return { session, clock, stop };
}

Deno.test("a query of jdbc.postgresql that is stopped ends after two seconds if the server keeps its connections open", async () => {
  const running = Promise.withResolvers<void>();
  await using stub = await PostgresqlStub.start(answering(() => void running.resolve()), { keepsOpen: true });
  const { session, clock, stop } = await openSession(stub);
  const result = assertRejects(() => session.run({ sql: "SELECT 1", values: [] }, NO_ROWS), Error);
  await running.promise;
  stop.abort();
  await until(() => stub.cancellations === 1);
  await clock.advance(2_000);
  await result;
  await session[Symbol.asyncDispose]();
  assertEquals(clock.timerCount, 0);
});

Deno.test("a session of jdbc.postgresql is over after two seconds if the server keeps its connection open", async () => {
  await using stub = await PostgresqlStub.start(answering(() => undefined), { keepsOpen: true });
  const { session, clock } = await openSession(stub);
  const over = session[Symbol.asyncDispose]();
  await clock.advance(2_000);
  await over;
  assertEquals(clock.timerCount, 0);
});
