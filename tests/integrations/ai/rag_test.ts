/** Stores of embeddings: documents are split, embedded, stored, found, and used by models. */
import { assertEquals, assertRejects } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { aiAgent } from "../../../src/integrations/ai/agent_task.ts";
import { ragChatCompletion } from "../../../src/integrations/ai/rag/chat_completion.ts";
import { ingestDocument } from "../../../src/integrations/ai/rag/ingest_document.ts";
import { modelOf } from "../../../src/integrations/ai/providers.ts";
import { search } from "../../../src/integrations/ai/rag/search.ts";
import { split, type SplitOptions } from "../../../src/integrations/ai/rag/splitter.ts";
import { ApiStub } from "../../support/servers/api_stub.ts";
import { type DefinitionRunOptions, runDefinition } from "../../support/flows/definition_run.ts";
import { DOCUMENTS, embeddingStub, SEARCHES } from "./embedding_stub.ts";
import { apiOf, providerOf } from "./model_stub.ts";

const OPENAI = apiOf("OpenAI");
const STORE = { type: "io.kestra.plugin.ai.embeddings.KestraKVStore" };
const COMMON: JsonObject = { provider: providerOf(OPENAI), embeddings: STORE };

function optionsOf(stub: ApiStub, kvPairs: Map<string, string>): DefinitionRunOptions {
  return { origins: { [OPENAI.origin]: stub.url }, kvPairs };
}

/** A store with {@link DOCUMENTS}. */
async function filled(stub: ApiStub): Promise<Map<string, string>> {
  const kvPairs = new Map<string, string>();
  await runDefinition(ingestDocument, { ...COMMON, fromDocuments: DOCUMENTS }, optionsOf(stub, kvPairs));
  return kvPairs;
}

for (const [provider, reply] of [["OpenAI", "data"], ["GoogleGemini", "embeddings"]] as const) {
  Deno.test(`${provider}: vectors consist of plain numbers`, async () => {
    const text = `{"${reply}":[{"embedding":[0.5,2.0],"values":[0.5,2.0]}]}`;
    const response = { status: 200, headers: {}, bytes: new Uint8Array(), text };
    const context = {
      signal: new AbortController().signal,
      log: () => {},
      http: () => Promise.resolve(response),
    };
    const model = await modelOf(context, providerOf(apiOf(provider)));
    const { vectors } = await model.embed(["a"]);
    assertEquals(vectors, [[0.5, 2]]);
  });
}

Deno.test("IngestDocument stores documents of all sources", async () => {
  await using stub = embeddingStub();
  await using pages = new ApiStub(() => new Response("wind"));
  const kvPairs = new Map<string, string>();
  const { outputs, metrics } = await runDefinition(ingestDocument, {
    ...COMMON,
    fromDocuments: DOCUMENTS.slice(0, 1),
    fromInternalURIs: ["kestra:///a.txt"],
    fromExternalURLs: [`${pages.url}/a.md`],
  }, { ...optionsOf(stub, kvPairs), files: { "kestra:///a.txt": "sun" } });
  assertEquals(outputs, {
    ingestedDocuments: 3,
    inputTokenCount: 15,
    outputTokenCount: 0,
    totalTokenCount: 15,
    embeddingStoreOutputs: { kvName: "h-embedding-store" },
  });
  assertEquals([metrics["indexed.documents"], [...kvPairs.keys()]], [3, ["h-embedding-store"]]);
});

Deno.test("IngestDocument refuses a file with more than 16 MiB", async () => {
  await using stub = embeddingStub();
  const files = { "kestra:///a.txt": "a".repeat(16 * 1024 * 1024 + 1) };
  await assertRejects(
    () =>
      runDefinition(ingestDocument, { ...COMMON, fromInternalURIs: ["kestra:///a.txt"] }, {
        ...optionsOf(stub, new Map()),
        files,
      }),
    Error,
    'Cannot read "kestra:///a.txt": it has 16777217 bytes, and at most 16777216 are allowed',
  );
});

Deno.test("split() gives segments one by one, of any number", () => {
  let count = 0;
  for (
    const segment of split("ab ".repeat(300_000), { splitter: "RECURSIVE", maxChars: 4, overlapChars: 0 })
  ) {
    assertEquals(segment, "ab");
    count++;
  }
  assertEquals(count, 300_000);
});

for (const [query, expected] of SEARCHES) {
  Deno.test(`Search with ${JSON.stringify(query)}`, async () => {
    await using stub = embeddingStub();
    const { outputs } = await runDefinition(
      search,
      { ...COMMON, ...query },
      optionsOf(stub, await filled(stub)),
    );
    assertEquals(outputs, expected);
  });
}

Deno.test("Search stores what it finds as Ion", async () => {
  await using stub = embeddingStub();
  const query = { query: "sun", maxResults: 1, minScore: 0, fetchType: "STORE" };
  const { outputs, files } = await runDefinition(
    search,
    { ...COMMON, ...query },
    optionsOf(stub, await filled(stub)),
  );
  assertEquals([outputs.size, files.get(String(outputs.uri))], [1, '"sun"\n']);
});

Deno.test("a store of another model is refused", async () => {
  await using stub = embeddingStub();
  const kvPairs = await filled(stub);
  await using other = embeddingStub({ length: 2 });
  const query = { query: "sun", maxResults: 1, minScore: 0 };
  const run = runDefinition(search, { ...COMMON, ...query }, optionsOf(other, kvPairs));
  await assertRejects(() => run, Error, "its vectors have 3 numbers, those of the model 2");
});

Deno.test("embeddings that another server of this language stored are found", async () => {
  const entry = {
    id: "1",
    embedding: { vector: [0, 1, 0] },
    embedded: { text: "old", metadata: { metadata: { a: "b" } } },
  };
  const kvPairs = new Map([["h-embedding-store", JSON.stringify({ entries: [entry] })]]);
  await using stub = embeddingStub();
  const query = { query: "sun", maxResults: 1, minScore: 0.9, fetchType: "FETCH" };
  const { outputs } = await runDefinition(search, { ...COMMON, ...query }, optionsOf(stub, kvPairs));
  assertEquals(outputs.results, ["old"]);
});

Deno.test("a large store has several pairs, and none of them is left over", async () => {
  await using stub = embeddingStub();
  const kvPairs = new Map<string, string>();
  const large = (word: string) => ({ content: `${word} ${"x".repeat(200_000)}` });
  const options = optionsOf(stub, kvPairs);
  await runDefinition(
    ingestDocument,
    { ...COMMON, fromDocuments: ["rain", "sun", "wind"].map(large) },
    options,
  );
  assertEquals(kvPairs.size, 3);
  const query = { query: "wind", maxResults: 1, minScore: 0, fetchType: "FETCH" };
  const { outputs: { results } } = await runDefinition(search, { ...COMMON, ...query }, options);
  assertEquals((results as string[])[0]?.slice(0, 6), "wind x");
  await runDefinition(
    ingestDocument,
    { ...COMMON, drop: true, fromDocuments: [{ content: "sun" }] },
    options,
  );
  assertEquals([...kvPairs.keys()], ["h-embedding-store"]);
});

Deno.test("tasks that add texts to a store at the same time keep the texts of each other", async () => {
  const both = Promise.withResolvers<void>();
  await using model = embeddingStub();
  let held = 0;
  // Each task has opened the store before one of them saves.
  await using stub = new ApiStub(async ({ path, headers, text }) => {
    if (++held === 2) both.resolve();
    await both.promise;
    return await fetch(`${model.url}${path}`, { method: "POST", headers, body: text });
  });
  const kvPairs = new Map<string, string>();
  const large = (word: string) => ({ content: `${word} ${"x".repeat(200_000)}` });
  await Promise.all(
    ["sun", "wind"].map((word) =>
      runDefinition(ingestDocument, { ...COMMON, fromDocuments: [large(word)] }, optionsOf(stub, kvPairs))
    ),
  );
  const query = { query: "sun", maxResults: 9, minScore: 0, fetchType: "FETCH" };
  const { outputs } = await runDefinition(search, { ...COMMON, ...query }, optionsOf(model, kvPairs));
  assertEquals((outputs.results as string[]).map((text) => text.slice(0, 4)), ["sun ", "wind"]);
  assertEquals(kvPairs.size, 2);
});

Deno.test("a task that is killed while it stores parts leaves none of them", async () => {
  await using stub = embeddingStub();
  const stop = new AbortController();
  const kvPairs = new class extends Map<string, string> {
    override set(key: string, text: string): this {
      stop.abort(new Error("killed"));
      return super.set(key, text);
    }
  }();
  const fromDocuments = ["rain", "sun", "wind"].map((word) => ({ content: word + "x".repeat(200_000) }));
  const run = runDefinition(ingestDocument, { ...COMMON, fromDocuments }, {
    ...optionsOf(stub, kvPairs),
    signal: stop.signal,
  });
  await assertRejects(() => run, Error, "killed");
  assertEquals([...kvPairs.keys()], []);
});

Deno.test("a store of which a part is missing is refused, not searched in part", async () => {
  const kvPairs = new Map([["h-embedding-store", '{"parts": ["gone"]}']]);
  await using stub = embeddingStub();
  const query = { query: "sun", maxResults: 1, minScore: 0 };
  const run = runDefinition(search, { ...COMMON, ...query }, optionsOf(stub, kvPairs));
  await assertRejects(
    () => run,
    Error,
    'Cannot read the embeddings "gone": they were replaced meanwhile; retry the task',
  );
});

Deno.test("rag.ChatCompletion adds stored texts to the prompt", async () => {
  await using stub = embeddingStub();
  const { outputs } = await runDefinition(ragChatCompletion, {
    chatProvider: providerOf(OPENAI),
    embeddings: STORE,
    prompt: "rain?",
    contentRetrieverConfiguration: { maxResults: 1, minScore: 0.5 },
  }, optionsOf(stub, await filled(stub)));
  const text = "rain?\n\nAnswer with this information:\nrain rain";
  assertEquals([outputs.textOutput, outputs.completion], [text, text]);
  assertEquals(outputs.sources, [{ content: "rain rain", metadata: { page: 1, index: "0" } }]);
});

Deno.test("rag.ChatCompletion without a store and retrievers is refused", async () => {
  const run = runDefinition(ragChatCompletion, { chatProvider: providerOf(OPENAI), prompt: "a" });
  await assertRejects(() => run, Error, "Nothing to search: give embeddings or contentRetrievers");
});

Deno.test("EmbeddingStoreRetriever searches a store for an agent", async () => {
  await using stub = embeddingStub();
  const { outputs } = await runDefinition(aiAgent, {
    provider: providerOf(OPENAI),
    prompt: "sun",
    contentRetrievers: [{
      type: "io.kestra.plugin.ai.retriever.EmbeddingStoreRetriever",
      embeddings: STORE,
      embeddingProvider: providerOf(OPENAI),
      maxResults: 1,
    }],
  }, optionsOf(stub, await filled(stub)));
  assertEquals(outputs.sources, [{ content: "sun", metadata: { index: "0" } }]);
});

/** Gemini embeds in batches. */
Deno.test("GoogleGemini: documents are embedded with their task", async () => {
  const api = apiOf("GoogleGemini");
  await using stub = new ApiStub(({ path, headers, text }) => {
    const { requests } = JSON.parse(text);
    const isFine = path === "/v1beta/models/m:batchEmbedContents" && headers["x-goog-api-key"] === "key-1" &&
      requests[0].model === "models/m" && requests[0].taskType === "RETRIEVAL_DOCUMENT";
    return isFine ? { embeddings: requests.map(() => ({ values: [1, 2] })) } : undefined;
  });
  const provider = providerOf(api, { embeddingModelConfiguration: { taskType: "RETRIEVAL_DOCUMENT" } });
  const kvPairs = new Map<string, string>();
  const options = { origins: { [api.origin]: stub.url }, kvPairs };
  const { outputs } = await runDefinition(ingestDocument, {
    provider,
    embeddings: STORE,
    fromDocuments: DOCUMENTS,
  }, options);
  assertEquals([outputs.ingestedDocuments, kvPairs.size], [3, 1]);
});

/** Texts, how they are split, and the segments. */
const SPLITS: readonly (readonly [text: string, options: Partial<SplitOptions>, segments: string[]])[] = [
  ["a b\n\nc d\n\ne f", { maxChars: 8 }, ["a b\n\nc d", "e f"]],
  ["one two. three", { maxChars: 8 }, ["one two.", "three"]],
  ["one two\nthree", { maxChars: 20, splitter: "LINE" }, ["one two\nthree"]],
  ["abcdefgh", { maxChars: 3 }, ["abc", "def", "gh"]],
  ["One. Two. Three. Four.", { maxChars: 16, overlapChars: 6, splitter: "SENTENCE" }, [
    "One. Two.",
    "Two. Three.",
    "Four.",
  ]],
  ["  ", { maxChars: 5 }, []],
];

for (const [text, options, segments] of SPLITS) {
  Deno.test(`split() ${JSON.stringify([text, options])}`, () => {
    assertEquals(
      [...split(text, { splitter: "RECURSIVE", maxChars: 10, overlapChars: 0, ...options })],
      segments,
    );
  });
}

Deno.test("a large document is embedded in several requests", async () => {
  await using stub = embeddingStub();
  const documentSplitter = { maxSegmentSizeInChars: 4, maxOverlapSizeInChars: 0 };
  const fromDocuments = [{ content: "rain ".repeat(100) }];
  const kvPairs = new Map<string, string>();
  await runDefinition(
    ingestDocument,
    { ...COMMON, fromDocuments, documentSplitter },
    optionsOf(stub, kvPairs),
  );
  assertEquals(stub.requests.map(({ text }) => JSON.parse(text).input.length), [96, 4]);
});
