/** What files of users' flows expect is checked: a wrong expectation fails. */
import { assertRejects, assertThrows } from "@std/assert";
import { checkExpectation } from "./expectations.ts";
import { play, type Played } from "./play.ts";
import { type Expectation, readUserFlow } from "./user_flow.ts";

const FILE = `# Does what can be expected
web:
  POST /hook: ok
expect:
  outputs: {text: a}
---
id: child
namespace: demo.flows
tasks: [{id: l, type: io.kestra.plugin.core.log.Log, message: child}]
---
id: main
namespace: demo.flows
labels: {team: data}
tasks:
  - {id: text, type: io.kestra.plugin.core.debug.Return, format: a}
  - {id: log, type: io.kestra.plugin.core.log.Log, message: hello}
  - {id: file, type: io.kestra.plugin.core.storage.Write, content: inside}
  - {id: keep, type: io.kestra.plugin.core.kv.Set, key: k, value: v}
  - {id: up, type: io.kestra.plugin.core.namespace.UploadFiles, namespace: demo.flows, filesMap: {f.txt: "{{ outputs.file.uri }}"}}
  - {id: count, type: io.kestra.plugin.core.metric.Publish, metrics: [{name: n, type: counter, value: 2}]}
  - {id: send, type: io.kestra.plugin.core.http.Request, uri: "https://a.example.com/hook", method: POST, body: "the body"}
  - {id: call, type: io.kestra.plugin.core.flow.Subflow, namespace: demo.flows, flowId: child}
outputs:
  - {id: text, type: STRING, value: "{{ outputs.text.value }}"}
  - {id: file, type: FILE, value: "{{ outputs.file.uri }}"}
`;

const RIGHT: Expectation = {
  state: "SUCCESS",
  outputs: { text: "a" },
  tasks: { text: "SUCCESS", never: "" },
  taskOutputs: { text: { value: "a" } },
  log: ["INFO hello"],
  noLog: ["bye"],
  files: { file: "inside" },
  labels: { team: "data" },
  metrics: { n: 2 },
  sent: ["POST /hook", "POST /hook: the body"],
  sentCount: { "POST /hook": 1 },
  kv: { k: "v" },
  namespaceFiles: { "f.txt": "inside" },
  executions: { child: "SUCCESS" },
};

const WRONG: readonly Expectation[] = [
  { state: "FAILED" },
  { outputs: { text: "b" } },
  { outputs: { other: "a" } },
  { tasks: { text: "FAILED" } },
  { tasks: { text: "SUCCESS SUCCESS" } },
  { tasks: { never: "SUCCESS" } },
  { taskOutputs: { text: { value: "b" } } },
  { taskOutputs: { never: { value: "a" } } },
  { log: ["bye"] },
  { noLog: ["hello"] },
  { files: { file: "outside" } },
  { labels: { team: "ops" } },
  { metrics: { n: 3 } },
  { sent: ["GET /hook"] },
  { sent: ["POST /hook: another body"] },
  { sentCount: { "POST /hook": 2 } },
  { kv: { k: "w" } },
  { kv: { absent: "v" } },
  { namespaceFiles: { "f.txt": "outside" } },
  { executions: { child: "SUCCESS SUCCESS" } },
];

Deno.test("checkExpectation() accepts what came of a flow, and refuses each other expectation", async () => {
  const flow = readUserFlow("demo/main", FILE);
  const check = async (played: Played) => {
    await checkExpectation(flow, RIGHT, played);
    for (const wrong of WRONG) {
      await assertRejects(() => checkExpectation(flow, wrong, played));
    }
  };
  await play(flow, { expect: RIGHT, options: {}, check });
});

Deno.test("readUserFlow() refuses files that expect nothing, or have unknown members", () => {
  const file = (head: string) => `# About\n${head}\n---\nid: a\nnamespace: b\n`;
  for (const head of ["", "expect: {state: FAILED}", "expects: {log: [a]}", "expect: {logs: [a]}"]) {
    assertThrows(() => readUserFlow("g/f", file(head)));
  }
  assertThrows(() => readUserFlow("g/f", "expect: {log: [a]}\n---\nid: a\nnamespace: b\n"));
});
