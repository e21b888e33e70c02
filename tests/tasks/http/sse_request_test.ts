/** `core.http.SseRequest` within flows. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness } from "../../support/harness.ts";
import {
  answer,
  type Behaviour,
  MisbehavingServer,
  writeAll,
} from "../../support/servers/misbehaving_server.ts";

const STREAM_TYPE = { "Content-Type": "text/event-stream" };
const EVENTS = `: start

id: 7
event: tick
retry: 1500
data: {"message": "Hel", "n": 1}

data: {"message": "lo"}

data: [DONE]

`;

const SERVER: Behaviour = async ({ head }, connection) => {
  const path = head.split(" ")[1] ?? "";
  if (path === "/events") return answer(200, EVENTS, STREAM_TYPE);
  if (path === "/page") return answer(200, "<p>data: a</p>", { "Content-Type": "text/html" });
  if (path === "/refused") return answer(503, "busy");
  if (path === "/many") return answer(200, "data: null\n\n".repeat(100_001), STREAM_TYPE);
  if (path === "/large") return answer(200, `data: ${"x".repeat(2_000)}\n\n`, STREAM_TYPE);
  if (path === "/long") {
    const event = `data: {"n": 1, "filler": "${"x".repeat(1024 * 1024)}"}\n\n`;
    return answer(200, event.repeat(65), STREAM_TYPE);
  }
  // A stream that the server never ends.
  await writeAll(
    connection,
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\ndata: 2\n\n",
  );
  await connection.read(new Uint8Array(1)).catch(() => {});
};

interface Ended {
  readonly state: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  readonly head: string;
  readonly metrics: readonly string[];
}

async function run(properties: string): Promise<Ended> {
  await using server = new MisbehavingServer(SERVER);
  await using app = await Harness.start();
  const text = properties.replaceAll("SERVER", server.url).replaceAll("HOST", new URL(server.url).host);
  await app.save(
    `id: h\nnamespace: demo\ntasks:\n  - {id: r, type: io.kestra.plugin.core.http.SseRequest, ${text}}\n`,
  );
  const { id } = await app.start("h", {}, "?wait=true");
  const execution = await app.execution(String(id));
  const logs = await app.json("GET", `/logs/${id}`) as { level: string; message: string }[];
  const { results } = await app.json("GET", `/metrics/${id}`) as unknown as {
    results: { name: string; value: unknown }[];
  };
  return {
    state: execution.state.current,
    outputs: execution.taskRunList[0]?.outputs ?? {},
    lines: logs.map(({ level, message }) => `${level} ${message.replaceAll(server.url, "SERVER")}`),
    head: server.requests[0]?.head ?? "",
    metrics: results.map(({ name, value }) => `${name} ${value}`),
  };
}

Deno.test("SseRequest gives the events, with JSON data as values", async () => {
  const { state, outputs, head, metrics, lines } = await run("uri: SERVER/events");
  assertEquals([state, lines], ["SUCCESS", []]);
  assertEquals(outputs.events, [
    { data: { message: "Hel", n: 1 }, id: "7", name: "tick", retry: "PT1.5S" },
    { data: { message: "lo" } },
    { data: "[DONE]" },
  ]);
  assertEquals([outputs.size, outputs.result, metrics], [3, undefined, ["size 3.0"]]);
  assertMatch(head, /^accept: text\/event-stream\r?$/im);
});

Deno.test("the outputs of SseRequest do not repeat the password of its address", async () => {
  const { state, outputs } = await run("uri: 'http://ann:secret@HOST/events'");
  assertEquals([state, /\/\/(127\.0\.0\.1|localhost):\d+\/events$/.test(String(outputs.uri))], [
    "SUCCESS",
    true,
  ]);
});

Deno.test("SseRequest keeps an Accept header of the flow", async () => {
  const { head } = await run("uri: SERVER/events, headers: {accept: '*/*'}");
  assertEquals(head.match(/^accept: .*$/gim)?.map((line) => line.trim()), ["accept: */*"]);
});

Deno.test("SseRequest closes the connection after maxEvents", async () => {
  const { state, outputs } = await run("uri: SERVER/endless, maxEvents: 2");
  assertEquals([state, outputs.size, outputs.events], ["SUCCESS", 2, [{ data: 1 }, { data: 2 }]]);
});

Deno.test("SseRequest reads JSON null as null", async () => {
  const { outputs } = await run("uri: SERVER/many, maxEvents: 1");
  assertEquals(outputs.events, [{ data: null }]);
});

interface ConcatCase {
  readonly properties: string;
  readonly state: string;
  readonly result?: string;
  readonly lines?: readonly string[];
}

const CONCATENATED: readonly ConcatCase[] = [
  { properties: 'concatJqExpression: ".data.message", maxEvents: 2', state: "SUCCESS", result: "Hello" },
  {
    properties: 'concatJqExpression: ".data.message?", failedOnMissingJq: false',
    state: "SUCCESS",
    result: "Hello",
    lines: ['DEBUG Cannot read the value of "concatJqExpression" from event 2: it has none; it is skipped'],
  },
  {
    properties: 'concatJqExpression: ".data.n"',
    state: "FAILED",
    lines: ['ERROR Cannot read the value of "concatJqExpression" from event 1: it has none'],
  },
  {
    properties: 'concatJqExpression: ".data", maxEvents: 1',
    state: "FAILED",
    lines: [
      'ERROR Cannot read the value of "concatJqExpression" from event 0: it is no text, number or boolean',
    ],
  },
  {
    properties: 'concatJqExpression: ".data.n, (.data.n > 0)", maxEvents: 1',
    state: "SUCCESS",
    result: "true",
  },
];

for (const { properties, state, result, lines } of CONCATENATED) {
  Deno.test(`SseRequest with ${properties} ends ${state}`, async () => {
    const ended = await run(`uri: SERVER/events, ${properties}`);
    assertEquals([ended.state, ended.outputs.result], [state, result]);
    if (state === "SUCCESS") assertEquals(ended.outputs.events, undefined);
    if (lines) assertEquals(ended.lines, lines);
  });
}

Deno.test("SseRequest reads a stream of any length where it keeps only what is taken from each event", async () => {
  const longer = await run('uri: SERVER/long, concatJqExpression: ".data.n"');
  assertEquals([longer.state, longer.outputs.result, longer.outputs.size], ["SUCCESS", "1".repeat(65), 65]);
  const given = await run(
    'uri: SERVER/long, concatJqExpression: ".data.n", options: {maxContentLength: 1000000000}',
  );
  assertEquals([given.state, given.outputs.size], ["SUCCESS", 65]);
});

const REFUSED: readonly (readonly [properties: string, state: string, line: RegExp])[] = [
  [
    "uri: SERVER/refused",
    "FAILED",
    /^ERROR Cannot GET "SERVER\/refused": the server answered 503 Service Unavailable: busy$/,
  ],
  ["uri: SERVER/large, options: {maxContentLength: 1000}", "FAILED", /^ERROR .*1000/],
  [
    "uri: SERVER/page",
    "SUCCESS",
    /^WARN The response of "SERVER\/page" is "text\/html", not "text\/event-stream"/,
  ],
  [
    "uri: SERVER/long",
    "FAILED",
    /^ERROR Cannot keep more than 67108864 characters of events; set `maxEvents`/,
  ],
  [
    'uri: SERVER/long, concatJqExpression: ".data.n", options: {maxContentLength: 1000000}',
    "FAILED",
    /^ERROR .* larger than 1000000 bytes/,
  ],
  ["uri: SERVER/events, maxEvents: '{{ 0 }}'", "FAILED", /^ERROR Invalid maxEvents "0"/],
];

for (const [properties, state, line] of REFUSED) {
  Deno.test(`SseRequest of ${properties} ends ${state} with a reason`, async () => {
    const ended = await run(properties);
    assertEquals(ended.state, state);
    assertMatch(ended.lines.join("\n"), line);
  });
}
