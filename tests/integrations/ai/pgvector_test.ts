/** Embeddings in PostgreSQL with pgvector, against a real server. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { ragChatCompletion } from "../../../src/integrations/ai/rag/chat_completion.ts";
import { ingestDocument } from "../../../src/integrations/ai/rag/ingest_document.ts";
import { search } from "../../../src/integrations/ai/rag/search.ts";
import {
  DATABASE_PASSWORD,
  startPgvector,
  startPostgresql,
} from "../../support/servers/database_programs.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { DOCUMENTS, embeddingStub, SEARCHES } from "./embedding_stub.ts";
import { apiOf, providerOf } from "./model_stub.ts";

const OPENAI = apiOf("OpenAI");

/** A store of one server, and a model. */
class Place {
  readonly stub: ApiStub;
  readonly #store: JsonObject;

  constructor(stub: ApiStub, port: number, further: JsonObject = {}) {
    this.stub = stub;
    this.#store = {
      type: "io.kestra.plugin.ai.embeddings.PGVector",
      host: "127.0.0.1",
      port,
      user: "app",
      password: DATABASE_PASSWORD,
      database: "postgres",
      table: "texts",
      ...further,
    };
  }

  /** Runs a task of the store. */
  async run(task: typeof search, further: JsonObject) {
    const provider = providerOf(OPENAI);
    const properties = { provider, chatProvider: provider, embeddings: this.#store, ...further };
    return await runDefinition(task, properties, { origins: { [OPENAI.origin]: this.stub.url } });
  }

  async ingest(fromDocuments: JsonObject[], further: JsonObject = {}): Promise<JsonObject> {
    return (await this.run(ingestDocument, { fromDocuments, ...further })).outputs;
  }

  /** The texts that are nearest to a query. */
  async find(query: string, minScore = 0): Promise<unknown> {
    const found = await this.run(search, { query, maxResults: 9, minScore, fetchType: "FETCH" });
    return found.outputs.results;
  }
}

type Case = readonly [name: string, work: (port: number, stub: ApiStub) => Promise<void>];

const CASES: readonly Case[] = [
  ["documents are found as in KV pairs", async (port, stub) => {
    const place = new Place(stub, port, { table: "common" });
    const { ingestedDocuments, embeddingStoreOutputs } = await place.ingest(DOCUMENTS);
    assertEquals([ingestedDocuments, embeddingStoreOutputs], [3, { table: "common" }]);
    for (const [query, expected] of SEARCHES) {
      const { outputs } = await place.run(search, query);
      assertEquals(outputs, expected);
    }
  }],
  ["texts have their metadata, and later ones are added", async (port, stub) => {
    const place = new Place(stub, port, { table: "public.facts" });
    await place.ingest(DOCUMENTS.slice(0, 1));
    await place.ingest([{ content: "sun 'x' \\ \"y\"", metadata: { big: 9_007_199_254_740_993n } }]);
    const { outputs } = await place.run(ragChatCompletion, { prompt: "sun and rain" });
    assertEquals(
      (outputs.sources as JsonObject[]).toSorted((a, b) => String(a.content) < String(b.content) ? -1 : 1),
      [
        { content: "rain rain", metadata: { page: 1, index: "0" } },
        { content: "sun 'x' \\ \"y\"", metadata: { big: 9_007_199_254_740_993n, index: "0" } },
      ],
    );
  }],
  ["`drop` replaces the texts, also by those of a model with longer vectors", async (port, stub) => {
    await using short = embeddingStub({ length: 2 });
    const table = { table: "dropped" };
    await new Place(short, port, table).ingest(DOCUMENTS);
    const place = new Place(stub, port, table);
    await assertRejects(() => place.find("sun"), Error, "different vector dimensions 2 and 3");
    await place.ingest([{ content: "wind" }], { drop: true });
    assertEquals(await place.find("wind"), ["wind"]);
  }],
  ["a failed task changes nothing", async (port, stub) => {
    await using pages = new ApiStub(() => new Response("gone", { status: 404 }));
    const place = new Place(stub, port, { table: "atomic" });
    await place.ingest([{ content: "sun" }]);
    const failing = place.ingest([{ content: "rain" }], { drop: true, fromExternalURLs: [`${pages.url}/a`] });
    await assertRejects(() => failing, Error, "the response was 404: gone");
    assertEquals(await place.find("sun"), ["sun"]);
  }],
  ["an index is used once there are texts", async (port, stub) => {
    const place = new Place(stub, port, { table: "indexed", useIndex: true });
    await place.ingest([], { drop: true });
    await place.ingest(DOCUMENTS);
    assertEquals(await place.find("rain", 0.8), ["rain rain", "rain and wind"]);
    await place.ingest([{ content: "rain rain rain" }]);
    assertEquals((await place.find("rain", 0.99) as string[]).length, 2);
  }],
  ["a text without any direction has the score 0", async (port, stub) => {
    const place = new Place(stub, port, { table: "zero" });
    await place.ingest([{ content: "nothing" }, { content: "sun" }]);
    assertEquals(await place.find("sun", 0.5), ["sun"]);
    assertEquals(await place.find("sun", 0), ["sun", "nothing"]);
  }],
];

/** Properties that are refused, and the error, the port as PORT. */
const REFUSED: readonly (readonly [further: JsonObject, message: string])[] = [
  [{ table: "a; drop table b" }, 'Invalid table: "a; drop table b" is no name of a table'],
  [{ table: "missing" }, 'Cannot query "127.0.0.1:PORT": relation "missing" does not exist (42P01'],
  [
    { password: "wrong-word" },
    'Cannot connect to "127.0.0.1:PORT": password authentication failed for user "app"',
  ],
  [{ database: "none" }, 'Cannot connect to "127.0.0.1:PORT": database "none" does not exist'],
];

Deno.test("ai.embeddings.PGVector", async (test) => {
  await using server = await startPgvector();
  if (!server) return;
  const { port } = server;
  for (const [name, work] of CASES) {
    await test.step(name, async () => {
      await using stub = embeddingStub();
      await work(port, stub);
    });
  }
  for (const [further, message] of REFUSED) {
    await test.step(`${JSON.stringify(further)} is refused`, async () => {
      await using stub = embeddingStub();
      const found = new Place(stub, port, further).find("sun");
      const error = await assertRejects(() => found, Error, message.replace("PORT", String(port)));
      assertEquals(error.message.includes("wrong-word"), false);
    });
  }
});

Deno.test("ai.embeddings.PGVector without the extension is refused", async () => {
  await using server = await startPostgresql();
  if (!server) return;
  await using stub = embeddingStub();
  const ingested = new Place(stub, server.port).ingest(DOCUMENTS);
  await assertRejects(() => ingested, Error, 'extension "vector" is not available');
});
