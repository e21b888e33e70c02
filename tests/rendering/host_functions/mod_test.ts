/** Functions of expressions that need data from outside: over the whole server, and over ports of the test. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { JsonObject, JsonValue } from "../../../src/base/json.ts";
import { compileTemplate, renderValue } from "../../../src/expr/mod.ts";
import {
  type HostCaller,
  HostCalls,
  type HostValues,
  type HttpCall,
  type HttpPort,
  type HttpReply,
} from "../../../src/rendering/host_functions/mod.ts";
import { MAX_READ_BYTES } from "../../../src/rendering/host_functions/file.ts";
import { createInputRenderer } from "../../../src/rendering/input_renderer.ts";
import { createScope, type ScopeDeps } from "../../../src/rendering/scope.ts";
import { scopeOf } from "../../expr/support.ts";
import { plan } from "../../support/flows/flows.ts";
import { EFFECT_TYPE, type ExecutionResponse, Harness } from "../../support/harness.ts";
import { masked } from "../../support/masked.ts";

const NAMESPACE = "demo.team";
const LOG = "io.svc.plugin.core.log.Log";
const RETURN = "io.svc.plugin.core.debug.Return";
const SECRETS = new Map([
  ["PASSWORD", "hunter2-hunter2"],
  ["ACCOUNT", '{"user":"ada-lovelace","tries":5,"nested":{"a":1}}'],
  ["BROKEN", "{hunter3-hunter3"],
]);

/** As the environment holds them. */
function encoded(secrets: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...secrets].map(([name, value]) => [name, btoa(value)]));
}

/** A server with KV pairs and files in the namespace, the one above and another one. */
async function startServer(): Promise<Harness> {
  const app = await Harness.start({ secrets: encoded(SECRETS) });
  const pairs = [[NAMESPACE, "own", '{"a":[1,2.0]}'], ["demo", "above", '"from above"'], [
    "other",
    "far",
    "true",
  ]];
  for (const [namespace, key, body] of pairs) {
    const headers = { "content-type": "application/json" };
    await app.json("PUT", `/namespaces/${namespace}/kv/${key}`, { body, headers });
  }
  await upload(app, NAMESPACE, "/dir/a b.txt", "Grüße");
  await upload(app, NAMESPACE, "/empty.txt", "");
  await upload(app, NAMESPACE, "/twice.txt", "one");
  await upload(app, NAMESPACE, "/twice.txt", "two");
  await upload(app, NAMESPACE, "/large.bin", "x".repeat(MAX_READ_BYTES + 1));
  await upload(app, "other", "/far.txt", "far");
  return app;
}

async function upload(app: Harness, namespace: string, path: string, content: string): Promise<void> {
  const body = new FormData();
  body.set("fileContent", new File([content], "f"));
  await app.json("POST", `/namespaces/${namespace}/files?path=${encodeURIComponent(path)}`, { body });
}

/** Runs a flow of the namespace to its end. */
async function run(app: Harness, source: string): Promise<ExecutionResponse> {
  const { id } = await app.save(source);
  return await start(app, String(id), {});
}

/** Starts a flow of the namespace with these inputs and lets it end. */
async function start(
  app: Harness,
  flowId: string,
  inputs: Readonly<Record<string, string | File>>,
): Promise<ExecutionResponse> {
  const body = new FormData();
  for (const [name, value] of Object.entries(inputs)) body.set(name, value);
  const path = `/executions/${NAMESPACE}/${flowId}?wait=true`;
  const { id } = await app.json("POST", path, { body }) as JsonObject;
  return await app.execution(id);
}

async function messages(app: Harness, { id }: ExecutionResponse): Promise<string[]> {
  const lines = await app.json("GET", `/logs/${id}`) as unknown as { message: string }[];
  return lines.map(({ message }) => message);
}

function flowOf(id: string, template: string): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\ntasks:\n- {id: t, type: ${RETURN}, format: ${
    JSON.stringify(template)
  }}\n`;
}

/** What a message says, and the expression of line 1 that it names. @throws Error: it names none */
function partsOf(message = ""): { readonly reason: string; readonly statement: string } {
  const [, reason, statement] = /^(.*) in the expression `(.*)` at line 1$/.exec(message) ?? [];
  if (reason === undefined || statement === undefined) throw new Error(`No place is named in "${message}"`);
  return { reason, statement };
}

/** Template of a Return, its output or what the log says of the failure, before the place. */
const CASES: readonly [string, string | RegExp][] = [
  ["{{ secret('PASSWORD') }}", "hunter2-hunter2"],
  ["{{ secret(key='PASSWORD', namespace='other') }}", "hunter2-hunter2"],
  ["{{ secret('ACCOUNT', subkey='user') }}", "ada-lovelace"],
  ["{{ secret('ACCOUNT', subkey='tries') }}", "5"],
  ["{{ secret('ACCOUNT', subkey='nested') }}", '{"a":1}'],
  ["{{ secret('ACCOUNT', subkey='toString') }}", /^Cannot find subkey "toString" in secret "ACCOUNT"/],
  ["{{ secret('BROKEN', subkey='a') }}", /^Cannot find subkey "a" in secret "BROKEN"/],
  [
    "{{ secret('NONE') }}",
    /^Cannot find secret for key 'NONE'\. It does not exist in the namespace 'demo\.team'$/,
  ],
  ["{{ secret() }}", /^Missing argument "key"$/],
  ["{{ kv('own').a | toJson }}", "[1,2.0]"],
  ["{{ kv('above') }}", "from above"],
  ["{{ kv('above', 'demo.team') ?? 'none' }}", "none"],
  ["{{ kv('far', 'other') }}", "true"],
  ["{{ kv('far') ?? 'none' }}", "none"],
  [
    "{{ kv('far', errorOnMissing=true) }}",
    /^The key 'far' does not exist in the namespace 'demo\.team'\. Leave out errorOnMissing to get null$/,
  ],
  ["{{ kv('own', namespace='No!') }}", /namespace "No!" must match/],
  ["{{ read('dir/a b.txt') }}", "Grüße"],
  ["{{ read('/dir/a b.txt') | upper }}", "GRÜSSE"],
  ["{{ read('nsfile:///dir/a b.txt') }}", "Grüße"],
  ["{{ read('nsfile:///far.txt', namespace='other') }}", "far"],
  ["{{ read('nsfile://other/far.txt') }}", "far"],
  [
    "{{ read('nsfile:///none.txt') }}",
    /^Cannot call "read" for "nsfile:\/\/\/none\.txt": there is no such file$/,
  ],
  ["{{ read('nsfile:///../a') }}", /^Path must not contain '\.\.\/'/],
  ["{{ fileExists('nsfile:///dir/a b.txt') }} {{ fileExists('nsfile:///none.txt') }}", "true false"],
  ["{{ isFileEmpty('nsfile:///empty.txt') }}", "true"],
  ["{{ fileURI('nsfile:///dir/a b.txt') == fileURI('dir/a b.txt') }}", "true"],
  ["{{ read('empty.txt') }}", ""],
  ["{{ read('far.txt', namespace='other') }}", "far"],
  ["{{ read('kestra:///demo/team/_files/dir/a%20b.txt') }}", "Grüße"],
  ["{{ read(fileURI('dir/a b.txt')) }}", "Grüße"],
  ["{{ read('twice.txt', version=2) }}", "two"],
  ["{{ read('twice.txt', version=1) }}", /^Cannot read "twice\.txt": version 1 is not kept, only version 2$/],
  ["{{ read('dir') }}", /is a directory|not a file/i],
  ["{{ read('none.txt') }}", /^Cannot call "read" for "none\.txt": there is no such file$/],
  ["{{ read('../a') }}", /^Path must not contain '\.\.\/'/],
  ["{{ read('kestra:///demo/team/_files/../../other/_files/far.txt') }}", /contains "\.\."/],
  [
    "{{ read('large.bin') }}",
    /^Cannot read "large\.bin": it has 4194305 bytes, and expressions take at most 4194304/,
  ],
  ["{{ read('file:///etc/passwd') }}", /must be relative to the namespace/],
  [
    "{{ read('kestra:///etc/passwd') }}",
    /^Unable to read the file .* didn't belong to the current execution/,
  ],
  [
    "{{ read('kestra:///demo/team/f/executions/A1b2C3d4E5f6G7h8I9j0K1/a') }}",
    /^Unable to read the file 'kestra:.*' as it didn't belong to the current execution, nor to the one that triggered it$/,
  ],
  ["{{ fileURI('a') }}", "kestra:///demo/team/_files/a"],
  ["{{ fileURI('/a', namespace='other') }}", "kestra:///other/_files/a"],
  ["{{ fileURI('../a') }}", /^Path must not contain '\.\.\/'/],
  ["{{ fileURI('a/../../b') }}", /^Path must not contain '\.\.\/'/],
  ["{{ read('..') }}", /^Path must not contain '\.\.\/'/],
  ["{{ fileURI('a..b/..c') }}", "kestra:///demo/team/_files/a..b/..c"],
  ["{{ fileSize('dir/a b.txt') }}", "7"],
  ["{{ fileSize('large.bin') }}", "4194305"],
  ["{{ fileSize('none') }}", /^Cannot call "fileSize" for "none": there is no such file$/],
  ["{{ fileExists('empty.txt') }} {{ fileExists('none') }} {{ fileExists('dir') }}", "true false false"],
  ["{{ fileExists('twice.txt', version=2) }} {{ fileExists('twice.txt', version=9) }}", "true false"],
  ["{{ fileExists('../a') }}", /^Path must not contain '\.\.\/'/],
  ["{{ isFileEmpty('empty.txt') }} {{ isFileEmpty('twice.txt') }}", "true false"],
  ["{{ isFileEmpty('none') }}", /there is no such file/],
  ["{{ errorLogs() }}", "[]"],
  ["{{ tasksWithState('running') }}", '[{"state":"RUNNING","taskId":"t"}]'],
  ["{{ tasksWithState('FAILED') }}", "[]"],
  ["{{ tasksWithState('DONE') }}", /^Unknown state "DONE": states are CREATED, /],
  [
    "{{ http('http://127.0.0.1:1/') }}",
    /^Cannot GET "http:\/\/127\.0\.0\.1:1\/": the connection was refused$/,
  ],
  ["{{ printContext().flow.id == flow.id }} {{ fetchContext().flow.namespace }}", "true demo.team"],
  ["{{ secret('PASSWORD', subkey='') }}", "hunter2-hunter2"],
  ["{{ tenantId }} {{ kestra is defined }}", "main false"],
];

Deno.test("functions of the host give values, or an error that says why", async (t) => {
  await using app = await startServer();
  for (const [index, [template, expected]] of CASES.entries()) {
    await t.step(template, async () => {
      const execution = await run(app, flowOf(`f${index}`, template));
      const lines = await messages(app, execution);
      if (typeof expected === "string") {
        assertEquals([execution.state.current, execution.taskRunList[0]?.outputs.value], [
          "SUCCESS",
          expected,
        ]);
      } else {
        assertEquals(execution.state.current, "FAILED");
        const { reason, statement } = partsOf(lines[0]);
        assert(expected.test(reason), lines[0]);
        assert(template.includes(statement), lines[0]);
      }
      assert(!lines.some((line) => /hunter\d-/.test(line)), lines.join("\n"));
    });
  }
});

Deno.test("globals and kestra.environment come from the configuration, also for inputs", async () => {
  await using app = await Harness.start({ globals: { team: { size: 3 } }, environment: "staging" });
  const shown = "{{ globals.team.size }} {{ kestra.environment }} {{ globals.none ?? 'none' }}";
  const inputs = `inputs: [{id: i, type: STRING, defaults: "${shown}"}]\n`;
  const execution = await run(app, flowOf("globals", `${shown} {{ inputs.i }}`) + inputs);
  assertEquals(execution.taskRunList[0]?.outputs.value, "3 staging none 3 staging none");
});

Deno.test("kestra.url is the public address, once one is configured", async () => {
  await using app = await Harness.start({ baseUrl: "https://sluice.example.org" });
  const execution = await run(app, flowOf("url", "{{ kestra.url }} {{ kestra.environment ?? 'none' }}"));
  assertEquals(execution.taskRunList[0]?.outputs.value, "https://sluice.example.org none");
});

Deno.test("read() gives a file that was sent with the start, to its execution and to no other", async () => {
  await using app = await startServer();
  const source = `id: files
namespace: ${NAMESPACE}
inputs:
- {id: file, type: FILE, required: false}
- {id: uri, type: STRING, required: false}
tasks:
- {id: t, type: ${RETURN}, format: "{{ inputs.uri ? read(inputs.uri) : read(inputs.file) ~ fileSize(inputs.file) }}"}
`;
  await app.save(source);
  const first = await start(app, "files", { file: new File(["content"], "my file.txt") });
  assertEquals([first.state.current, first.taskRunList[0]?.outputs.value], ["SUCCESS", "content7"]);
  const { file: uri } = first.inputs as { file: string };
  const second = await start(app, "files", { uri });
  assertEquals(second.state.current, "FAILED");
  const expected = `Unable to read the file '${uri}' as it didn't belong to the current execution, ` +
    "nor to the one that triggered it in the expression " +
    "`{{ inputs.uri ? read(inputs.uri) : read(inputs.file) ~ fileSize(inputs.file) }}` at line 1";
  assertEquals(await messages(app, second), [expected]);
});

Deno.test("errorLogs() and tasksWithState() see what has failed before, also in the same slice", async () => {
  await using app = await Harness.start();
  const execution = await run(
    app,
    `id: failing
namespace: ${NAMESPACE}
tasks:
- {id: fine, type: ${LOG}, message: "all well"}
- {id: warn, type: ${LOG}, message: "first error", level: ERROR}
- id: each
  type: io.kestra.plugin.core.flow.ForEach
  values: [2]
  tasks: [{id: boom, type: ${RETURN}, format: "{{ missing }}"}]
errors:
- id: tell
  type: ${RETURN}
  format: "{{ errorLogs() | length }} {% for e in errorLogs() %}{{ e.taskId }}:{{ e.level }} {% endfor %}{{ tasksWithState('failed') }}"
`,
  );
  assertEquals(execution.state.current, "FAILED");
  assertEquals(
    execution.taskRunList.find(({ taskId }) => taskId === "tell")?.outputs.value,
    '2 warn:ERROR boom:ERROR [{"state":"FAILED","taskId":"each"},{"state":"FAILED","value":"2","taskId":"boom"}]',
  );
});

Deno.test("errorLogs() sees lines of earlier commits", async () => {
  await using app = await Harness.start();
  const execution = await run(
    app,
    `id: later
namespace: ${NAMESPACE}
tasks:
- {id: warn, type: ${LOG}, message: "stored error", level: ERROR}
- {id: effect, type: ${EFFECT_TYPE}}
- {id: tell, type: ${RETURN}, format: "{{ errorLogs()[0].message }}"}
`,
  );
  assertEquals([execution.state.current, execution.taskRunList[2]?.outputs.value], [
    "SUCCESS",
    "stored error",
  ]);
});

Deno.test("secrets that were used are masked in every line of the execution, also as JSON and by other tasks", async () => {
  await using app = await Harness.start({ secrets: encoded(SECRETS) });
  const execution = await run(
    app,
    `id: masked
namespace: ${NAMESPACE}
tasks:
- {id: value, type: ${RETURN}, format: "{{ secret('ACCOUNT') }}"}
- {id: tell, type: ${LOG}, message: ["is {{ outputs.value.value }}", "{{ outputs }}"]}
- {id: fail, type: ${RETURN}, format: "{{ outputs.value.value | number }}"}
`,
  );
  const lines = await messages(app, execution);
  assertEquals([execution.state.current, lines.length], ["FAILED", 4], lines.join("\n"));
  assertEquals(lines[1], `is ${masked(SECRETS.get("ACCOUNT")?.length ?? 0)}`);
  assert(lines.every((line) => !line.includes("ada-lovelace")), lines.join("\n"));
});

const NO_VALUES: HostValues = {
  secret: () => Promise.resolve(undefined),
  kvPair: () => Promise.resolve(undefined),
};

/** A clock that advances by a second at each reading, and another random number at each draw. */
function scopeDeps(): ScopeDeps {
  let now = 0, chance = 1;
  const clock = { now: () => now += 1_000, monotonicMs: () => 0, setTimer: () => () => {} };
  return { clock, timeZone: "UTC", random: () => (chance = chance * 48271 % 2147483647) / 2147483647 };
}

/** Renders over ports of the test. */
async function render(
  template: string,
  values: Partial<HostValues>,
  caller: Partial<HostCaller> = {},
): Promise<JsonValue> {
  const deps = scopeDeps();
  const calls = new HostCalls({ ...NO_VALUES, ...values }, { tenant: "main", namespace: "demo", ...caller });
  const compiled = compileTemplate(template);
  return await calls.run(() =>
    renderValue(compiled, createScope(deps, calls, { variable: () => undefined, authored: {} }))
  );
}

/** An HTTP client that remembers what it was asked. */
function fakeHttp(reply: Partial<HttpReply> = {}) {
  const sent: HttpCall[] = [];
  const call = (request: HttpCall) => {
    sent.push(request);
    return Promise.resolve({ code: 200, contentType: "text/plain", body: "done", ...reply });
  };
  return { sent, http: { call } };
}

/** Arguments of `http()`, and method, address, headers and body of what is sent. */
const REQUESTS: readonly [string, string][] = [
  ["'http://h/a'", 'GET http://h/a {"accept":"application/json"} undefined {}'],
  [
    "'http://h/a', 'post', body={'a': 1}",
    'POST http://h/a {"content-type":"application/json","accept":"application/json"} {"a":1} {}',
  ],
  [
    "'http://h/a', method='PUT', body='text', contentType='text/plain', accept='text/html'",
    'PUT http://h/a {"content-type":"text/plain","accept":"text/html"} text {}',
  ],
  [
    "'http://h/a', query={'q': 'a b&c', 'l': [1, 2], 'n': null}",
    'GET http://h/a?q=a%20b%26c&l=1&l=2 {"accept":"application/json"} undefined {}',
  ],
  [
    "'http://h/a?x=1#f', query={'q': true}",
    'GET http://h/a?x=1&q=true#f {"accept":"application/json"} undefined {}',
  ],
  [
    "'http://h/a', headers={'X-Id': 5, 'Accept': 'x'}, accept='y'",
    'GET http://h/a {"accept":"x","x-id":"5"} undefined {}',
  ],
  [
    "'http://h/a', options={'readTimeout': 'PT1S'}",
    'GET http://h/a {"accept":"application/json"} undefined {"readTimeout":"PT1S"}',
  ],
  [
    "'http://h/a', headers={'X-Many': ['a', 5], 'Accept': 'x'}",
    'GET http://h/a {"accept":"x","x-many":"a, 5"} undefined {}',
  ],
  [
    "'http://h/a', 'POST', body={'l': ['a']}, contentType='application/yaml', accept='application/yaml'",
    'POST http://h/a {"content-type":"application/yaml","accept":"application/yaml"} l:\n - a\n {}',
  ],
];

for (const [args, expected] of REQUESTS) {
  Deno.test(`http() sends ${args}`, async () => {
    const { sent, http } = fakeHttp();
    assertEquals(await render(`{{ http(${args}) }}`, { http }), "done");
    const lines = sent.map(({ method, uri, headers, body, options }) =>
      `${method} ${uri} ${JSON.stringify(Object.fromEntries(headers))} ${body} ${JSON.stringify(options)}`
    );
    assertEquals(lines, [expected]);
  });
}

/** What the other server answers, and the value or the error. */
const REPLIES: readonly [Partial<HttpReply>, JsonValue | RegExp][] = [
  [{ contentType: "application/json", body: '{"a":[1]}' }, { a: [1] }],
  [{ contentType: "application/problem+json; charset=utf-8", body: "5" }, 5],
  [{ contentType: "application/json", body: " " }, null],
  [{ contentType: "text/plain", body: '{"a":1}' }, '{"a":1}'],
  [{ contentType: "application/json", body: "{" }, /^Cannot read the answer as JSON: /],
  [{ contentType: "application/x-yaml; charset=utf-8", body: "a: [1]\nb:\n- c" }, { a: [1], b: ["c"] }],
  [{ contentType: "text/yaml", body: "" }, null],
  [{ contentType: "application/yaml", body: "[" }, /^Cannot read the answer as YAML: /],
  [
    { contentType: "application/yaml", body: `- &a ${"x".repeat(1_000_000)}\n${"- *a\n".repeat(1_000)}` },
    /^Cannot read the answer as YAML: .* expand to more than 16777216 characters/,
  ],
  [
    { code: 404, body: "no such page" },
    /^Cannot GET "http:\/\/h": the server answered 404 Not Found: no such page$/,
  ],
  [{ code: 500, body: "" }, /^Cannot GET "http:\/\/h": the server answered 500 Internal Server Error$/],
];

for (const [reply, expected] of REPLIES) {
  Deno.test(`http() of ${JSON.stringify(reply)}`, async () => {
    const answer = render("{{ http('http://h') }}", fakeHttp(reply));
    if (!(expected instanceof RegExp)) return assertEquals(await answer, expected);
    const error = await assertRejects(() => answer, Error);
    assert(expected.test(partsOf(error.message).reason), error.message);
  });
}

Deno.test("http() does not repeat the password of its address in an error", async () => {
  const answer = render("{{ http('http://bot:p%40ss@h/a') }}", fakeHttp({ code: 401 }));
  const error = await assertRejects(() => answer, Error);
  assert(partsOf(error.message).reason.startsWith('Cannot GET "http://h/a": '), error.message);
});

Deno.test("http() is called once, whatever makes the render begin again", async () => {
  const { sent, http } = fakeHttp();
  const kvPair = () => Promise.resolve("v");
  const template =
    "{{ http('http://h', headers={'x-id': uuid()}) }} {{ kv('a') }} {{ http('http://h') }} {{ kv('b') }}";
  assertEquals(await render(template, { http, kvPair }), "done v done v");
  assertEquals(sent.length, 2);
});

/** A server that sends back what it gets. */
const ECHO: Partial<HostValues> = {
  http: {
    call: ({ uri, body }) => Promise.resolve({ code: 200, contentType: "text/plain", body: body ?? uri }),
  },
};

for (const value of ["uuid()", "ksuid()", "randomInt(0, 1000000)", "now()"]) {
  Deno.test(`http() sends the ${value} that the template prints`, async () => {
    const template = `{% set v = ${value} %}{{ http('u', 'POST', body=v ~ '') }} {{ v }}`;
    const [sent, printed] = String(await render(template, ECHO)).split(" ");
    assertEquals(sent, printed);
  });
}

Deno.test("each call of http() gets its own response, also after a random condition", async () => {
  const template =
    "{% if randomInt(0, 1) == 0 %}{{ http('http://h/first') }} {% endif %}{{ http('http://h/second') }}";
  assertEquals(await render(template, ECHO), "http://h/first http://h/second");
});

Deno.test("templates that are rendered in one run are repeated together", async () => {
  const calls = new HostCalls({ ...NO_VALUES, ...ECHO }, { tenant: "main", namespace: "demo" });
  const renderInput = createInputRenderer({ ...scopeDeps(), server: { envs: {} } });
  const { flow } = plan();
  const [id, sent] = await calls.run(() => {
    const id = renderInput(flow, { template: "{{ uuid() }} {{ now() }}", inputs: {}, host: calls });
    const template = "{{ http('u', 'POST', body=inputs.id) }}";
    return [id, renderInput(flow, { template, inputs: { id }, host: calls })];
  });
  assertEquals(sent, id);
});

Deno.test("a repeated render uses the shared values that it has read, also after they expire", async () => {
  let now = 0, reads = 0;
  const slow = (request: HttpCall) => {
    now += 1_000;
    calls.forget();
    return (ECHO.http as HttpPort).call(request);
  };
  const values = { ...NO_VALUES, http: { call: slow }, kvPair: () => Promise.resolve(`value ${++reads}`) };
  const calls = new HostCalls(values, { tenant: "main", namespace: "demo", now: () => now });
  const valueOf = async (template: string) => {
    const compiled = compileTemplate(template);
    return await calls.run(() => renderValue(compiled, scopeOf({}, { functions: calls.functions })));
  };
  assertEquals(await valueOf("{{ kv('a') }}"), "value 1");
  assertEquals(await valueOf("{{ http('u', 'POST', body=kv('a')) }}, {{ kv('a') }}"), "value 1, value 1");
});

Deno.test("a render that asks for very many values ends", async () => {
  const template = "{% for i in 1..1001 %}{{ kv(i) }}{% endfor %}";
  const error = await assertRejects(() => render(template, {}), Error);
  const { reason, statement } = partsOf(error.message);
  assertEquals(reason, "Cannot render: it asks for more than 1000 values from outside");
  assertEquals(statement, "{{ kv(i) }}");
});

Deno.test("a call with a random argument is made once", async () => {
  const keys: string[] = [];
  const kvPair: HostValues["kvPair"] = (_tenant, { key }) => {
    keys.push(key);
    return Promise.resolve(key);
  };
  assertEquals([await render("{{ kv(uuid()) }}", { kvPair })], keys);
});

Deno.test("functions on executions say where they are known", async () => {
  for (
    const [template, name] of [["{{ errorLogs() }}", "errorLogs"], [
      "{{ tasksWithState('X') }}",
      "tasksWithState",
    ]]
  ) {
    const error = await assertRejects(() => Promise.resolve(render(template as string, {})), Error);
    const { reason, statement } = partsOf(error.message);
    assertEquals([reason, statement], [`Cannot call "${name}": it is known in executions only`, template]);
  }
});

Deno.test("KV pairs and secrets are read once a second at most, and afresh after forget()", async () => {
  let now = 0;
  let reads = 0;
  const values = { ...NO_VALUES, kvPair: () => Promise.resolve(++reads) };
  const calls = new HostCalls(values, { tenant: "main", namespace: "demo", now: () => now });
  const compiled = compileTemplate("{{ kv('a') }}");
  const scope = {
    variable: () => undefined,
    functions: calls.functions,
    now: 0,
    timeZone: "UTC",
    random: () => 0,
  };
  const read = () => calls.run(() => renderValue(compiled, scope));
  assertEquals([await read(), await read()], [1, 1]);
  now += 1_000;
  assertEquals([await read(), await read()], [2, 2]);
  calls.forget();
  assertEquals(await read(), 3);
});

Deno.test("a value whose read began before forget() does not serve later renders", async () => {
  const reads: PromiseWithResolvers<JsonValue>[] = [];
  const kvPair = () => {
    const read = Promise.withResolvers<JsonValue>();
    reads.push(read);
    return read.promise;
  };
  const calls = new HostCalls({ ...NO_VALUES, kvPair }, { tenant: "main", namespace: "demo" });
  const compiled = compileTemplate("{{ kv('a') }}");
  const read = async () =>
    await calls.run(() => renderValue(compiled, scopeOf({}, { functions: calls.functions })));
  const before = read();
  calls.forget();
  reads[0]?.resolve("old");
  assertEquals(await before, "old");
  const after = read();
  reads[1]?.resolve("new");
  assertEquals([await after, await read(), reads.length], ["new", "new", 2]);
});

Deno.test("a failed value is an error that no guard swallows, and it does not repeat a secret", async () => {
  const values = {
    secret: () => Promise.resolve("hunter2-hunter2"),
    kvPair: () => Promise.reject(new Error("Cannot reach hunter2-hunter2")),
  };
  const error = await assertRejects(() => render("{{ secret('S') }}{{ kv('a') ?? 'x' }}", values), Error);
  assertEquals(
    error.message,
    "Cannot reach **masked******* in the expression `{{ kv('a') ?? 'x' }}` at line 1",
  );
});

Deno.test("an error of a function names the line of its expression, and the innermost template", async () => {
  const kvPair = () => Promise.resolve("\n{{ kv('b', errorOnMissing='x', wrong=1) }}");
  const nested = await assertRejects(
    () => render("a\n{{ render(kv('a'), recursive=true) }}", { kvPair }),
    Error,
  );
  assertEquals(
    nested.message,
    'Unknown argument "wrong" of function "kv" in the expression ' +
      "`{{ kv('b', errorOnMissing='x', wrong=1) }}` at line 2",
  );
  const outer = await assertRejects(() => render("a\n\n{{ secret('S') }}", {}), Error);
  assertEquals(
    outer.message,
    "Cannot find secret for key 'S'. It does not exist in the namespace 'demo' in the expression `{{ secret('S') }}` at line 3",
  );
});

Deno.test("an error of a function that is cut does not end in a part of a secret", async () => {
  const secret = "hunter2-".repeat(20);
  const values = {
    secret: () => Promise.resolve(secret),
    kvPair: () => Promise.reject(new Error("x".repeat(995) + secret)),
  };
  const error = await assertRejects(() => render("{{ secret('S') }}{{ kv('a') }}", values), Error);
  assert(!error.message.includes("hunt"), error.message);
  assert(error.message.endsWith("… in the expression `{{ kv('a') }}` at line 1"), error.message);
});
