/** The types of `jdbc.dremio`. Shapes are those of https://docs.dremio.com/current/reference/api/sql/ and …/api/job/. */
import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { runTask, taskOf } from "./stubbed_database.ts";

const SCHEMA = [
  { name: "n", type: { name: "BIGINT" } },
  { name: "d", type: { name: "DECIMAL" } },
  { name: "at", type: { name: "TIMESTAMP" } },
  { name: "v", type: { name: "LIST" } },
  { name: "t", type: { name: "VARCHAR" } },
];
const ROW = { n: "9007199254740993", d: "12.50", at: "2024-02-29 10:11:12.000", v: [1, 2], t: "it's" };
const LINE = '{"n":9007199254740993,"d":12.50,"at":"2024-02-29T10:11:12.000","v":[1,2],"t":"it\'s"}\n';

/** Two pages: the first one is full. */
function dremio(base: string, jobs: JsonObject[]) {
  return ({ method, path, query, text }: ApiRequest): ApiReply => {
    if (path === "/apiv2/login") {
      const { password } = JSON.parse(text);
      return password === "p4ss"
        ? { token: "T" }
        : Response.json({ errorMessage: "Login failed" }, { status: 401 });
    }
    if (method === "POST" && path === `${base}/sql`) return { id: "j/1" };
    if (path === `${base}/job/j%2F1`) return jobs.length > 1 ? jobs.shift() : jobs[0];
    if (path !== `${base}/job/j%2F1/results`) return undefined;
    const count = query.offset === "0" ? 500 : 1;
    return { rowCount: 501, schema: SCHEMA, rows: Array(count).fill(ROW) };
  };
}

const COMPLETED = { jobState: "COMPLETED", rowCount: 501 };

function login(stub: ApiStub, rest: JsonObject = {}): JsonObject {
  const restPort = new URL(stub.url).port;
  const url = `jdbc:dremio:direct=127.0.0.1:31010;restPort=${restPort}`;
  return { url, username: "ann", password: "p4ss", sql: "SELECT 1", ...rest };
}

Deno.test("jdbc.dremio.Query logs in, waits for the job, and reads all pages", async () => {
  await using stub = new ApiStub(dremio("/api/v3", [{ jobState: "RUNNING" }, COMPLETED]));
  const sql = "SELECT * FROM t WHERE a = :a";
  const { text, outputs } = await runTask(
    "dremio.Query",
    login(stub, { sql, parameters: { a: "it's" }, fetchType: "STORE" }),
  );
  assertEquals([text === LINE.repeat(501), outputs.size], [true, 501]);
  const [first, statement] = stub.requests;
  assertEquals(JSON.parse(first?.text ?? ""), { userName: "ann", password: "p4ss" });
  assertEquals(statement?.headers.authorization, "_dremioT");
  assertEquals(JSON.parse(statement?.text ?? ""), { sql: "SELECT * FROM t WHERE a = 'it''s'" });
});

Deno.test("jdbc.dremio.Query of a project of the cloud uses its API and a token", async () => {
  await using stub = new ApiStub(dremio("/v0/projects/p1", [COMPLETED]));
  const given = {
    url: "jdbc:dremio:direct=sql.eu.dremio.cloud:443;ssl=true;PROJECT_ID=p1;",
    username: "$token",
    password: "pat",
    sql: "SELECT 1",
    fetchType: "FETCH_ONE",
  };
  const origins = { "https://api.eu.dremio.cloud": stub.url };
  const { outputs } = await runDefinition(taskOf("dremio.Query"), given, { origins });
  assertEquals((outputs.row as JsonObject).t, "it's");
  assertEquals(stub.requests[0]?.headers.authorization, "Bearer pat");
});

/** Properties, the job, and the error. */
const FAILURES: readonly (readonly [JsonObject, JsonObject, RegExp])[] = [
  [{ password: "wrong" }, COMPLETED, /^Cannot query "HOST": Login failed$/],
  [
    {},
    { jobState: "FAILED", errorMessage: "Object 't' not found" },
    /^Cannot query "HOST": Object 't' not found$/,
  ],
  [{}, { jobState: "CANCELED" }, /^Cannot query "HOST": the job ended with CANCELED$/],
  [{ url: "jdbc:dremio://h" }, COMPLETED, /^Invalid url: it must be like jdbc:dremio:direct=/],
];

for (const [properties, job, expected] of FAILURES) {
  Deno.test(`jdbc.dremio.Query reports ${expected.source}`, async () => {
    await using stub = new ApiStub(dremio("/api/v3", [job]));
    const { message } = await assertRejects(() => runTask("dremio.Query", login(stub, properties)), Error);
    assertMatch(message.replace(stub.host, "HOST"), expected);
  });
}
