/** The types of `jdbc.snowflake`. Shapes are those of https://docs.snowflake.com/en/developer-guide/sql-api/reference. */
import { createPublicKey, verify } from "node:crypto";
import { assertEquals, assertRejects } from "@std/assert";
import { gzip } from "node:zlib";
import { promisify } from "node:util";
import { type JsonObject, parseJson } from "../../../src/base/json.ts";
import { cellOf } from "../../../src/integrations/jdbc/snowflake/value_texts.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { SELF_SIGNED_KEY } from "../../support/processes/self_signed.ts";
import { runTask } from "./stubbed_database.ts";

/** A programmatic access token has a key id and no issuer. */
const ACCESS_TOKEN = `${btoa('{"kid":"1","alg":"ES256"}').replaceAll("=", "")}.e30.c2ln`;
const COLUMNS = [
  { name: "N", type: "fixed", scale: 0 },
  { name: "D", type: "fixed", scale: 2 },
  { name: "DAY", type: "date" },
  { name: "AT", type: "timestamp_tz" },
  { name: "V", type: "variant" },
  { name: "T", type: "text" },
];
const ROW = ["9007199254740993", "12.50", "19782", "1709201472.500000000 1500", '{"a": [1]}', null];
const META = { rowType: COLUMNS, partitionInfo: [{ rowCount: 1 }, { rowCount: 1 }] };

function snowflake(reply: (request: ApiRequest, body: JsonObject) => ApiReply) {
  return new ApiStub((request) =>
    reply(request, request.text === "" ? {} : parseJson(request.text) as JsonObject)
  );
}

const login = (stub: ApiStub, rest: JsonObject = {}) => ({
  url: `jdbc:snowflake://${stub.host}/?ssl=off&warehouse=SMALL&db=OTHER`,
  username: "flows",
  password: ACCESS_TOKEN,
  database: "SALES",
  ...rest,
});

Deno.test("jdbc.snowflake.Query waits for its statement, and reads all partitions", async () => {
  await using stub = snowflake(({ method, query, path }) => {
    if (method === "POST") return Response.json({ statementHandle: "h/1", code: "333334" }, { status: 202 });
    if (query.partition === "1") return { data: [ROW] };
    return path.endsWith("/h%2F1")
      ? { statementHandle: "h/1", resultSetMetaData: META, data: [ROW] }
      : undefined;
  });
  const { text, outputs } = await runTask(
    "snowflake.Query",
    login(stub, {
      sql: "SELECT * FROM t WHERE a = :a",
      parameters: { a: "it's" },
      schema: "PUBLIC",
      queryTag: "nightly",
      timeZoneId: "Europe/Paris",
      fetchType: "STORE",
    }),
  );
  const line =
    '{"N":9007199254740993,"D":12.50,"DAY":2024-02-29,"AT":2024-02-29T11:11:12.5+01:00,"V":{"a": [1]},"T":null}\n';
  assertEquals([text, outputs.size], [line.repeat(2), 2]);
  const [{ path, text: sent, headers } = assertSent()] = stub.requests;
  assertEquals([path, headers.authorization, headers["x-snowflake-authorization-token-type"]], [
    "/api/v2/statements",
    `Bearer ${ACCESS_TOKEN}`,
    "PROGRAMMATIC_ACCESS_TOKEN",
  ]);
  assertEquals(JSON.parse(sent), {
    statement: "SELECT * FROM t WHERE a = 'it''s'",
    warehouse: "SMALL",
    database: "SALES",
    schema: "PUBLIC",
    parameters: { query_tag: "nightly", timezone: "Europe/Paris" },
  });
});

function assertSent(): never {
  throw new Error("No request was sent");
}

Deno.test("jdbc.snowflake: a parameter stays within its literal, in which a backslash escapes", async () => {
  await using stub = snowflake(() => ({ resultSetMetaData: META, data: [] }));
  const sql = "SELECT * FROM t WHERE a = :a";
  await runTask("snowflake.Query", login(stub, { sql, parameters: { a: "\\' OR 1 = 1 --" } }));
  assertEquals(
    JSON.parse(stub.requests[0]?.text ?? "").statement,
    "SELECT * FROM t WHERE a = '\\\\'' OR 1 = 1 --'",
  );
});

Deno.test("jdbc.snowflake: comments before a statement take linear time", async () => {
  await using stub = snowflake(() => ({ stats: { numRowsInserted: 2 } }));
  const { outputs } = await runTask(
    "snowflake.Query",
    login(stub, { sql: `${"/* */".repeat(40)} INSERT INTO t` }),
  );
  assertEquals(outputs.size, 0);
});

Deno.test("jdbc.snowflake.Queries sends its statements as one transaction, and reads the result of each query", async () => {
  const results: Record<string, JsonObject> = {
    b: { stats: { numRowsInserted: 1 } },
    c: { resultSetMetaData: { rowType: [{ name: "A", type: "text" }] }, data: [["x"]] },
    d: { resultSetMetaData: { rowType: [{ name: "B", type: "fixed", scale: 0 }] }, data: [["1"], ["2"]] },
  };
  await using stub = snowflake(({ method, path }) =>
    method === "POST" ? { statementHandles: ["a", "b", "c", "d", "e"] } : results[path.slice(-1)]
  );
  const sql = "INSERT INTO t VALUES (:v); SELECT a FROM t; -- all\nSELECT b FROM t";
  const { outputs } = await runTask(
    "snowflake.Queries",
    login(stub, { sql, parameters: { v: 1 }, fetchType: "FETCH" }),
  );
  assertEquals(outputs, {
    outputs: [{ rows: [{ A: "x" }], size: 1 }, { rows: [{ B: 1 }, { B: 2 }], size: 2 }],
  });
  const { statement, parameters } = JSON.parse(stub.requests[0]?.text ?? "");
  assertEquals([statement, parameters], [
    "BEGIN;\nINSERT INTO t VALUES (1);\nSELECT a FROM t;\n-- all\nSELECT b FROM t;\nCOMMIT;",
    { MULTI_STATEMENT_COUNT: "5" },
  ]);
});

Deno.test("jdbc.snowflake signs a token with privateKey, given as PEM or as its base64 text", async () => {
  await using stub = snowflake(() => ({
    resultSetMetaData: { rowType: [{ name: "A", type: "text" }] },
    data: [],
  }));
  const plain = SELF_SIGNED_KEY.replace(/-----[A-Z ]+-----/g, "").replaceAll("\n", "");
  for (const privateKey of [SELF_SIGNED_KEY, plain]) {
    await runTask(
      "snowflake.Query",
      login(stub, {
        url: `jdbc:snowflake://${stub.host}/?ssl=off&account=acme-data.eu`,
        privateKey,
        sql: "SELECT 1",
      }),
    );
  }
  for (const { headers } of stub.requests) {
    assertEquals(headers["x-snowflake-authorization-token-type"], "KEYPAIR_JWT");
    const [head = "", claims = "", signature = ""] =
      headers.authorization?.slice("Bearer ".length).split(".") ?? [];
    const key = createPublicKey(SELF_SIGNED_KEY);
    const isSigned = verify(
      "RSA-SHA256",
      new TextEncoder().encode(`${head}.${claims}`),
      key,
      base64Url(signature),
    );
    const der = new Uint8Array(key.export({ type: "spki", format: "der" }));
    const fingerprint = new Uint8Array(await crypto.subtle.digest("SHA-256", der)).toBase64();
    const { iss, sub, iat, exp } = JSON.parse(new TextDecoder().decode(base64Url(claims)));
    assertEquals([isSigned, iss, sub, exp - iat], [
      true,
      `ACME-DATA.FLOWS.SHA256:${fingerprint}`,
      "ACME-DATA.FLOWS",
      59 * 60,
    ]);
  }
});

function base64Url(text: string) {
  return Uint8Array.fromBase64(text, { alphabet: "base64url" });
}

Deno.test("jdbc.snowflake: errors have the words of the server, and no credential", async () => {
  await using stub = snowflake(() =>
    Response.json({ code: "002003", message: "SQL compilation error: T does not exist" }, { status: 422 })
  );
  const query = (rest: JsonObject) => runTask("snowflake.Query", login(stub, { sql: "SELECT 1", ...rest }));
  await assertRejects(
    () => query({}),
    Error,
    `Cannot query "${stub.host}": SQL compilation error: T does not exist (002003)`,
  );
  await assertRejects(
    () => query({ password: "s3cret-word" }),
    Error,
    "Cannot log in to Snowflake with a password: its SQL API accepts none; give `privateKey`",
  );
  const error = await assertRejects(
    () => query({ privateKey: "s3cret" }),
    Error,
    "Invalid privateKey: it must be",
  );
  assertEquals(`${error.stack} ${JSON.stringify(error.cause)}`.includes("s3cret"), false);
});

Deno.test("jdbc.snowflake.Download stores the file behind the address that Snowflake signs", async () => {
  const packed = new Uint8Array(await promisify(gzip)("a,b\n"));
  await using stub = new ApiStub(({ path }, { url }) => {
    if (path === "/signed/x.csv.gz") return new Response(packed);
    if (path === "/signed/damaged") return new Response("a,b");
    if (path.startsWith("/signed")) return new Response("NoSuchKey", { status: 404 });
    return {
      resultSetMetaData: { rowType: [{ name: "URL", type: "text" }] },
      data: [[`${url}/signed/${names.shift()}?secret=1`]],
    };
  });
  const names = ["x.csv.gz", "x.csv.gz", "damaged", "y"];
  const download = (rest: JsonObject = {}) =>
    runTask("snowflake.Download", login(stub, { stageName: "@s.exports", fileName: "a'/x.csv.gz", ...rest }));
  const { files } = await download();
  assertEquals([...files].map(([uri, text]) => [uri.endsWith("/x.csv"), text]), [[true, "a,b\n"]]);
  assertEquals(
    JSON.parse(stub.requests[0]?.text ?? "").statement,
    "SELECT GET_PRESIGNED_URL(@s.exports, 'a''/x.csv.gz') AS url",
  );
  assertEquals([...(await download({ compress: false })).bytes.values()], [packed]);
  await assertRejects(() => download(), Error, "Cannot unpack the file: it is no GZIP file, or damaged");
  const error = await assertRejects(() => download(), Error, "the response was 404: NoSuchKey");
  assertEquals(error.message.includes("secret=1"), false);
  await assertRejects(() => download({ stageName: "s; DROP" }), Error, 'Invalid stageName "s; DROP"');
});

Deno.test("cellOf() reads times before the epoch, and offsets", () => {
  const rows = [
    ["date", "-1", "1969-12-31"],
    ["time", "36672.120000000", "10:11:12.12"],
    ["timestamp_ntz", "0.000000000", "1970-01-01 00:00:00"],
    ["timestamp_ntz", "-0.500000000", "1969-12-31 23:59:59.5"],
    ["timestamp_ltz", "1709201472.123456789", "2024-02-29 10:11:12.123456789+00"],
    ["timestamp_tz", "1709201472.000000000 1110", "2024-02-29 04:41:12-05:30"],
    ["binary", "00FF", "\\x00ff"],
    ["boolean", "true", "true"],
  ] as const;
  assertEquals(rows.map(([type, text]) => cellOf(type, text)), rows.map(([, , cell]) => cell));
});
