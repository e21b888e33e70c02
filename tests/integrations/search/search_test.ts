/** Types of Elasticsearch and OpenSearch, against a stub that has the documents of one index. */
import { assertEquals, assertRejects } from "@std/assert";
import { type JsonObject, parseJson, stringifyJson } from "../../../src/base/json.ts";
import { SEARCH_TASKS } from "../../../src/integrations/search/registry.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import {
  type DefinitionRun,
  type DefinitionRunOptions,
  runDefinition,
} from "../../support/flows/definition_run.ts";
import { freePort } from "../../support/processes/free_port.ts";
import { type ApiRequest, ApiStub } from "../../support/servers/api_stub.ts";

const PREFIXES = ["elasticsearch", "opensearch"];
const PASSWORD = "s3cret-word";
const AUTHORIZATION = `Basic ${btoa(`flows:${PASSWORD}`)}`;

function run(name: string, properties: JsonObject, options?: DefinitionRunOptions): Promise<DefinitionRun> {
  const task = SEARCH_TASKS.find(({ type }) => type === name) as TaskDefinition;
  return runDefinition(task, properties, options);
}

function connectionTo(hosts: readonly string[], further: JsonObject = {}): JsonObject {
  return {
    connection: { hosts: [...hosts], basicAuth: { username: "flows", password: PASSWORD }, ...further },
  };
}

function refusal(status: number, reason: string): Response {
  return Response.json({ error: { type: "some_exception", reason }, status }, { status });
}

/** A server with one index, as https://www.elastic.co/docs/api/doc/elasticsearch/ and https://docs.opensearch.org/latest/api-reference/ describe it. */
class Engine extends ApiStub {
  readonly documents = new Map<string, JsonObject>();

  constructor() {
    super((request) => this.#reply(request));
  }

  #reply(request: ApiRequest): Response | object {
    if (request.headers.authorization !== AUTHORIZATION) {
      return refusal(401, "unable to authenticate user [flows]");
    }
    const [target = "", action = "", id = ""] = request.path.slice(1).split("/").map(decodeURIComponent);
    if (target === "_bulk") return this.#bulk(request.text);
    if (request.path === "/_search/scroll") return this.#scroll(request);
    if (target !== "orders") return refusal(404, `no such index [${target}]`);
    if (action === "_search") return this.#search(request);
    if (action !== "_doc") return { acknowledged: true };
    if (request.method !== "GET") return this.#put(id || "made", request);
    const _source = this.documents.get(id);
    return Response.json({ _id: id, found: _source !== undefined, _source }, { status: _source ? 200 : 404 });
  }

  #put(id: string, { text, query }: ApiRequest): Response | object {
    const isThere = this.documents.has(id);
    if (isThere && query.op_type === "create") return refusal(409, `[${id}]: version conflict`);
    this.documents.set(id, parseJson(text) as JsonObject);
    return { _id: id, result: isThere ? "updated" : "created", _version: isThere ? 2 : 1 };
  }

  #search({ query, text }: ApiRequest): object {
    const size = Number((parseJson(text) as JsonObject).size ?? 10);
    return this.#page(query.scroll === undefined ? undefined : `at-${size}`, 0, size);
  }

  #page(scrollId: string | undefined, at: number, size: number): object {
    const hits = [...this.documents].slice(at, at + size).map(([_id, _source]) => ({ _id, _source }));
    const total = { value: this.documents.size, relation: "eq" };
    return { took: 3, ...scrollId && { _scroll_id: scrollId }, hits: { total, hits } };
  }

  #scroll({ method, text }: ApiRequest): object {
    if (method === "DELETE") return { succeeded: true };
    const at = Number(String((parseJson(text) as JsonObject).scroll_id).slice(3));
    return this.#page(`at-${at + 2}`, at, 2);
  }

  #bulk(text: string): object {
    const lines = text.trimEnd().split("\n").map((line) => parseJson(line) as JsonObject);
    const items: JsonObject[] = [];
    while (lines.length > 0) {
      const [[action = "", target = {}] = []] = Object.entries(lines.shift() ?? {});
      const { _id = null } = target as JsonObject;
      const document = action === "delete" ? undefined : lines.shift();
      const isBad = document?.bad === true;
      if (document && !isBad) this.documents.set(String(_id ?? `made-${items.length}`), document);
      else if (!document) this.documents.delete(String(_id));
      const error = { type: "document_parsing_exception", reason: "failed to parse field [bad]" };
      items.push({ [action]: { _index: "orders", _id, status: isBad ? 400 : 200, ...isBad && { error } } });
    }
    return { took: 5, errors: items.some((item) => stringifyJson(item).includes("error")), items };
  }
}

for (const prefix of PREFIXES) {
  Deno.test(`the types of ${prefix} write, read and search for documents`, async () => {
    await using engine = new Engine();
    const server = connectionTo([engine.url]), orders = { ...server, index: "orders" };
    const outputs = async (name: string, properties: JsonObject) =>
      (await run(`${prefix}.${name}`, properties)).outputs;
    const put = { ...orders, key: "a/1", value: { customer: "Ann", n: 1 } };
    assertEquals(await outputs("Put", put), { id: "a/1", result: "Created", version: 1 });
    const again = { ...put, value: '{"customer": "Bob"}', refreshPolicy: "WAIT_UNTIL", routing: "r" };
    assertEquals(await outputs("Put", again), { id: "a/1", result: "Updated", version: 2 });
    const { method, path, query, text } = engine.requests.at(-1) as ApiRequest;
    assertEquals([method, path, query, text], [
      "PUT",
      "/orders/_doc/a%2F1",
      { routing: "r", refresh: "wait_for" },
      '{"customer":"Bob"}',
    ]);
    assertEquals((await outputs("Put", { ...orders, value: { customer: "Eve" } })).id, "made");
    assertEquals(await outputs("Get", { ...orders, key: "a/1" }), { row: { customer: "Bob" } });
    assertEquals(await outputs("Get", { ...orders, key: "none" }), { row: null });
    const search = { ...server, indexes: ["orders"], request: { query: { match_all: {} } } };
    assertEquals(await outputs("Search", search), {
      rows: [{ customer: "Bob" }, { customer: "Eve" }],
      size: 2,
      total: 2,
    });
    const one = { ...search, request: '{"size": 1}', fetchType: "FETCH_ONE" };
    assertEquals(await outputs("Search", one), { row: { customer: "Bob" }, size: 1, total: 2 });
    const created = {
      ...server,
      method: "POST",
      endpoint: "/orders/_refresh",
      parameters: { a: "b c" },
      body: {},
    };
    assertEquals(await outputs("Request", created), { status: 200, response: { acknowledged: true } });
    assertEquals(engine.requests.at(-1)?.query, { a: "b c" });
  });
}

for (const prefix of PREFIXES) {
  Deno.test(`${prefix}.Load writes rows, ${prefix}.Scroll stores all documents`, async () => {
    await using engine = new Engine();
    const server = connectionTo([engine.url]);
    const files = { "kestra:///rows.ion": '{id:1,n:1.50}\n{id:"two",n:2}\n{id:3,n:3}\n' };
    const load = { ...server, from: "kestra:///rows.ion", index: "orders", idKey: "id", chunk: 2 };
    const loaded = await run(`${prefix}.Load`, load, { files });
    assertEquals(loaded.outputs, { size: 3 });
    assertEquals(loaded.metrics, { "requests.count": 2, records: 3, "requests.duration": 10 });
    assertEquals(engine.requests[0]?.headers["content-type"], "application/x-ndjson");
    assertEquals([...engine.documents.keys()], ["1", "two", "3"]);
    const scroll = { ...server, indexes: ["orders"], request: { size: 2 } };
    const stored = await run(`${prefix}.Scroll`, scroll);
    assertEquals([stored.outputs.size, stored.metrics["requests.count"]], [3, 3]);
    assertEquals([...stored.files.values()].join("").split("\n").filter(Boolean).length, 3);
    assertEquals(engine.calls.at(-1), "DELETE /_search/scroll");
  });

  Deno.test(`${prefix}.Bulk sends the operations of a file, and names those that failed`, async () => {
    await using engine = new Engine();
    const bulk = { ...connectionTo([engine.url]), from: "kestra:///bulk.jsonl" };
    const sent = (text: string) => run(`${prefix}.Bulk`, bulk, { files: { "kestra:///bulk.jsonl": text } });
    const index = '{"index":{"_index":"orders","_id":"1"}}\n';
    const lines =
      `${index}{"a":1}\n{"update":{"_id":"1"}}\n{"a":2}\n{"create":{"_id":"2"}}\n{"b":1}\n{"delete":{"_id":"2"}}\n`;
    assertEquals((await sent(lines)).outputs, { size: 4 });
    assertEquals([...engine.documents], [["1", { doc: { a: 2 }, doc_as_upsert: true }]]);
    const failures: readonly (readonly [string, string])[] = [
      [
        `${index}{"bad":true}\n${index}{"a":1}\n`,
        "Cannot write 1 of 2 documents: orders/1: 400 failed to parse field [bad]",
      ],
      ['{"upsert":{}}\n', 'Invalid operation "upsert"'],
      [index, 'Invalid operation "index": its document is missing'],
      ["[1]\n", "each row must be a map"],
    ];
    for (const [text, message] of failures) await assertRejects(() => sent(text), Error, message);
  });
}

/** Two rows as the languages give them. */
const COLUMNS = [{ name: "author", type: "keyword" }, { name: "pages", type: "integer" }];
const CELLS = [["Ann", 300], ["Bob", null]];
const ROWS = [{ author: "Ann", pages: 300 }, { author: "Bob", pages: null }];

Deno.test("elasticsearch.Esql sends the query with its filter, and gives rows by their columns", async () => {
  await using engine = new ApiStub(() => ({ took: 4, is_partial: false, columns: COLUMNS, values: CELLS }));
  const query = "FROM books | KEEP author, pages";
  const server = { ...connectionTo([engine.url]), query };
  const all = await run("elasticsearch.Esql", { ...server, filter: '{"term": {"year": 2026}}' });
  assertEquals(all.outputs, { rows: ROWS, size: 2, total: 2 });
  assertEquals(all.metrics, { records: 2, "requests.count": 1, "requests.duration": 4 });
  const { method, path, query: parameters, text, headers } = engine.requests[0] as ApiRequest;
  assertEquals([method, path, parameters, parseJson(text), headers.authorization], [
    "POST",
    "/_query",
    {},
    { query, filter: { term: { year: 2026 } } },
    AUTHORIZATION,
  ]);
  const one = await run("elasticsearch.Esql", { ...server, fetchType: "FETCH_ONE" });
  assertEquals(one.outputs, { row: ROWS[0] as JsonObject, size: 1, total: 2 });
  const stored = await run("elasticsearch.Esql", { ...server, fetchType: "STORE" });
  assertEquals([...stored.files.values()], ['{"author":"Ann","pages":300}\n{"author":"Bob","pages":null}\n']);
});

Deno.test("elasticsearch.Esql refuses rows that lack cells, and too many columns", async () => {
  const columns = Array.from({ length: 4_097 }, (_, index) => ({ name: `c${index}`, type: "keyword" }));
  await using engine = new ApiStub(({ text }) => ({
    columns: text.includes("wide") ? columns : columns.slice(0, 2),
    values: [[1]],
  }));
  const server = connectionTo([engine.url]);
  for (
    const [query, message] of [
      ["FROM wide", "The result has 4097 columns; the limit is 4096"],
      ["FROM books", "A row has 1 cells, the result has 2 columns"],
    ]
  ) {
    await assertRejects(() => run("elasticsearch.Esql", { ...server, query: String(query) }), Error, message);
  }
});

Deno.test("opensearch.Ppl gives rows, or the text of another format", async () => {
  await using engine = new ApiStub(({ query }) =>
    query.format === "jdbc"
      ? {
        schema: [{ ...COLUMNS[0], name: "a", alias: "author" }, COLUMNS[1]],
        datarows: CELLS,
        total: 2,
        size: 2,
      }
      : new Response("author,pages\nAnn,300\n")
  );
  const query = "source=books | fields author, pages";
  const server = { ...connectionTo([engine.url]), query };
  const all = await run("opensearch.Ppl", { ...server, fetchSize: 10 });
  assertEquals([all.outputs, all.metrics], [{ rows: ROWS, size: 2, total: 2 }, { records: 2 }]);
  assertEquals(engine.calls, ["POST /_plugins/_ppl"]);
  assertEquals(parseJson(engine.requests[0]?.text ?? ""), { query, fetch_size: 10 });
  const csv = await run("opensearch.Ppl", { ...server, format: "CSV" });
  assertEquals(csv.outputs, { text: "author,pages\nAnn,300\n" });
  const stored = await run("opensearch.Ppl", { ...server, format: "RAW", fetchType: "STORE" });
  assertEquals([...stored.files.values()], ["author,pages\nAnn,300\n"]);
  assertEquals(engine.requests.map(({ query: { format } }) => format), ["jdbc", "csv", "raw"]);
});

Deno.test("queries that a search engine refuses fail with its words", async () => {
  await using engine = new ApiStub(({ path }) =>
    path === "/_query" ? refusal(400, "Unknown index [books]") : Response.json({
      error: { reason: "Invalid Query", details: "no such index", type: "IndexNotFoundException" },
      status: 404,
    }, { status: 404 })
  );
  const server = connectionTo([engine.url]);
  const failures: readonly (readonly [string, JsonObject, string])[] = [
    ["elasticsearch.Esql", { query: "FROM books" }, "the response was 400: Unknown index [books]"],
    ["elasticsearch.Esql", { query: "FROM books", filter: "[]" }, "Invalid filter"],
    ["opensearch.Ppl", { query: "source=books" }, "the response was 404: Invalid Query: no such index"],
  ];
  for (const [name, properties, message] of failures) {
    await assertRejects(() => run(name, { ...server, ...properties }), Error, message);
  }
});

Deno.test("failures of search engines name the host and its words, never the password", async () => {
  await using engine = new Engine();
  engine.documents.set("1", {});
  const server = connectionTo([engine.url]), orders = { ...server, index: "orders" };
  const failures: readonly (readonly [string, JsonObject, string])[] = [
    ["Get", { ...server, index: "none", key: "1" }, "no such index [none]"],
    ["Get", { ...orders, key: "2", errorOnMissing: true }, "it does not exist"],
    [
      "Put",
      { ...orders, key: "1", value: {}, opType: "CREATE" },
      `at "${engine.host}": the response was 409: [1]: version conflict`,
    ],
    ["Put", { ...orders, value: "no" }, "Invalid value"],
    ["Search", { ...server, request: "[]" }, "Invalid request"],
    ["Search", { ...server, indexes: ["none"], request: {} }, "the response was 404: no such index [none]"],
    ["Get", { ...orders, ...connectionTo(["ftp://h"]), key: "1" }, "Invalid hosts"],
    ["Get", { ...orders, ...connectionTo(["http://169.254.169.254"]), key: "1" }, "may not be reached"],
    ["Get", { ...orders, ...connectionTo([engine.url], { headers: ["no"] }), key: "1" }, "Invalid headers"],
  ];
  for (const [name, properties, message] of failures) {
    await assertRejects(() => run(`opensearch.${name}`, properties), Error, message);
  }
  const wrong = {
    ...orders,
    key: "1",
    ...connectionTo([engine.url], { basicAuth: { username: "flows", password: "other-word" } }),
  };
  const refused = await assertRejects(
    () => run("opensearch.Get", wrong),
    Error,
    "401: unable to authenticate",
  );
  assertEquals(refused.message.includes("other-word"), false);
  const stop = new AbortController();
  stop.abort();
  await assertRejects(() => run("opensearch.Get", { ...orders, key: "1" }, { signal: stop.signal }), Error);
});

Deno.test("reads try one server of a search engine after the other; headers and the prefix of paths are sent", async () => {
  await using engine = new Engine();
  engine.documents.set("1", { a: 1 });
  const unused = freePort();
  const hosts = [`http://127.0.0.1:${unused}`, engine.url];
  const read = { ...connectionTo(hosts), index: "orders", key: "1" };
  assertEquals((await run("elasticsearch.Get", read)).outputs, { row: { a: 1 } });
  await assertRejects(
    () => run("elasticsearch.Put", { ...read, value: {} }),
    Error,
    `127.0.0.1:${unused}`,
  );
  await using proxy = new ApiStub(() => Response.json({ ok: true }, { headers: { warning: '299 - "old"' } }));
  const further = { pathPrefix: "/my/path/", headers: ["X-Team: data"], strictDeprecationMode: true };
  const request = { ...connectionTo([proxy.url], further), endpoint: "_cat/indices?v" };
  await assertRejects(() => run("elasticsearch.Request", request), Error, '299 - "old"');
  const [{ path, headers } = {} as ApiRequest] = proxy.requests;
  assertEquals([path, headers["x-team"], headers.authorization], [
    "/my/path/_cat/indices",
    "data",
    AUTHORIZATION,
  ]);
});
