/** The types of `jdbc.sqlserver`, against a server that sends what MS-TDS describes. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { utf16Bytes } from "../../../src/integrations/jdbc/sqlserver/packet_bytes.ts";
import { readSqlserverUrl } from "../../../src/integrations/jdbc/sqlserver/sqlserver_url.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import {
  columnsToken,
  doneToken,
  errorToken,
  rowToken,
  rowWithNullsToken,
  TDS_PASSWORD,
  TDS_USER,
  type TdsEncryption,
  TdsServer,
} from "../../support/servers/tds_server.ts";
import { runTask, taskOf } from "./stubbed_database.ts";

const COLLATION = [0x09, 0x04, 0xd0, 0x00, 0x34];
const CYRILLIC = [0x19, 0x04, 0xd0, 0x00, 0x00];
const UTF8 = [0x09, 0x04, 0xd0, 0x04, 0x00];

function bytes(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

function hex(text: string): number[] {
  return [...Uint8Array.fromHex(text.replaceAll(" ", ""))];
}

/** The form of large values: a length, parts, and an end. */
function parts(...contents: readonly number[][]): number[] {
  const total = contents.flat().length;
  const u32 = (value: number) => [value & 255, (value >> 8) & 255, (value >> 16) & 255, 0];
  return [
    ...u32(total),
    0,
    0,
    0,
    0,
    ...contents.flatMap((part) => [...u32(part.length), ...part]),
    0,
    0,
    0,
    0,
  ];
}

const LARGE = "ü".repeat(20_000);

/** Name of the column, the bytes of its type and of a value, and what becomes of it. */
const VALUES: readonly (readonly [string, number[], number[], JsonObject[string]])[] = [
  ["int", [0x38], hex("feffffff"), -2],
  ["tinyint", [0x26, 1], [1, 200], 200],
  ["smallint", [0x26, 2], [2, 0xff, 0xff], -1],
  ["bigint", [0x26, 8], [8, ...hex("01000000000020 00")], 9007199254740993n],
  ["bit", [0x68, 1], [1, 1], true],
  ["real", [0x6d, 4], [4, ...hex("cdcccc3d")], 0.1],
  ["float", [0x6d, 8], [8, ...hex("000000000000f8bf")], -1.5],
  ["decimal", [0x6a, 17, 38, 2], [5, 0, ...hex("39300000")], "-123.45"],
  ["small decimal", [0x6c, 17, 38, 3], [5, 1, ...hex("05000000")], "0.005"],
  ["money", [0x6e, 8], [8, ...hex("00000000 39300000")], "1.2345"],
  ["smallmoney", [0x6e, 4], [4, ...hex("c7cfffff")], "-1.2345"],
  ["datetime", [0x6f, 8], [8, ...hex("25b10000 7400a900")], "2024-02-29T10:15:19.000"],
  ["smalldatetime", [0x6f, 4], [4, ...hex("25b1 6702")], "2024-02-29T10:15:00"],
  ["date", [0x28], [3, ...hex("80460b")], "2024-02-29"],
  ["time", [0x29, 7], [5, ...hex("80463fda55")], "10:14:33.3800064"],
  ["datetime2", [0x2a, 3], [7, ...hex("01000000 80460b")], "2024-02-29T00:00:00.001"],
  ["datetimeoffset", [0x2b, 0], [8, ...hex("7f5101 80460b 7800")], "2024-03-01T01:59:59+02:00"],
  [
    "uniqueidentifier",
    [0x24, 16],
    [16, ...hex("04030201 0605 0807 090a0b0c0d0e0f10")],
    "01020304-0506-0708-090A-0B0C0D0E0F10",
  ],
  ["varchar", [0xa7, 10, 0, ...COLLATION], [2, 0, 0x80, 0xe9], "€é"],
  ["cyrillic", [0xa7, 10, 0, ...CYRILLIC], [1, 0, 0xff], "я"],
  ["utf8", [0xa7, 10, 0, ...UTF8], [2, 0, 0xc3, 0xbc], "ü"],
  ["nvarchar", [0xe7, 10, 0, ...COLLATION], [4, 0, ...utf16Bytes("ü😀".slice(0, 1)), 0x41, 0], "üA"],
  [
    "nvarchar max",
    [0xe7, 255, 255, ...COLLATION],
    parts([...utf16Bytes(LARGE)].slice(0, 30_001), [...utf16Bytes(LARGE)].slice(30_001)),
    LARGE,
  ],
  ["varbinary", [0xa5, 10, 0], [2, 0, 0, 255], "AP8="],
  ["text", [0x23, 255, 255, 255, 127, ...COLLATION, 1, 1, 0, 0x74, 0], [
    16,
    ...Array(24).fill(1),
    2,
    0,
    0,
    0,
    ...bytes("ab"),
  ], "ab"],
  ["xml", [0xf1, 0], parts([...utf16Bytes("<a/>")]), "<a/>"],
  ["variant", [0x62, 0, 0, 0, 0], [9, 0, 0, 0, 0x6c, 2, 5, 1, 1, ...hex("2a000000")], "4.2"],
  ["variant text", [0x62, 0, 0, 0, 0], [11, 0, 0, 0, 0xe7, 7, ...COLLATION, 8, 0, 0x41, 0], "A"],
];

function response(_sql: string): Uint8Array {
  return new Uint8Array([
    ...errorToken(5701, "Changed database context", 0),
    ...columnsToken(VALUES.map(([name, type]) => [name, type])),
    ...rowToken(VALUES.map(([, , value]) => value)),
    ...rowWithNullsToken(VALUES.map(([name, , value]) => name === "int" ? value : null)),
    ...doneToken(0x10, 2),
  ]);
}

async function withServer(
  encryption: TdsEncryption,
  work: (server: TdsServer, login: JsonObject) => Promise<void>,
  reply: (sql: string) => Uint8Array = response,
): Promise<void> {
  await using server = await new TdsServer(encryption, reply).start();
  const url = `jdbc:sqlserver://localhost:${server.port};databaseName=shop;trustServerCertificate=true` +
    (encryption === "on" ? "" : ";encrypt=false");
  await work(server, {
    url,
    username: TDS_USER,
    password: TDS_PASSWORD,
    sql: "SELECT 1",
    fetchType: "FETCH",
  });
}

Deno.test("jdbc.sqlserver.Query reads each type of columns, and NULL", async () => {
  await withServer("unsupported", async (_server, login) => {
    const { outputs } = await runTask("sqlserver.Query", login);
    const [row, nulls] = outputs.rows as JsonObject[];
    const texts = (values: JsonObject | undefined) =>
      Object.entries(values ?? {}).map(([name, value]) => [name, value === null ? null : String(value)]);
    assertEquals(texts(row), VALUES.map(([name, , , value]) => [name, String(value)]));
    assertEquals(texts(nulls), VALUES.map(([name]) => [name, name === "int" ? "-2" : null]));
  });
});

/** What the server says, and whether the login arrives by TLS. */
const ENCRYPTIONS: readonly (readonly [TdsEncryption, boolean])[] = [["unsupported", false], ["off", true], [
  "on",
  true,
]];

for (const [encryption, isSecure] of ENCRYPTIONS) {
  Deno.test(`jdbc.sqlserver.Query logs in where the encryption of the server is ${encryption}`, async () => {
    await withServer(encryption, async (server, login) => {
      const { outputs } = await runTask("sqlserver.Query", login);
      assertEquals(outputs.size, 2);
      assertEquals(server.logins, [{ user: TDS_USER, database: "shop", isSecure }]);
    });
  });
}

Deno.test("jdbc.sqlserver.Queries runs one transaction; parameters stay within their literals", async () => {
  const reply = (sql: string) =>
    sql.startsWith("SELECT") ? response(sql) : new Uint8Array(doneToken(0x10, 3));
  await withServer("unsupported", async (server, login) => {
    const sql = "UPDATE t SET a = :a, b = :b; SELECT * FROM t WHERE s = 'x;y'";
    const { outputs } = await runTask("sqlserver.Queries", {
      ...login,
      sql,
      parameters: { a: "it's", b: true },
    });
    assertEquals((outputs.outputs as JsonObject[]).length, 1);
    assertEquals(server.statements, [
      "BEGIN TRANSACTION",
      "UPDATE t SET a = N'it''s', b = 1",
      "SELECT * FROM t WHERE s = 'x;y'",
      "COMMIT TRANSACTION",
    ]);
    const open = "0700000000000001";
    assertEquals(server.transactions, ["0".repeat(16), open, open, open]);
  }, reply);
});

Deno.test("jdbc.sqlserver.Query sends variables and blocks as one request", async () => {
  await withServer("unsupported", async (server, login) => {
    const sql = "DECLARE @n int = 1; SELECT @n";
    await runTask("sqlserver.Query", { ...login, sql });
    assertEquals(server.statements, [sql]);
  });
});

Deno.test("jdbc.sqlserver.Batch inserts the rows of a file in one transaction", async () => {
  await withServer("unsupported", async (server, { sql: _sql, fetchType: _type, ...login }) => {
    const from = "kestra:///rows.ion";
    const given = { ...login, from, table: "dbo.t]" };
    const { outputs } = await runTask("sqlserver.Batch", given, {
      [from]: '{"a":1,"b":"x"}\n{"a":2,"b":null}\n',
    });
    assertEquals(outputs, { rowCount: 2, updatedCount: 2 });
    assertEquals(server.statements[1], "INSERT INTO [dbo].[t]]] ([a],[b]) VALUES (1,N'x'),(2,NULL)");
  }, () => new Uint8Array(doneToken(0x10, 2)));
});

/** What differs from a query that works, and the error. */
const FAILURES: readonly (readonly [TdsEncryption, JsonObject, RegExp])[] = [
  [
    "unsupported",
    { password: "wrong" },
    /^Cannot log in to "localhost:\d+": Login failed for user 'flows'\. \(error 18456\)$/,
  ],
  ["on", { url: "jdbc:sqlserver://localhost:PORT" }, /^Cannot log in to "localhost:\d+": .*certificate/i],
  ["unsupported", { url: "jdbc:sqlserver://localhost:PORT" }, /the server has no TLS; add encrypt=false/],
  // It would protect the login alone, and send the queries as they are.
  [
    "off",
    { url: "jdbc:sqlserver://localhost:PORT;trustServerCertificate=true" },
    /the server has no TLS for queries; add encrypt=false/,
  ],
  [
    "unsupported",
    { sql: "SELECT x" },
    /^Cannot query "localhost:\d+": Invalid column name 'x'\. \(error 207\)$/,
  ],
  ["unsupported", { url: "jdbc:mysql://h" }, /^Invalid url: it must be like jdbc:sqlserver:/],
];

for (const [encryption, properties, expected] of FAILURES) {
  Deno.test(`jdbc.sqlserver.Query reports ${expected.source}`, async () => {
    const reply = () => new Uint8Array([...errorToken(207, "Invalid column name 'x'.", 16), ...doneToken(2)]);
    await withServer(encryption, async (server, login) => {
      const given = JSON.parse(
        JSON.stringify({ ...login, ...properties }).replace("PORT", String(server.port)),
      );
      const { message } = await assertRejects(() => runTask("sqlserver.Query", given), Error);
      assertMatch(message, expected);
      assertEquals(message.includes(TDS_PASSWORD), false);
    }, reply);
  });
}

Deno.test("a stop of jdbc.sqlserver.Query ends its connection", async () => {
  const stopping = new AbortController();
  const reply = () => {
    stopping.abort();
    return new Uint8Array();
  };
  await withServer("unsupported", async (_server, login) => {
    const run = () => runDefinition(taskOf("sqlserver.Query"), login, { signal: stopping.signal });
    assertMatch((await assertRejects(run, Error)).message, /The work was stopped$/);
  }, reply);
});

/** Addresses, and the host, port and database that they name. */
const URLS: readonly (readonly [string, readonly unknown[]])[] = [
  ["jdbc:sqlserver://h", ["h", 1433, undefined]],
  ["jdbc:sqlserver://h:1;databaseName=a b;x=y", ["h", 1, "a b"]],
  ["jdbc:sqlserver://;serverName=h;portNumber=2;DatabaseName={a;b}", ["h", 2, "a;b"]],
  ["sqlserver://[::1]:3;databaseName=d", ["::1", 3, "d"]],
  ["jdbc:sqlserver://h\\i:4", ["h", 4, undefined]],
];

Deno.test("readSqlserverUrl() reads the forms of the driver", async () => {
  for (const [text, expected] of URLS) {
    const { host, port, options } = readSqlserverUrl(text);
    assertEquals([host, port, options.get("databasename")], expected);
  }
  const instance = () => Promise.resolve().then(() => readSqlserverUrl("jdbc:sqlserver://h\\i"));
  await assertRejects(instance, Error, "give the port of the instance");
});

/** What a server may not send as a value, and the error. */
const MALFORMED: readonly (readonly [name: string, type: number[], value: number[], error: string])[] = [
  [
    "a decimal of 1,000 bytes within sql_variant",
    [0x62, 0, 0, 0, 0],
    [...[236, 3, 0, 0], 0x6c, 2, 38, 0, ...Array(1_000).fill(255)],
    "Cannot read a value: it has 1000 bytes, the type decimal at most 17",
  ],
  [
    "an integer of 255 bytes",
    [0x26, 8],
    [255, ...Array(255).fill(1)],
    "Cannot read a value: it has 255 bytes, the type integer at most 8",
  ],
  ["a day that is no date", [0x6f, 8], [8, ...hex("ffffff7f 00000000")], "Invalid time value"],
];
for (const [name, type, value, error] of MALFORMED) {
  Deno.test(`jdbc.sqlserver.Query fails for ${name}`, async () => {
    const reply = () =>
      new Uint8Array([...columnsToken([["v", type]]), ...rowToken([value]), ...doneToken(0x10, 1)]);
    const work = async (_server: TdsServer, login: JsonObject) => {
      await assertRejects(() => runTask("sqlserver.Query", login), Error, error);
    };
    await withServer("unsupported", work, reply);
  });
}
