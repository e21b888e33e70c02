/**
 * A kill ends statements at servers that are reached by HTTP. Requests are those of
 * https://trino.io/docs/current/develop/client-protocol.html, https://docs.snowflake.com/en/developer-guide/sql-api/reference,
 * https://docs.dremio.com/current/reference/api/job/, https://druid.apache.org/docs/latest/api-reference/sql-api and of the
 * class `PinotRunningQueryResource` of Pinot.
 */
import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { DatabaseFlows } from "../../support/flows/database_flows.ts";
import { Harness } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { type ApiReply, type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";

interface Server {
  readonly kind: string;
  /** When the kill comes; absent: while the statement runs. */
  readonly moment?: string;
  readonly properties: (stub: ApiStub) => JsonObject;
  /** The response to a request before the cancellation; `running`: it arrives when the statement has ended. */
  readonly reply: (request: ApiRequest, stub: ApiStub) => ApiReply | "running";
  /** The last request, as `METHOD path`; ID is what the statement was given. */
  readonly cancellation: string;
  /** The id that the client has given to the statement. */
  readonly idOf?: (body: JsonObject) => unknown;
}

const ACCESS_TOKEN = `${btoa('{"kid":"1","alg":"ES256"}').replaceAll("=", "")}.e30.c2ln`;

const SERVERS: readonly Server[] = [
  {
    kind: "trino",
    properties: ({ host }) => ({ url: `jdbc:trino://${host}/hive` }),
    reply: ({ method }, stub) =>
      method === "POST" ? { nextUri: `${stub.url}/v1/statement/executing/q/1` } : "running",
    cancellation: "DELETE /v1/statement/executing/q/1",
  },
  {
    kind: "snowflake",
    properties: ({ host }) => ({
      url: `jdbc:snowflake://${host}/?ssl=off`,
      username: "a",
      password: ACCESS_TOKEN,
    }),
    reply: ({ method, query }) => {
      if (method === "POST" && query.async !== "true") return "running";
      return Response.json({ statementHandle: "h/1" }, { status: 202 });
    },
    cancellation: "POST /api/v2/statements/h%2F1/cancel",
  },
  {
    kind: "snowflake",
    moment: "before the first response",
    properties: ({ host }) => ({
      url: `jdbc:snowflake://${host}/?ssl=off`,
      username: "a",
      password: ACCESS_TOKEN,
    }),
    reply: ({ query }, { requests }) => {
      if (query.retry !== "true") return "running";
      // The id of the first request gives its statement; any other one would start another.
      const statementHandle = query.requestId === requests[0]?.query.requestId ? "h/1" : "h/2";
      return Response.json({ statementHandle }, { status: 202 });
    },
    cancellation: "POST /api/v2/statements/h%2F1/cancel",
  },
  {
    kind: "dremio",
    properties: ({ url }) => {
      const { port } = new URL(url);
      return { url: `jdbc:dremio:direct=127.0.0.1:31010;restPort=${port}`, password: "token" };
    },
    reply: ({ path }) => path.endsWith("/sql") ? { id: "j/1" } : { jobState: "RUNNING" },
    cancellation: "POST /api/v3/job/j%2F1/cancel",
  },
  {
    kind: "druid",
    properties: ({ url }) => ({ url: `jdbc:avatica:remote:url=${url}/druid/v2/sql/avatica/` }),
    reply: () => "running",
    cancellation: "DELETE /druid/v2/sql/ID",
    idOf: ({ context }) => (context as JsonObject).sqlQueryId,
  },
  {
    kind: "pinot",
    properties: ({ host }) => ({ url: `jdbc:pinot://${host}` }),
    reply: () => "running",
    cancellation: "DELETE /clientQuery/ID",
    idOf: ({ queryOptions }) => String(queryOptions).replace("clientQueryId=", ""),
  },
];

/** A server with a statement that ends when it is cancelled; `isRunning` resolves at the first request that waits for it. */
function startServer({ reply }: Server, refusal?: Response) {
  const running = Promise.withResolvers<void>(), cancelled = Promise.withResolvers<ApiReply>();
  const stub = new ApiStub((request, own) => {
    if (request.method === "DELETE" || request.path.endsWith("/cancel")) {
      cancelled.resolve({});
      return refusal ?? {};
    }
    const response = reply(request, own);
    const isWaiting = response === "running" || request.method === "GET";
    if (isWaiting) running.resolve();
    return response === "running" ? cancelled.promise : response;
  });
  return { stub, isRunning: running.promise, end: () => cancelled.resolve({}) };
}

/** Starts a query, kills its execution, and gives its requests and its log. */
async function killedQuery(server: Server, refusal?: Response) {
  const { stub, isRunning, end } = startServer(server, refusal);
  await using _ = stub;
  await using app = await Harness.start();
  const flows = new DatabaseFlows(app, { kind: server.kind });
  const query = { type: "Query", ...server.properties(stub), sql: "SELECT 1", fetchType: "FETCH" };
  const { id } = await app.start(await flows.save({ q: query }));
  await isRunning;
  await app.json("DELETE", `/executions/${id}/kill`);
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  end();
  const logs = await app.json("GET", `/logs/${id}`) as readonly JsonObject[];
  return { calls: stub.calls, requests: stub.requests, logs, host: stub.host };
}

for (const server of SERVERS) {
  Deno.test(`a kill ${server.moment ?? "of the execution"} cancels the query of jdbc.${server.kind}`, async () => {
    const { calls, requests } = await killedQuery(server);
    const id = server.idOf?.(JSON.parse(requests[0]?.text ?? "{}"));
    assertEquals(calls.at(-1), server.cancellation.replace("ID", String(id)));
    assertEquals(requests.at(-1)?.headers.authorization, requests[0]?.headers.authorization);
  });
}

Deno.test("a cancellation that is refused is logged", async () => {
  const [trino] = SERVERS as [Server];
  const { logs, host } = await killedQuery(trino, new Response("Access denied", { status: 403 }));
  const warnings = logs.filter(({ level }) => level === "WARN").map(({ message }) => message);
  assertEquals(warnings, [`Cannot cancel the query at "${host}": the response was 403: Access denied`]);
});
