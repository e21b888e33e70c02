/** Addresses of other systems with a password: errors do not repeat it. */
import { assertEquals, assertRejects } from "@std/assert";
import { listTools } from "../../src/integrations/ai/mcp_tasks.ts";
import { AwsClient } from "../../src/integrations/aws/client.ts";
import { sqsPublish } from "../../src/integrations/aws/sqs.ts";
import { blobList } from "../../src/integrations/azure/blob/read.ts";
import { cosmosQuery } from "../../src/integrations/azure/cosmosdb/queries.ts";
import { Cluster } from "../../src/integrations/kubernetes/cluster.ts";
import { executeInPod } from "../../src/integrations/kubernetes/pod_exec.ts";
import { runDefinition } from "../support/flows/definition_run.ts";
import { ApiStub } from "../support/servers/api_stub.ts";

const ADDRESS = "http://ann:secret@h:99999";
const KEY = btoa("key");
const SENDER = {
  http: () => Promise.reject(new Error("unused")),
  signal: new AbortController().signal,
  connectAddress: () => Promise.reject(new Error("unused")),
};

const CALLS: Readonly<Record<string, () => Promise<unknown>>> = {
  "an endpoint of AWS"() {
    const properties = { accessKeyId: "a", secretKeyId: "b", endpointOverride: ADDRESS };
    const client = new AwsClient({ ...SENDER, properties });
    return client.call({ service: "sqs", target: "t", operation: "do it", isRepeatable: false }, {});
  },
  async "a queue of SQS"() {
    await using stub = new ApiStub(() => new Response("no", { status: 400 }));
    const keys = { accessKeyId: "a", secretKeyId: "b", endpointOverride: stub.url };
    return await runDefinition(sqsPublish, {
      ...keys,
      queueUrl: "http://ann:secret@h/q",
      from: [{ data: "a" }],
    });
  },
  "an endpoint of a storage of Azure"() {
    const connectionString = `AccountName=a;AccountKey=${KEY};BlobEndpoint=${ADDRESS}`;
    return runDefinition(blobList, { connectionString, container: "c" });
  },
  "an endpoint of Cosmos DB"() {
    const place = { databaseId: "d", containerId: "c", query: "SELECT 1" };
    const login = { tenantId: "t", clientId: "c", clientSecret: "s" };
    return runDefinition(cosmosQuery, { endpoint: ADDRESS, ...place, ...login });
  },
  "an API server of Kubernetes"() {
    const properties = { connection: { masterUrl: ADDRESS } };
    const command = { path: "/p", container: "c", command: ["a"], operation: "run it" };
    return executeInPod(SENDER, new Cluster({ ...SENDER, properties }), command);
  },
  "a server of MCP"() {
    return runDefinition(listTools, { url: ADDRESS });
  },
  async "a server of MCP whose first event names a malformed address"() {
    await using server = new ApiStub(() =>
      new Response("event: endpoint\ndata: http://\n\n", { headers: { "content-type": "text/event-stream" } })
    );
    const url = server.url.replace("//", "//ann:secret@");
    return await runDefinition(listTools, { url, transport: "SSE" });
  },
};

for (const [name, call] of Object.entries(CALLS)) {
  Deno.test(`the error about ${name} has no password`, async () => {
    const { message } = await assertRejects(call, Error);
    assertEquals(message.includes("secret"), false, message);
  });
}
