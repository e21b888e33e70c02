/** Bad input for executions: starts, inputs, labels, queries of executions and their logs. */
import { MAX_INPUT_VALUE_BYTES, MAX_WEBHOOK_BODY_BYTES } from "../../src/model/limits.ts";
import type { Harness } from "../support/harness.ts";
import { flowSource, type Refusal, testRefusals } from "./refusals.ts";
import { json, multipart } from "../support/flows/request_bodies.ts";

/** An id of the right form that no execution has. */
const UNKNOWN_ID = "AVbbQ08s000Ox85LEc8pG1";

const INPUTS = "inputs:\n" +
  ["count INT", "text STRING", "ratio FLOAT", "ok BOOL", "data JSON"].map((input) => {
    const [id, type] = input.split(" ");
    return `  - id: ${id}\n    type: ${type}\n    required: ${id === "count"}\n`;
  }).join("");

const START = "POST /executions/demo/hello";
const saved = (server: Harness) => server.save(flowSource("hello", INPUTS));

/** Values of inputs that are refused with 422. */
const VALUES:
  readonly (readonly [what: string, form: Readonly<Record<string, string>>, ...says: string[]])[] = [
    ["a missing input", {}, "Invalid input for `count`, missing required input"],
    ["an empty required input", { count: "" }, "Invalid input for `count`, missing required input"],
    [
      "an INT that is a word",
      { count: "many" },
      "Invalid input for `count`, Expected `INT` but received `many`",
    ],
    ["an INT with a fraction", { count: "1.5" }, "Invalid input for `count`, Expected `INT`"],
    ["an INT that is too large", { count: "9".repeat(30) }, "Invalid input for `count`", "64 bits"],
    ["a FLOAT that is a word", { count: "1", ratio: "x" }, "Invalid input for `ratio`, Expected `FLOAT`"],
    ["a BOOL that is neither", { count: "1", ok: "maybe" }, "Invalid input for `ok`, Expected `BOOL`"],
    ["malformed JSON", { count: "1", data: "{a" }, "Invalid input for `data`, Expected `JSON`"],
    [
      "an input that is too large",
      { count: "1", text: "x".repeat(MAX_INPUT_VALUE_BYTES + 1) },
      "Invalid input for `text`",
      `larger than ${MAX_INPUT_VALUE_BYTES} bytes`,
    ],
  ];

/** Bodies that are no forms. */
const BODIES: readonly (readonly [what: string, init: RequestInit, status: number, ...says: string[]])[] = [
  ["a JSON body", json({ count: 1 }), 415, '"application/json"', "multipart/form-data"],
  [
    "a form without boundary",
    { headers: { "content-type": "multipart/form-data" }, body: "--b" },
    422,
    "the multipart body is malformed: its content type names no boundary",
  ],
  [
    "a form that breaks off",
    { ...multipart(), body: "--b\r\nContent-Disp" },
    422,
    "the multipart body is malformed: it ends within the header of a part",
  ],
  [
    "a part without name",
    multipart("Content-Type: text/plain\r\n\r\nx"),
    422,
    "the multipart body is malformed",
  ],
  ["a part with nonsense as header", multipart("nonsense\r\n\r\nx"), 422, "the multipart body is malformed"],
];

/** Queries of a start that would succeed without them. */
const QUERIES: readonly (readonly [what: string, query: string, status: number, ...says: string[]])[] = [
  ["a label without value", "labels=env", 422, 'labels: "env" must be of the form "key:value"'],
  ["a label with an empty key", "labels=:prod", 422, 'labels: ":prod" must be of the form "key:value"'],
  ["a label with an empty value", "labels=env:", 422, 'labels: "env:" must be of the form "key:value"'],
  ["a label of the system", "labels=system.x:1", 422, "System labels", "offending label: system.x=1"],
  ["an unknown revision", "revision=9", 404, "hello", "has no revision 9"],
  ["a revision that is none", "revision=x", 400, '"revision" must be a whole number', 'received "x"'],
  ["an unknown kind", "kind=ODD", 400, '"kind" must be one of NORMAL, TEST, PLAYGROUND', 'received "ODD"'],
  ["a wait that is neither", "wait=long", 400, '"wait" must be "true" or "false"', 'received "long"'],
  [
    "a date that is none",
    "scheduleDate=soon",
    422,
    '"scheduleDate" must be a date-time with a zone',
    '"soon"',
  ],
];

/** Everything else: `[what, request, status, ...says]`. */
const OTHERS: readonly (readonly [what: string, request: string, status: number, ...says: string[]])[] = [
  ["an unknown flow", "POST /executions/demo/none", 404, 'flow "demo.none" does not exist'],
  ["an unknown namespace", "POST /executions/none/hello", 404, 'flow "none.hello" does not exist'],
  ["an id that is none", "GET /executions/none", 404, 'execution "none" does not exist'],
  ["an unknown execution", `GET /executions/${UNKNOWN_ID}`, 404, `execution "${UNKNOWN_ID}" does not exist`],
  ["an unknown execution", `DELETE /executions/${UNKNOWN_ID}`, 404, `execution "${UNKNOWN_ID}"`],
  ["an unknown execution", `DELETE /executions/${UNKNOWN_ID}/kill`, 404, `execution "${UNKNOWN_ID}"`],
  ["an unknown execution", `POST /executions/${UNKNOWN_ID}/actions/kill`, 404, `execution "${UNKNOWN_ID}"`],
  ["an unknown level", `GET /logs/${UNKNOWN_ID}?minLevel=LOUD`, 400, '"minLevel" must be one of', '"LOUD"'],
  ["a list without flow", "GET /executions?namespace=demo", 400, '"flowId" is missing'],
  ["an unknown state", "GET /executions/search?state=ODD", 400, '"state" must be one of', '"ODD"'],
  ["an unknown filter", "GET /executions/search?filters[x][EQUALS]=1", 400, '"x"', '"namespace"'],
  [
    "an operator that the field lacks",
    "GET /executions/search?filters[state][REGEX]=a",
    400,
    '"state" has no operator "REGEX"',
    '"EQUALS"',
  ],
  [
    "a date that is none",
    "GET /executions/search?startDate=soon",
    400,
    '"startDate" must be a date',
    '"soon"',
  ],
  ["a pattern that is none", "GET /executions/search?filters[flowId][REGEX]=(a", 400, '"(a" is no regular'],
  [
    "an unknown order",
    "GET /executions/search?sort=colour:asc",
    422,
    '"colour" must be one of id, namespace',
  ],
  [
    "a label that is none",
    "GET /executions/search?labels=env",
    400,
    '"labels" must be of the form "key:value"',
  ],
  ["page zero", "GET /executions/search?page=0", 422, '"page" must be a whole number from 1'],
];

const HOOK = "triggers:\n  - id: hook\n    type: io.svc.plugin.core.trigger.Webhook\n    key: k1\n";

testRefusals([
  ...VALUES.map(([what, form, ...says]): Refusal => ({
    what,
    request: START,
    init: { body: new URLSearchParams(form) },
    status: 422,
    says: ["Invalid entity: ", ...says],
    given: saved,
  })),
  ...BODIES.map(([what, init, status, ...says]): Refusal => ({
    what,
    request: START,
    init,
    status,
    says,
    given: saved,
  })),
  ...QUERIES.map(([what, query, status, ...says]): Refusal => ({
    what,
    request: `${START}?${query}`,
    init: { body: new URLSearchParams({ count: "1" }) },
    status,
    says,
    given: saved,
  })),
  ...OTHERS.map(([what, request, status, ...says]): Refusal => ({ what, request, status, says })),
  {
    what: "a disabled flow",
    request: "POST /executions/demo/off",
    status: 409,
    says: ["Illegal state: ", 'Cannot execute a disabled flow: "demo.off"'],
    given: (server) => server.save(flowSource("off", "disabled: true\n")),
  },
  {
    what: "a disabled flow",
    request: "GET /executions/webhook/demo/off/k1",
    status: 409,
    says: ["Illegal state: ", "Cannot execute a disabled flow"],
    given: (server) => server.save(flowSource("off", `disabled: true\n${HOOK}`)),
  },
  {
    what: "a body over the cap",
    request: "POST /executions/webhook/demo/hello/k1",
    init: { body: "x".repeat(MAX_WEBHOOK_BODY_BYTES + 1) },
    status: 413,
    says: [`larger than ${MAX_WEBHOOK_BODY_BYTES} bytes`],
    given: (server) => server.save(flowSource("hello", HOOK)),
  },
  {
    what: "a page that is fetched ahead",
    request: "GET /executions/webhook/demo/hello/k1",
    init: { headers: { "sec-purpose": "prefetch" } },
    status: 403,
    says: ["a webhook is not called ahead of time"],
    given: (server) => server.save(flowSource("hello", HOOK)),
  },
]);
