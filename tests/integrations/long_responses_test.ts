/** A long response is parsed in turns, and the words of a long refusal are its beginning. */
import { assertEquals } from "@std/assert";
import { callModel } from "../../src/integrations/ai/models/model_calls.ts";
import { wordsOf as awsWords } from "../../src/integrations/aws/client.ts";
import { listPaths } from "../../src/integrations/azure/adls/paths.ts";
import { type CosmosClient, partitionPaths } from "../../src/integrations/azure/cosmosdb/cosmos_client.ts";
import type { StorageClient } from "../../src/integrations/azure/storage_client.ts";
import { readRunResults } from "../../src/integrations/dbt/run_results.ts";
import { DbtCloud } from "../../src/integrations/dbt/cloud_api.ts";
import { wordsOf as gcpWords } from "../../src/integrations/gcp/client.ts";
import { GithubClient } from "../../src/integrations/github/client.ts";
import { Cluster } from "../../src/integrations/kubernetes/cluster.ts";
import { callNotion } from "../../src/integrations/notion/client.ts";
import { EngineClient } from "../../src/integrations/search/engine.ts";
import { callSlack } from "../../src/integrations/slack/client.ts";
import type { TaskContext } from "../../src/model/tasks/task_definition.ts";

const TEXT = `{"ok":true,"data":{},"results":[${"{},".repeat(200_000)}{}]}`;

function contextOf(status: number): TaskContext {
  return {
    properties: {
      token: "t",
      apiToken: "t",
      baseUrl: "https://cloud.test",
      connection: { hosts: ["https://engine.test"], masterUrl: "https://cluster.test" },
    },
    signal: new AbortController().signal,
    http: () => Promise.resolve({ status, headers: {}, text: TEXT, bytes: new Uint8Array() }),
  } as unknown as TaskContext;
}

const responder = { send: () => Promise.resolve({ status: 200, headers: {}, text: TEXT }) };
const MODEL = { operation: "ask", url: "https://model.test", headers: {}, secrets: [] };
const request = { path: "/a", operation: "read a", isRepeatable: true } as const;

const CALLS: readonly (readonly [name: string, (context: TaskContext) => unknown])[] = [
  ["a model", (context) => callModel(context, MODEL)],
  ["a model of embeddings", (context) => callModel(context, { ...MODEL, hasVectors: true })],
  ["GitHub", (context) => new GithubClient(context).call(request)],
  ["Slack", (context) => callSlack(context, { method: "auth.test", operation: "test" }, {})],
  ["Notion", (context) => callNotion(context, { ...request, method: "GET" })],
  ["dbt Cloud", (context) => new DbtCloud(context).read(request)],
  ["a cluster of Kubernetes", (context) => new Cluster(context).call(request)],
  ["a search engine", (context) => new EngineClient(context).send({ ...request, method: "GET" })],
];
const READS: readonly (readonly [name: string, () => unknown])[] = [
  ["an error of Google", () => gcpWords(TEXT)],
  ["an error of AWS", () => awsWords({ text: TEXT })],
  ["the results of dbt", () => readRunResults(TEXT)],
  ["the container of Cosmos DB", () => partitionPaths(responder as unknown as CosmosClient)],
  [
    "a folder of Data Lake Storage",
    () => Array.fromAsync(listPaths(responder as unknown as StorageClient, { fileSystem: "f", path: "" })),
  ],
];

/** Characters of the longest text that `JSON.parse` was given. */
async function longestParsed(work: () => unknown): Promise<number> {
  const parse = JSON.parse;
  let longest = 0;
  JSON.parse = (text, reviver) => {
    longest = Math.max(longest, text.length);
    return parse(text, reviver);
  };
  try {
    await work();
  } finally {
    JSON.parse = parse;
  }
  return longest;
}

for (const [name, call] of CALLS) {
  for (const status of [200, 400]) {
    Deno.test(`a long response of ${name} with the status ${status} is not parsed at once`, async () => {
      let message: string | undefined;
      const work = async () => {
        try {
          await call(contextOf(status));
        } catch (error) {
          message = (error as Error).message;
        }
      };
      assertEquals(await longestParsed(work) < TEXT.length, true);
      assertEquals(message?.includes("the response was 400"), status === 400 ? true : undefined);
    });
  }
}
for (const [name, read] of READS) {
  Deno.test(`${name} is not parsed at once if it is long`, async () => {
    assertEquals(await longestParsed(read) < TEXT.length, true);
  });
}
