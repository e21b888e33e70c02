/** No request to any route returns 500: that status means a bug. */
import { assert, assertEquals } from "@std/assert";
import { type LogFields, Logger } from "../../src/base/log.ts";
import { FakeClock } from "../support/fakes/fake_clock.ts";
import { Harness } from "../support/harness.ts";
import { flowSource } from "./refusals.ts";
import { fillPath, PROTECTED_ROUTES, rawRequest } from "./route_list.ts";
import { multipart } from "../support/flows/request_bodies.ts";

const DEEP = "[".repeat(20_000);
const UNKNOWN_ID = "AVbbQ08s000Ox85LEc8pG1";

/** Texts for parameters of paths and queries, as on the wire. */
const TEXTS = [
  ...[
    "",
    "%",
    "%zz",
    "%00",
    "%ff",
    "%ED%A0%80",
    "..",
    "%2e%2e",
    "%5c",
    "__proto__",
    "constructor",
    "toString",
  ],
  ...[
    "hasOwnProperty",
    "null",
    "0",
    "-1",
    "1e309",
    "9".repeat(400),
    "a".repeat(5_000),
    "%F0%9F%98%80",
    "a%0d%0ab",
  ],
  ...["*", "(", "[", "{{", "'", '"', "hello", "demo", UNKNOWN_ID, "main", "search", "P1000000000000000000Y"],
];
/** Bodies with their content types. */
const BODIES: readonly (readonly [type: string | undefined, body: BodyInit | undefined])[] = [
  [undefined, undefined],
  ["application/json", ""],
  ["application/json", "null"],
  ["application/json", "[]"],
  ["application/json", "3"],
  [
    "application/json",
    '{"__proto__":{"a":1},"constructor":1,"id":{},"key":[],"keys":[1],"name":null,"value":{}}',
  ],
  [
    "application/json",
    '{"id":"\\u0000","name":"\\ud800","key":"\\ud800","value":"\\ud800","keys":["\\ud800"]}',
  ],
  ["application/json", DEEP],
  ["application/json", `{"a":${"9".repeat(2_000)}e99}`],
  ["application/x-yaml", DEEP],
  ["application/x-yaml", "id: [a\n"],
  ["application/x-yaml", "id: null\nnamespace: 3\ntasks: {a: b}\ninputs: x\ntriggers: 1\nlabels: [1]\n"],
  [
    "application/x-yaml",
    "tasks: [null, 1, [], {}]\ninputs: [null]\ntriggers: [null]\noutputs: [null]\nlabels: [null]",
  ],
  ["application/x-yaml", flowSource("hello", "", "{{ '\ud83d' }}")],
  ["text/plain", "\u0000"],
  ["application/octet-stream", new Uint8Array([0xff, 0xfe, 0])],
  ["multipart/form-data", "--b"],
  ["multipart/form-data; boundary=b", "--b--"],
  ["multipart/form-data; boundary=b", "--b\r\n\r\n\r\n--b--\r\n"],
  [
    "multipart/form-data; boundary=b",
    String(multipart('Content-Disposition: form-data; name="\r\n\r\nx').body),
  ],
  ["application/x-www-form-urlencoded", "%=%&&==&a"],
  ["nonsense;;;=", "x"],
];
const HEADERS: readonly Readonly<Record<string, string>>[] = [
  { "if-match": '"999999999999999999999"', ttl: "PT999999999999999999H", accept: "application/problem+json" },
  { authorization: "Basic \u00ff", "accept-encoding": "gzip;q=nonsense", "x-request-id": "a b" },
];
const QUERY_NAMES = [
  ...[
    "page",
    "size",
    "sort",
    "q",
    "path",
    "from",
    "to",
    "revision",
    "labels",
    "wait",
    "kind",
    "scheduleDate",
  ],
  ...[
    "namespace",
    "flowId",
    "state",
    "startDate",
    "endDate",
    "timeRange",
    "minLevel",
    "attempt",
    "allowDeleted",
  ],
  ...[
    "filters[q][EQUALS]",
    "filters[namespace][REGEX]",
    "filters[labels][EQUALS][a]",
    "filters[or][0][q][EQUALS]",
  ],
  ...["filters[", "filters[][]", "filters[or][x][y][z]"],
];

/** A small generator with a seed, so that a failure can be had again. */
function chanceFrom(seed: number): <T>(list: readonly T[]) => T {
  let state = seed;
  return <T>(list: readonly T[]) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return list[(state >>> 8) % list.length] as T;
  };
}

async function startServer(failures: LogFields[]): Promise<Harness> {
  const write = (line: string) => {
    const fields = JSON.parse(line);
    if (fields.level === "error" || /failed|broke/i.test(String(fields.message))) failures.push(fields);
  };
  const clock = new FakeClock();
  const logger = new Logger({ level: "error", format: "json", clock, write });
  const server = await Harness.start({ logger, maxUploadBytes: 100_000 }, undefined, clock);
  await server.save(flowSource());
  return server;
}

/** Responses that never end are cancelled at once. */
function isStream(path: string): boolean {
  return /\/follow(-dependencies)?$/.test(path);
}

for (const seed of [1, 2, 3, 4]) {
  Deno.test(`no route returns 500, whatever it is sent (seed ${seed})`, async () => {
    const failures: LogFields[] = [];
    await using server = await startServer(failures);
    const pick = chanceFrom(seed);
    const statuses = new Set<number>();
    for (const { method, path } of PROTECTED_ROUTES.filter(({ path }) => !isStream(path))) {
      for (let round = 0; round < 25; round++) {
        const filled = path.replace(
          /:(\w+)(?:\{[^}]*\})?\??/g,
          (_, name) => name === "tenant" ? "main" : pick(TEXTS),
        );
        const query = [pick(QUERY_NAMES), pick(QUERY_NAMES)].map((name) => `${name}=${pick(TEXTS)}`).join(
          "&",
        );
        const [type, body] = pick(BODIES);
        const isBodyless = method === "GET";
        const headers = { ...pick(HEADERS), ...(type && !isBodyless && { "content-type": type }) };
        const target = `${round === 0 ? fillPath(path) : filled}?${query}`;
        const response = await server.assembly.fetch(
          withBody(rawRequest(method, target, headers), isBodyless ? undefined : body),
        );
        await response.body?.cancel();
        statuses.add(response.status);
        assert(
          response.status < 500,
          `${response.status} ${method} ${target.slice(0, 300)} ${type} ${String(body).slice(0, 100)}\n${
            JSON.stringify(failures)
          }`,
        );
      }
    }
    assertEquals([...failures], []);
    assert(statuses.size > 5, [...statuses].join(" "));
  });
}

/** The request with a body; the URL on the wire is kept. */
function withBody(request: Request, body: BodyInit | undefined): Request {
  if (body === undefined) return request;
  const whole = new Request("http://127.0.0.1:8080/", {
    method: request.method,
    headers: request.headers,
    body,
  });
  Object.defineProperty(whole, "url", { value: request.url });
  return whole;
}
