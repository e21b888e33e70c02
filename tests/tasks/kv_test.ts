import { assertEquals } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { flowOf, logOf, resultsOf, runTasks } from "./core_flows.ts";

/** Properties of a Set, and the type and value in the API. */
const VALUES: readonly (readonly [members: string, shown: string])[] = [
  ["value: hello", 'STRING "hello"'],
  ["value: '5'", 'STRING "5"'],
  ["value: 5", "NUMBER 5"],
  ['value: "{{ 5 + 1 }}"', "NUMBER 6"],
  ['value: "{{ true }}"', "BOOLEAN true"],
  ['value: "{{ [1, 2] }}"', "JSON [1,2]"],
  ['value: "a {{ 5 }}"', 'STRING "a 5"'],
  ['value: {a: "{{ 1 }}"}', 'JSON {"a":"1"}'],
  ["value: PT5S", 'DURATION "PT5S"'],
  ["value: '123.45', kvType: NUMBER", "NUMBER 123.45"],
  ["value: 'TRUE', kvType: BOOLEAN", "BOOLEAN true"],
  ["value: '2023-05-02T01:02:03Z', kvType: DATETIME", 'DATETIME "2023-05-02T01:02:03Z"'],
  ["value: '2023-05-02', kvType: DATE", 'DATE "2023-05-02"'],
  ["value: '[{\"a\": 1}]', kvType: JSON", 'JSON [{"a":1}]'],
  ["value: 5, kvType: STRING", "NUMBER 5"],
];

for (const [members, shown] of VALUES) {
  Deno.test(`kv.Set {${members}} stores ${shown}`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, [`s kv.Set {key: k, ${members}}`]);
    assertEquals(execution.state.current, "SUCCESS");
    const { type, value } = await app.json("GET", "/namespaces/demo/kv/k") as {
      type: string;
      value: unknown;
    };
    assertEquals(`${type} ${JSON.stringify(value)}`, shown);
  });
}

/** The value before a Put, its `value`, and the pair after it. */
const PUTS: readonly (readonly [before: string | undefined, value: string, shown: string])[] = [
  [undefined, "new", 'STRING "new"'],
  [undefined, "{a: {b: 1}}", 'JSON {"a":{"b":1}}'],
  [undefined, "[{key: a.b, value: 1}]", 'JSON {"a":{"b":1}}'],
  ["{a: {b: 1, c: 2}, d: [1]}", "{a: {b: 3}, d: [2]}", 'JSON {"a":{"b":3,"c":2},"d":[2]}'],
  ["{a: {b: 1}}", "[{key: a.c, value: 2}, {key: x, value: [3]}]", 'JSON {"a":{"b":1,"c":2},"x":[3]}'],
  ["{a: 1}", "[{value: {b: 2}}]", 'JSON {"b":2}'],
  ["{a: 1}", "[1, 2]", "JSON [1,2]"],
  ["{a: 1}", "text", 'STRING "text"'],
  ["1", '"{{ 2 + 3 }}"', "NUMBER 5"],
  ["1", "{a: 1}", 'JSON {"a":1}'],
  ["{a: 1}", "[{key: __proto__.x, value: 1}]", 'JSON {"a":1,"__proto__":{"x":1}}'],
];

for (const [before, value, shown] of PUTS) {
  Deno.test(`kv.Put of ${value} to ${before} stores ${shown}`, async () => {
    await using app = await Harness.start();
    const first = before === undefined ? [] : [`s kv.Set {key: k, value: ${before}}`];
    const execution = await runTasks(app, [...first, `p kv.Put {key: k, value: ${value}}`]);
    assertEquals(execution.state.current, "SUCCESS");
    const pair = await app.json("GET", "/namespaces/demo/kv/k") as { type: string; value: unknown };
    assertEquals(`${pair.type} ${JSON.stringify(pair.value)}`, shown);
  });
}

Deno.test("kv.Put keeps the description and the expiry of the pair", async () => {
  await using app = await Harness.start();
  await runTasks(app, [
    "s kv.Set {key: k, value: a, kvDescription: d, ttl: PT1H}",
    "p kv.Put {key: k, value: b}",
  ]);
  const [pair] = await app.json("GET", "/namespaces/demo/kv") as unknown as Record<string, unknown>[];
  assertEquals(pair?.description, "d");
  await app.advance(3_600_000);
  assertEquals((await app.request("GET", "/namespaces/demo/kv/k")).status, 410);
});

Deno.test("kv.Put tasks at the same time lose no member", async () => {
  await using app = await Harness.start();
  const puts = Array.from(
    { length: 20 },
    (_, n) => `      - {id: p${n}, type: io.kestra.plugin.core.kv.Put, key: k, value: {m${n}: ${n}}}`,
  );
  await runTasks(app, [
    `{id: all, type: io.kestra.plugin.core.flow.Parallel, tasks: [${
      puts.map((put) => put.trim().slice(2)).join(", ")
    }]}`,
  ]);
  const { value } = await app.json("GET", "/namespaces/demo/kv/k") as unknown as { value: object };
  assertEquals(Object.keys(value).length, 20);
});

/** Stores a text as a KV pair. */
const KV_PUT = { method: "PUT", body: '"above"', headers: { "content-type": "application/json" } };

/** Failing tasks and their log message. */
const FAILURES: readonly (readonly [task: string, message: string])[] = [
  [
    "t kv.Set {key: taken, value: a, overwrite: false}",
    "Cannot set value for key 'taken'. Key already exists and `overwrite` is set to `false`.",
  ],
  ["t kv.Set {key: k, value: five, kvType: NUMBER}", 'Invalid value "five": it is not a NUMBER'],
  ["t kv.Set {key: k, value: '{', kvType: JSON}", 'Invalid value "{": it is not a JSON'],
  ["t kv.Set {key: k, value: x, kvType: DURATION}", 'Invalid value "x": it is not a DURATION'],
  [
    "t kv.Get {key: none, errorOnMissing: true}",
    "No value found for key 'none' in namespace 'demo' and `errorOnMissing` is set to true",
  ],
  [
    "t kv.Delete {key: none, namespace: other, errorOnMissing: true}",
    "No value found for key 'none' in namespace 'other' and `errorOnMissing` is set to true",
  ],
  [
    "t kv.Put {key: none, value: 1, errorOnMissing: true}",
    "No value found for key 'none' in namespace 'demo' and `errorOnMissing` is set to true",
  ],
  [
    "t kv.Put {key: taken, value: [{key: a, value: 1}]}",
    "Cannot set members of the value: the present value is no map",
  ],
  [
    "t kv.Put {key: taken, value: [{key: a, value: 1}, {value: 1}]}",
    "Invalid value: each entry needs a key; only a single entry without a key replaces the value",
  ],
  [
    "t kv.PurgeKV {namespaces: [demo], namespacePattern: 'd*'}",
    "Cannot purge KV pairs: give either namespaces or namespacePattern",
  ],
  [
    "t kv.PurgeKV {behavior: {type: version, keepAmount: 1, before: '2030-01-01T00:00:00Z'}}",
    "Cannot purge KV pairs: give either before or keepAmount",
  ],
  [
    "t kv.PurgeKV {behavior: \"{{ {'type': 'all'} }}\"}",
    'Invalid type "all": it must be one of key, version',
  ],
];

for (const [task, message] of FAILURES) {
  Deno.test(`${task.slice(2)} fails`, async () => {
    await using app = await Harness.start();
    await app.json("PUT", "/namespaces/other/kv/k", KV_PUT);
    await runTasks(app, ["s kv.Set {key: taken, value: first}"]);
    const execution = await app.run(flowOf("again", [task]));
    assertEquals(execution.state.current, "FAILED");
    assertEquals((await logOf(app, execution.id)).at(-1), `ERROR ${message}`);
  });
}

Deno.test("kv.Set refuses a value of more than 1 MiB, the limit of outputs", async () => {
  await using app = await Harness.start();
  const value = `{% for i in range(1, 1025) %}${"x".repeat(1_024)}{% endfor %}`;
  const execution = await runTasks(app, [`t kv.Set {key: k, value: "${value}"}`]);
  assertEquals(await logOf(app, execution.id), [
    'ERROR Cannot set value for key "k": it is larger than 1048576 bytes; write it to a file',
  ]);
});

Deno.test("kv.Get inherits from parents of its own namespace only", async () => {
  await using app = await Harness.start();
  await app.json("PUT", "/namespaces/top/kv/k", KV_PUT);
  await app.json("POST", "/namespaces", { body: '{"id": "top.other"}', headers: KV_PUT.headers });
  await app.save(
    "id: child\nnamespace: top.below\ntasks:\n" +
      "  - {id: own, type: io.kestra.plugin.core.kv.Get, key: k}\n" +
      "  - {id: other, type: io.kestra.plugin.core.kv.Get, key: k, namespace: top.other}\n",
  );
  const { id } = await app.json("POST", "/executions/top.below/child?wait=true") as { id: string };
  const { own, other } = resultsOf(await app.execution(id));
  assertEquals([own, other], ['SUCCESS {"value":"above"}', "SUCCESS"]);
});

/** Tasks of a flow of `demo.team` that access a namespace. */
const ACCESSES = [
  "kv.Set {key: k, value: a, namespace: %}",
  "kv.Put {key: k, value: a, namespace: %}",
  "kv.Get {key: k, namespace: %}",
  "kv.Delete {key: k, namespace: %}",
  "kv.GetKeys {namespace: %}",
  "debug.Return {format: \"{{ kv('k', '%') ?? 'none' }}\"}",
];

for (const access of ACCESSES) {
  Deno.test(`${access} fails if the namespace does not exist, and is neither that of the flow nor above it`, async () => {
    await using app = await Harness.start();
    await app.save(flowOf("f", ["l log.Log {message: a}"]).replace("demo", "has.flow"));
    await app.json("POST", "/namespaces", { body: '{"id": "created"}', headers: KV_PUT.headers });
    await app.json("PUT", "/namespaces/has-pair/kv/x", KV_PUT);
    const known = ["demo.team", "demo", "has.flow", "has", "created", "has-pair", "system"];
    const unknown = ["demo.team.below", "demo.te", "has.flow.below", "not-found"];
    for (const [index, namespace] of [...known, ...unknown].entries()) {
      const probe = flowOf(`probe-${index}`, [`t ${access.replace("%", namespace)}`]);
      await app.save(probe.replace("demo", "demo.team"));
      const { id } = await app.json("POST", `/executions/demo.team/probe-${index}?wait=true`) as {
        id: string;
      };
      const execution = await app.execution(id);
      const [line] = await logOf(app, id);
      const message = `Cannot access the KV store. The namespace '${namespace}' does not exist.`;
      assertEquals(execution.state.current, known.includes(namespace) ? "SUCCESS" : "FAILED", line);
      assertEquals(line?.includes(message) ?? false, unknown.includes(namespace), line);
    }
  });
}

Deno.test("kv.GetKeys lists keys and kv.Delete reports whether the pair existed", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, [
    "a kv.Set {key: k1, value: a}",
    "b kv.Set {key: k2, value: b}",
    "c kv.Set {key: x, value: c}",
    "keys kv.GetKeys {prefix: k}",
    "gone kv.Delete {key: k1}",
    "none kv.Delete {key: k1}",
    "left kv.GetKeys",
  ]);
  const { keys, gone, none, left } = resultsOf(execution);
  assertEquals([keys, gone, none, left], [
    'SUCCESS {"keys":["k1","k2"]}',
    'SUCCESS {"deleted":true}',
    'SUCCESS {"deleted":false}',
    'SUCCESS {"keys":["k2","x"]}',
  ]);
});

/** Properties of a PurgeKV, and how many of `demo/dead`, `demo/live`, `demo.low/dead`, `else/dead` it deletes. */
const PURGES: readonly (readonly [members: string, size: number])[] = [
  ["", 3],
  ["namespaces: [demo]", 2],
  ["namespaces: [demo], includeChildNamespaces: false", 1],
  ["namespacePattern: 'demo*'", 2],
  ["namespacePattern: '?lse'", 1],
  [`namespaces: [demo], namespacePattern: "{{ '' }}", keyPattern: "{{ '' }}"`, 2],
  ["expiredOnly: false", 4],
  ["expiredOnly: false, behavior: {type: key, expiredOnly: true}", 4],
  ["expiredOnly: true, behavior: {type: key, expiredOnly: false}, namespacePattern: '*em*'", 2],
  ["behavior: {type: key, expiredOnly: false}, keyPattern: 'l*'", 1],
  [`behavior: "{{ {'type': 'key', 'expiredOnly': false} }}"`, 4],
  ["behavior: {type: version, before: '2030-01-01T00:00:00Z'}", 0],
  ["behavior: {type: version, keepAmount: 1}", 0],
  ["behavior: {type: version, keepAmount: 0}, namespaces: [demo.low]", 1],
  ["behavior: {type: version}, keyPattern: 'l*'", 1],
];

for (const [members, size] of PURGES) {
  Deno.test(`kv.PurgeKV {${members}} deletes ${size} pairs`, async () => {
    await using app = await Harness.start();
    await app.json("POST", "/namespaces", { body: '{"id": "else"}', headers: KV_PUT.headers });
    await app.json("POST", "/namespaces", { body: '{"id": "demo.low"}', headers: KV_PUT.headers });
    await runTasks(app, [
      "a kv.Set {key: dead, value: a, ttl: PT1S}",
      "b kv.Set {key: live, value: a}",
      "c kv.Set {key: dead, value: a, ttl: 1, namespace: demo.low}",
      "d kv.Set {key: dead, value: a, ttl: PT1S, namespace: else}",
    ]);
    await app.advance(2_000);
    const purging = await app.run(flowOf("purge", [`p kv.PurgeKV {${members}}`]));
    assertEquals(resultsOf(purging).p, `SUCCESS {"size":${size}}`);
  });
}
