/** HTTP tasks and `http()` within flows. */
import { assertEquals, assertMatch } from "@std/assert";
import { type ExecutionResponse, Harness, type HarnessOptions } from "../support/harness.ts";
import { until } from "../support/processes/machine_processes.ts";
import { answer, type Behaviour, MisbehavingServer } from "../support/servers/misbehaving_server.ts";

const JSON_TYPE = { "Content-Type": "application/json" };

/** Responses of the test server. */
const SERVER: Behaviour = ({ head, body }) => {
  const [method, path = ""] = head.split(" ");
  if (path.startsWith("/status/")) return answer(Number(path.slice(8)), '{ "hello": "world" }', JSON_TYPE);
  if (path === "/latin") return answer(200, "", { "Content-Type": "text/plain; charset=iso-8859-1" });
  if (path === "/empty") return answer(204, "");
  if (path === "/large") return answer(200, "x".repeat(2_000));
  if (path === "/huge") return answer(200, "x".repeat(65 * 1024 * 1024));
  if (path === "/file.csv") return answer(200, "a,b\n1,2\n");
  if (path === "/named") {
    return answer(200, "data", { "Content-Disposition": 'attachment; filename="../../re port.txt"' });
  }
  if (path === "/bare") {
    return answer(200, "data", { "Content-Disposition": "attachment; filename= file na-me.jpg ; size=4" });
  }
  if (path === "/coded") {
    return answer(200, "data", {
      "Content-Disposition": "attachment; filename=a.txt; filename*=UTF-8''%ff.txt",
    });
  }
  const type = /^content-type: (.*?)\r?$/im.exec(head)?.[1] ?? "none";
  return answer(200, JSON.stringify({ method, path, type, body }), JSON_TYPE);
};

/** An ended execution with its log. */
interface Ended {
  readonly execution: ExecutionResponse;
  readonly logs: readonly { readonly level: string; readonly message: string }[];
  readonly metrics: readonly { readonly name: string; readonly tags?: object }[];
}

async function run(
  tasks: string,
  { files = {}, options = {} }: {
    readonly files?: Record<string, string>;
    readonly options?: HarnessOptions;
  } = {},
): Promise<Ended & { readonly server: MisbehavingServer }> {
  await using server = new MisbehavingServer(SERVER);
  await using app = await Harness.start(options);
  for (const [path, content] of Object.entries(files)) {
    const form = new FormData();
    form.set("fileContent", new Blob([content]), path);
    await app.json("POST", `/namespaces/demo/files?path=/${path}`, { body: form });
  }
  const text = tasks.replaceAll("SERVER", server.url).replaceAll("HOST", new URL(server.url).host);
  await app.save(`id: h\nnamespace: demo\ntasks:\n${text}`);
  const { id } = await app.start("h", {}, "?wait=true");
  const logs = await app.json("GET", `/logs/${id}`) as unknown as Ended["logs"];
  const { results: metrics } = await app.json("GET", `/metrics/${id}`) as unknown as {
    results: Ended["metrics"];
  };
  return { execution: await app.execution(id), logs, metrics, server };
}

function outputOf({ execution }: Ended, taskId = "r"): Readonly<Record<string, unknown>> {
  return execution.taskRunList.find((taskRun) => taskRun.taskId === taskId)?.outputs ?? {};
}

function request(properties: string): string {
  return `- {id: r, type: io.kestra.plugin.core.http.Request, ${properties}}`;
}

interface SentCase {
  readonly properties: string;
  /** Method, path, content type and body. */
  readonly expected: readonly [string, string, string, string];
}

const SENT: readonly SentCase[] = [
  { properties: "uri: SERVER/a", expected: ["GET", "/a", "none", ""] },
  { properties: "uri: SERVER/a b, method: delete", expected: ["DELETE", "/a%20b", "none", ""] },
  { properties: "uri: SERVER/a, contentType: text/x", expected: ["GET", "/a", "text/x", ""] },
  {
    properties: "uri: 'SERVER/a?x=1#f', params: {y: [1, 'b c'], z: null}",
    expected: ["GET", "/a?x=1&y=1&y=b+c", "none", ""],
  },
  {
    properties: "uri: SERVER/a, method: POST, body: '{}'",
    expected: ["POST", "/a", "application/json", "{}"],
  },
  {
    properties: "uri: SERVER/a, method: POST, body: x, contentType: text/plain",
    expected: ["POST", "/a", "text/plain", "x"],
  },
  {
    properties: "uri: SERVER/a, method: POST, body: '{{ flow.id }}'",
    expected: ["POST", "/a", "application/json", "h"],
  },
  {
    properties: "uri: SERVER/a, method: POST, body: {id: '{{ flow.id }}', list: [1, null]}",
    expected: ["POST", "/a", "application/json", '{"id":"h","list":[1,null]}'],
  },
  {
    properties: "uri: SERVER/a, method: POST, body: x, headers: {Content-Type: text/mine}",
    expected: ["POST", "/a", "text/mine", "x"],
  },
  {
    properties: "uri: SERVER/a, method: POST, formData: {a: 'x&y', b: [1, 2], c: null}",
    expected: ["POST", "/a", "application/x-www-form-urlencoded; charset=UTF-8", "a=x%26y&b=1&b=2"],
  },
  {
    properties: `uri: SERVER/a, params: "{{ {'y': [1, 2]} }}"`,
    expected: ["GET", "/a?y=1&y=2", "none", ""],
  },
  {
    properties: `uri: SERVER/a, method: POST, body: x, headers: "{{ {'Content-Type': 'text/mine'} }}"`,
    expected: ["POST", "/a", "text/mine", "x"],
  },
  {
    properties: `uri: SERVER/a, method: POST, formData: "{{ {'a': 'x'} }}", headers: "{{ '' }}"`,
    expected: ["POST", "/a", "application/x-www-form-urlencoded; charset=UTF-8", "a=x"],
  },
];

for (const { properties, expected } of SENT) {
  Deno.test(`http.Request sends ${properties}`, async () => {
    const { execution, ...rest } = await run(request(properties));
    assertEquals(execution.state.current, "SUCCESS");
    const { method, path, type, body } = JSON.parse(String(outputOf({ execution, ...rest }).body));
    assertEquals([method, path, type, body], [...expected]);
  });
}

Deno.test("http.Request returns URI, code, headers as lists, and the body", async () => {
  const ended = await run(request("uri: SERVER/status/201"));
  const { uri, code, headers, body } = outputOf(ended);
  assertEquals(uri, `${ended.server.url}/status/201`);
  assertEquals([code, body], [201, '{ "hello": "world" }']);
  assertEquals(headers, { "Content-Type": ["application/json"], "content-length": ["20"] });
});

Deno.test("http.Request sends a multipart form with texts and stored files", async () => {
  const ended = await run(
    request(
      "uri: SERVER/a, method: POST, contentType: multipart/form-data, formData: " +
        "{t: text, f: \"{{ fileURI('a.txt') }}\", n: {name: 'q\"x.csv', content: 'a,b', contentType: text/csv}}",
    ),
    { files: { "a.txt": "stored" } },
  );
  assertEquals(ended.execution.state.current, "SUCCESS");
  const { type, body } = JSON.parse(String(outputOf(ended).body));
  const boundary = type.replace("multipart/form-data; boundary=", "");
  assertEquals(body.replaceAll(boundary, "B").split("\r\n"), [
    "--B",
    'Content-Disposition: form-data; name="t"',
    "Content-Type: text/plain; charset=UTF-8",
    "",
    "text",
    "--B",
    'Content-Disposition: form-data; name="f"; filename="a.txt"',
    "Content-Type: application/octet-stream",
    "",
    "stored",
    "--B",
    'Content-Disposition: form-data; name="n"; filename="q%22x.csv"',
    "Content-Type: text/csv",
    "",
    "a,b",
    "--B--",
    "",
  ]);
});

/** Fields of a multipart form, and the names and values of its parts. */
const PARTS: readonly (readonly [fields: string, parts: readonly string[]])[] = [
  ["{l: [1, 2, {a: b}], m: {k: [x]}, e: []}", ['l=[1,2,{"a":"b"}]', 'm={"k":["x"]}', "e=[]"]],
  ["{f: ['kestra:///demo/_files/a.txt', {name: n.csv, content: x}, y]}", ["f=stored", "f=x", "f=y"]],
  ["{n: 1, t: '[1, 2]', z: null}", ["n=1", "t=[1, 2]"]],
];

for (const [fields, parts] of PARTS) {
  Deno.test(`http.Request with the multipart form ${fields} sends ${parts.join(" ")}`, async () => {
    const ended = await run(
      request(`uri: SERVER/a, method: POST, contentType: multipart/form-data, formData: ${fields}`),
      { files: { "a.txt": "stored" } },
    );
    const sent = String(JSON.parse(String(outputOf(ended).body)).body);
    const found = [...sent.matchAll(/ name="(\w+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)];
    assertEquals(found.map(([, name, value]) => `${name}=${value}`), [...parts]);
  });
}

const FAILED =
  /^Cannot GET "http:\/\/127\.0\.0\.1:\d+\/status\/417": the server answered 417 Expectation Failed: \{ "hello": "world" \}$/;

interface OutcomeCase {
  readonly properties: string;
  readonly state: string;
  readonly message?: RegExp;
}

const OUTCOMES: readonly OutcomeCase[] = [
  { properties: "uri: SERVER/status/417", state: "FAILED", message: FAILED },
  { properties: "uri: SERVER/status/417, allowFailed: true", state: "SUCCESS" },
  { properties: "uri: SERVER/status/417, options: {allowFailed: true}", state: "SUCCESS" },
  { properties: "uri: SERVER/status/417, options: {allowedResponseCodes: [404, 417]}", state: "SUCCESS" },
  {
    properties: "uri: SERVER/status/500, options: {allowedResponseCodes: [404]}",
    state: "FAILED",
    message: /\/status\/500": the server answered 500 Internal Server Error: /,
  },
  {
    properties: "uri: SERVER/status/599",
    state: "FAILED",
    message: /\/status\/599": the server answered 599: /,
  },
  {
    properties: "uri: SERVER/status/417, options: {allowedResponseCodes: '{{ [404, 417] }}'}",
    state: "SUCCESS",
  },
  {
    properties: `uri: SERVER/status/417, options: "{{ {'allowedResponseCodes': [417]} }}"`,
    state: "SUCCESS",
  },
  {
    properties: "uri: SERVER/a, method: POST, body: ł, contentType: 'text/plain; charset=latin1'",
    state: "FAILED",
    message: /^Cannot send the body as "latin1": it has characters that are not in it; use UTF-8$/,
  },
  {
    properties: "uri: SERVER/a, method: POST, body: a, contentType: 'text/plain; charset=UTF-16'",
    state: "FAILED",
    message: /^Cannot send the body as "UTF-16": it has characters that are not in it; use UTF-8$/,
  },
  {
    properties: "uri: SERVER/a, headers: '{{ flow.id }}'",
    state: "FAILED",
    message: /^Invalid headers: it must be a map$/,
  },
  {
    properties: "uri: SERVER/a, options: {auth: '{{ flow.id }}'}",
    state: "FAILED",
    message: /^Invalid auth: it must be a map$/,
  },
  {
    properties: "uri: SERVER/large, options: {maxContentLength: 1999}",
    state: "FAILED",
    message: /larger than 1999 bytes$/,
  },
  { properties: "uri: SERVER/large, options: {maxContentLength: 2000}", state: "SUCCESS" },
  {
    properties: "uri: SERVER/huge, options: {maxContentLength: 1000000000000}",
    state: "FAILED",
    message: /larger than 67108864 bytes$/,
  },
  {
    properties: "uri: 'ftp://a/b'",
    state: "FAILED",
    message: /^Invalid uri "ftp:\/\/a\/b": it must be an address that begins with http/,
  },
  { properties: "uri: '{{ flow.id }}'", state: "FAILED", message: /^Invalid uri "h"/ },
  { properties: "uri: SERVER/a, method: 'G T'", state: "FAILED", message: /"G T" is not a method$/ },
  { properties: "uri: 'http://169.254.169.254/'", state: "FAILED", message: /may not be reached from here/ },
  {
    properties:
      "uri: SERVER/a, formData: {f: 'kestra:///demo/_files/no.txt'}, contentType: multipart/form-data, method: POST",
    state: "FAILED",
    message: /there is no such file$/,
  },
];

for (const { properties, state, message = /^$/ } of OUTCOMES) {
  Deno.test(`http.Request of ${properties} ends ${state}`, async () => {
    const { execution, logs } = await run(request(properties));
    assertEquals(execution.state.current, state);
    const [error] = logs.filter(({ level }) => level === "ERROR");
    if (message.source !== "^$") assertMatch(error?.message ?? "", message);
  });
}

Deno.test("http.Request with encryptBody encrypts the body, and expressions read it", async () => {
  const read = "{{ outputs.r.encryptedBody }}";
  const ended = await run(
    `${request("uri: SERVER/status/200, encryptBody: true")}
- {id: v, type: io.kestra.plugin.core.debug.Return, format: "${read}"}`,
  );
  assertEquals(outputOf(ended, "v").value, '{ "hello": "world" }');
  const outputs = outputOf(ended);
  assertEquals(outputs.body, undefined);
  assertEquals((outputs.encryptedBody as { type: string }).type, "io.kestra.datatype:aes_encrypted");
});

Deno.test("http.Request logs the parts of its options, without credentials", async () => {
  const options = "{logs: [REQUEST_HEADERS, RESPONSE_BODY]}";
  const { logs } = await run(
    request(`uri: SERVER/status/200, headers: {Authorization: x, A: b}, options: ${options}`),
  );
  assertEquals(logs.map(({ message }) => message), [
    "Request headers: Authorization: ***, A: b",
    'Response body: { "hello": "world" }',
  ]);
});

/** Tasks, and the tags of the metric `response.length`. */
const TAGS: readonly (readonly [task: string, tags: object])[] = [
  [request("uri: SERVER/status/201, method: post"), { "request.method": "POST", "response.code": "201" }],
  [download("uri: SERVER/file.csv"), { "request.method": "GET" }],
];

for (const [task, tags] of TAGS) {
  Deno.test(`${/core\.\S+(?=,)/.exec(task)?.[0]} reports the length of the response with ${JSON.stringify(tags)}`, async () => {
    const { metrics } = await run(task);
    assertEquals(metrics.map(({ name, tags }) => ({ name, tags })), [{ name: "response.length", tags }]);
  });
}

/** Content types as a property or a header, and the size of the body `éa` in their character set. */
const CHARSETS: readonly (readonly [member: string, bytes: number])[] = [
  ["contentType: text/plain; charset=ISO-8859-1", 2],
  ["contentType: text/plain; charset=UTF-8", 3],
  ["headers: {Content-Type: text/plain; charset=ISO-8859-1}", 2],
  ["contentType: text/plain; charset=UTF-8, headers: {content-type: text/csv; charset=windows-1252}", 2],
  ["contentType: text/plain; charset=latin1, headers: {content-type: text/csv}", 3],
];

for (const [member, bytes] of CHARSETS) {
  Deno.test(`http.Request with ${member} sends the body in the character set of its content type`, async () => {
    const { server } = await run(request(`uri: SERVER/a, method: POST, body: éa, ${member}`));
    assertMatch(server.requests[0]?.head ?? "", new RegExp(`^content-length: ${bytes}\r?$`, "im"));
  });
}

Deno.test("http.Request sends credentials that an expression gives", async () => {
  const auth = "{{ {'type': 'BEARER', 'token': 't'} }}";
  const { server } = await run(request(`uri: SERVER/a, options: {auth: "${auth}"}`));
  assertMatch(server.requests[0]?.head ?? "", /^Authorization: Bearer t\r?$/m);
});

Deno.test("http.Request stops at a kill", async () => {
  const silent = Promise.withResolvers<void>();
  const received = Promise.withResolvers<void>();
  await using server = new MisbehavingServer(() => (received.resolve(), silent.promise));
  await using app = await Harness.start();
  await app.save(`id: h\nnamespace: demo\ntasks:\n${request(`uri: "${server.url}"`)}`);
  const { id } = await app.start("h");
  await received.promise;
  await app.json("DELETE", `/executions/${id}/kill`);
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  silent.resolve();
});

function download(properties: string): string {
  return `- {id: r, type: io.kestra.plugin.core.http.Download, ${properties}}`;
}

const READ = "\n- {id: v, type: io.kestra.plugin.core.debug.Return, format: '{{ read(outputs.r.uri) }}'}";

Deno.test("http.Download stores the response as a file with the extension of its URI", async () => {
  const ended = await run(download("uri: SERVER/file.csv") + READ);
  const { uri, code, length } = outputOf(ended);
  assertEquals([code, length, outputOf(ended, "v").value], [200, 8, "a,b\n1,2\n"]);
  assertMatch(String(uri), /^kestra:\/\/\/demo\/h\/executions\/\w+\/tasks\/r\/\w+\/\w+\.csv$/);
});

const NAMES: readonly (readonly [properties: string, ending: RegExp])[] = [
  ["uri: SERVER/named", /-re_port\.txt$/],
  ["uri: SERVER/bare", /-file_na-me\.jpg$/],
  ["uri: SERVER/a.tar.gz", /\/\w{22}\.tar\.gz$/],
  ["uri: 'SERVER/v1.2/a-1.0.b_c%20(2).2024-01.csv?x=a.b'", /\/\w{22}\.2024-01\.csv$/],
  ["uri: SERVER/v1.2/a", /\/\w{22}$/],
  ["uri: SERVER/coded", /-a\.txt$/],
  ["uri: SERVER/named, saveAs: my.bin", /-my\.bin$/],
  ["uri: SERVER/a, saveAs: ../../x/y.bin", /-y\.bin$/],
];

for (const [properties, ending] of NAMES) {
  Deno.test(`http.Download names the file of ${properties}`, async () => {
    assertMatch(String(outputOf(await run(download(properties))).uri), ending);
  });
}

const DOWNLOADS: readonly OutcomeCase[] = [
  {
    properties: "uri: SERVER/empty",
    state: "FAILED",
    message: /^No response from server: .* is empty; set `failOnEmptyResponse` to false/,
  },
  { properties: "uri: SERVER/empty, failOnEmptyResponse: false", state: "SUCCESS" },
  {
    properties: "uri: SERVER/large, options: {maxContentLength: 1999}",
    state: "FAILED",
    message: /larger than 1999 bytes$/,
  },
  { properties: "uri: SERVER/status/417", state: "FAILED", message: FAILED },
  { properties: "uri: SERVER/status/417, allowFailed: true", state: "SUCCESS" },
];

for (const { properties, state, message = /^$/ } of DOWNLOADS) {
  Deno.test(`http.Download of ${properties} ends ${state}`, async () => {
    const { execution, logs } = await run(download(properties));
    assertEquals(execution.state.current, state);
    const [error] = logs.filter(({ level }) => level === "ERROR");
    if (message.source !== "^$") assertMatch(error?.message ?? "", message);
  });
}

const PASSWORD = "geheim%20wort";

/** A task whose address has a password. */
const WITH_PASSWORD: readonly string[] = [
  request(`uri: "http://ann:${PASSWORD}@127.0.0.1:99999/a"`),
  request(`uri: "ann:${PASSWORD}@127.0.0.1"`),
  `- {id: a, type: io.kestra.plugin.core.output.OutputValues, values: {at: "http://ann:${PASSWORD}@127.0.0.1:99999/"}}
- {id: r, type: io.kestra.plugin.core.debug.Return, format: "{{ http(outputs.a.values.at) }}"}`,
  download(`uri: "http://ann:${PASSWORD}@HOST/empty"`),
  download(`uri: "http://ann:${PASSWORD}@HOST/empty", failOnEmptyResponse: false`),
];

for (const task of WITH_PASSWORD) {
  Deno.test(`no log line repeats the password of the address of ${task}`, async () => {
    const { logs } = await run(task);
    const text = logs.map(({ message }) => message).join("\n");
    assertMatch(text, /127\.0\.0\.1/);
    assertEquals(text.includes("geheim"), false, text);
  });
}

Deno.test("the outputs of http.Request do not repeat the password of its address", async () => {
  const ended = await run(request(`uri: "http://ann:${PASSWORD}@HOST/status/200"`));
  assertEquals(outputOf(ended).uri, `${ended.server.url}/status/200`);
  assertEquals(JSON.stringify(ended.execution).includes("geheim"), false);
});

Deno.test("http() of expressions returns a parsed response", async () => {
  const format =
    "{{ http('SERVER/status/200').hello }} {{ http('SERVER/x', method='POST', body={'a': 1}).body }}";
  const ended = await run(`- {id: r, type: io.kestra.plugin.core.debug.Return, format: "${format}"}`);
  assertEquals(outputOf(ended).value, 'world {"a":1}');
});
