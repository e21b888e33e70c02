/** Flows with types of integrations in a server: names, defaults by prefix, files and errors. */
import { assertEquals, assertMatch } from "@std/assert";
import { executionsOf } from "../support/flows/triggers.ts";
import { Harness } from "../support/harness.ts";
import { until } from "../support/processes/machine_processes.ts";
import { AMQP_PASSWORD, AMQP_USER, AmqpBroker } from "../support/servers/amqp_broker.ts";
import { embeddingStub } from "./ai/embedding_stub.ts";
import { apiOf, bodiesOf, modelStub } from "./ai/model_stub.ts";
import { callsOf, connection, gcpStub } from "./gcp/gcp_stub.ts";

async function finished(app: Harness, source: string) {
  const { id: flowId } = await app.save(source);
  const { id } = await app.start(String(flowId), {}, "?wait=true");
  return await app.execution(id);
}

Deno.test("a file is converted by types with their present and their former names", async () => {
  await using app = await Harness.start();
  const execution = await finished(
    app,
    `id: convert
namespace: demo
tasks:
- {id: write, type: io.kestra.plugin.core.storage.Write, content: '[{"a": 1, "b": "x,y"}]', extension: .json}
- {id: ion, type: io.kestra.plugin.serdes.json.JsonToIon, from: "{{ outputs.write.uri }}", newLine: false}
- {id: csv, type: io.kestra.plugin.serdes.csv.CsvWriter, from: "{{ outputs.ion.uri }}"}
- {id: show, type: io.kestra.plugin.core.debug.Return, format: "{{ read(outputs.csv.uri) }}"}`,
  );
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals(execution.taskRunList.at(-1)?.outputs.value, 'a,b\\n1,"x,y"\\n'.replaceAll("\\n", "\n"));
});

Deno.test("defaults of a prefix connect all types; a refusal fails the task", async () => {
  await using stub = gcpStub(({ method, path }, { url }) =>
    path === "/session"
      ? {}
      : method === "POST" && path.startsWith("/upload/")
      ? new Response("", { headers: { location: `${url}/session` } })
      : undefined
  );
  const { serviceAccount, endpointOverride } = connection(stub);
  await using app = await Harness.start({ secrets: new Map([["GCP_KEY", btoa(serviceAccount)]]) });
  const execution = await finished(
    app,
    `id: upload
namespace: demo
pluginDefaults:
- type: io.kestra.plugin.gcp
  values: {serviceAccount: "{{ secret('GCP_KEY') }}", endpointOverride: "${endpointOverride}"}
tasks:
- {id: write, type: io.kestra.plugin.core.storage.Write, content: text}
- {id: upload, type: io.kestra.plugin.gcp.gcs.Upload, from: "{{ outputs.write.uri }}", to: gs://b/c.txt}
- {id: read, type: io.kestra.plugin.gcp.gcs.Download, from: "{{ outputs.upload.uri }}"}`,
  );
  assertEquals(execution.taskRunList.map(({ state }) => state.current), ["SUCCESS", "SUCCESS", "FAILED"]);
  assertEquals(stub.requests.find(({ path }) => path === "/session")?.text, "text");
  assertEquals(callsOf(stub).at(-1), "GET /storage/v1/b/b/o/c.txt");
  const logs = await app.json("GET", `/logs/${execution.id}?minLevel=ERROR`);
  assertMatch(
    JSON.stringify(logs),
    /Cannot download \\"gs:\/\/b\/c\.txt\\" at .* the response was 404: Not Found/,
  );
  assertEquals(JSON.stringify(logs).includes("PRIVATE KEY"), false);
});

Deno.test("an agent has the provider of plugin defaults, a memory in a KV pair, and rules; its key is in no log", async () => {
  const api = apiOf("OpenAI");
  await using stub = modelStub(api, [{ text: "hello" }, { text: "again" }]);
  await using app = await Harness.start({ secrets: new Map([["OPENAI_KEY", btoa("key-1")]]) });
  const agent = (id: string, prompt: string) =>
    `{id: ${id}, type: io.kestra.plugin.ai.agent.AIAgent, prompt: ${prompt},
  provider: {type: io.kestra.plugin.ai.provider.OpenAI, modelName: m},
  memory: {type: io.kestra.plugin.ai.memory.KestraKVStore},
  configuration: {logRequests: true},
  guardrails: {input: [{expression: "{{ message != inputs.forbidden }}", message: Forbidden}]}}`;
  const execution = await finished(
    app,
    `id: agents
namespace: demo
inputs:
- {id: forbidden, type: STRING, defaults: secret}
pluginDefaults:
- type: io.kestra.plugin.ai.provider.OpenAI
  values: {apiKey: "{{ secret('OPENAI_KEY') }}", baseUrl: "${stub.url}/v1"}
tasks:
- ${agent("first", "hi")}
- ${agent("second", "more")}
- ${agent("third", "secret")}
- {id: show, type: io.kestra.plugin.core.debug.Return, format: "{{ outputs.second.textOutput }} {{ outputs.third.guardrailViolationMessage }}"}`,
  );
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals(execution.taskRunList.at(-1)?.outputs.value, "again Input guardrail: Forbidden");
  assertEquals((bodiesOf(stub)[1]?.messages as unknown[]).length, 3);
  const logs = JSON.stringify(await app.json("GET", `/logs/${execution.id}`));
  assertEquals([logs.includes("Request: hi"), logs.includes("key-1")], [true, false]);
});

Deno.test("parallel tasks add their documents to one store of embeddings, and a search finds all", async () => {
  await using stub = embeddingStub();
  await using app = await Harness.start();
  const words = ["rain", "sun", "wind", "fog", "snow", "hail"];
  const common = "embeddings: {type: io.kestra.plugin.ai.embeddings.KestraKVStore}, provider: {type: " +
    `io.kestra.plugin.ai.provider.OpenAI, modelName: m, apiKey: key-1, baseUrl: "${stub.url}/v1"}`;
  const tasks = words.map((word) =>
    `  - {id: ${word}, type: io.kestra.plugin.ai.rag.IngestDocument, ${common}, fromDocuments: [{content: ${word}}]}`
  );
  const execution = await finished(
    app,
    `id: ingest
namespace: demo
tasks:
- id: all
  type: io.kestra.plugin.core.flow.Parallel
  tasks:
${tasks.join("\n")}
- {id: find, type: io.kestra.plugin.ai.rag.Search, ${common}, query: sun, maxResults: 9, minScore: 0, fetchType: FETCH}`,
  );
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals((execution.taskRunList.at(-1)?.outputs.results as string[]).toSorted(), words.toSorted());
});

Deno.test("a message that a task publishes by AMQP starts the execution of another flow", async () => {
  await using broker = new AmqpBroker();
  broker.queues.set("orders", []);
  await using app = await Harness.start();
  const connection =
    `host: 127.0.0.1, port: ${broker.port}, username: ${AMQP_USER}, password: ${AMQP_PASSWORD}`;
  await app.save(`id: taker
namespace: demo
tasks: [{id: show, type: io.kestra.plugin.core.debug.Return, format: "{{ trigger.data.n }} {{ trigger.appId }}"}]
triggers: [{id: p, type: io.kestra.plugin.amqp.RealtimeTrigger, queue: orders, serdeType: JSON, ${connection}}]`);
  await app.advance(1);
  const sent = await finished(
    app,
    `id: sender
namespace: demo
tasks:
- {id: send, type: io.kestra.plugin.amqp.Publish, routingKey: orders, serdeType: JSON, from: {data: {n: 7}, appId: shop}, ${connection}}`,
  );
  assertEquals([sent.state.current, sent.taskRunList[0]?.outputs.messagesCount], ["SUCCESS", 1]);
  await until(async () => (await executionsOf(app, "taker"))[0]?.state === "SUCCESS");
  const [taken] = await executionsOf(app, "taker");
  assertEquals((await app.execution(taken?.id)).taskRunList[0]?.outputs.value, "7 shop");
});

Deno.test("properties without a meaning here are accepted with a warning", async () => {
  await using app = await Harness.start();
  const types: readonly (readonly [type: string, properties: string])[] = [
    ["kubernetes.kubectl.Get", "connection: {masterUrl: https://h}, resourceType: pods, outputFiles: [a]"],
    [
      "kubernetes.kubectl.Apply",
      "connection: {masterUrl: https://h}, spec: a, namespaceFiles: {enabled: true}",
    ],
    ["kafka.Consume", "topic: t, properties: {bootstrap.servers: h}, acknowledgeType: ACCEPT"],
    ["fs.ftp.Downloads", "host: h, from: /, interval: PT10S"],
  ];
  for (const [type, properties] of types) {
    const source = `id: f\nnamespace: demo\ntasks:\n- {id: t, type: io.kestra.plugin.${type}, ${properties}}`;
    const response = await app.request("POST", "/flows/validate", { body: source });
    const [{ constraints, warnings }] = await response.json();
    assertEquals([type, constraints], [type, undefined]);
    assertMatch(JSON.stringify(warnings), /has no effect on this server and is ignored/);
  }
});
