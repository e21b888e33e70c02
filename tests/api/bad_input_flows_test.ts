/** Bad input for flows: invalid sources and queries. */
import { MAX_FLOW_ID_LENGTH, MAX_FLOW_SOURCE_BYTES } from "../../src/model/limits.ts";
import type { Harness } from "../support/harness.ts";
import { flowSource, type Refusal, testRefusals } from "./refusals.ts";
import { json, yaml } from "../support/flows/request_bodies.ts";

const RETURN = "    type: io.svc.plugin.core.debug.Return\n";
const BOMB = ["a: &a [x,x,x,x,x,x,x,x,x,x]", "b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]"]
  .concat("c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]", "d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]").join("\n");

type SourceRow = readonly [what: string, source: string, ...says: string[]];

/** Sources that are refused with 422, whether they are to be created or to replace. */
const SOURCES: readonly SourceRow[] = [
  ["malformed YAML", "id: hello\nnamespace: [demo\ntasks: x", "Illegal flow yaml: ", "line 3, column 1"],
  ["wrong indentation", "id: hello\n  namespace: demo", "Illegal flow yaml: ", "line 1, column 5"],
  ["an empty document", "", "Illegal flow yaml: The document is empty"],
  ["a list", "- a", "Illegal flow yaml: The document must be an object at line 1, column 1"],
  ["a duplicate YAML key", flowSource("hello", "id: other\n"), "Duplicate field 'id' at line 3, column 1"],
  ["an alias bomb", BOMB, "Aliases expand to more than 100 values at line 2"],
  ["nesting without end", `a: ${"[".repeat(5_000)}`, "nested deeper than 100 levels at line 1"],
  [
    "two documents",
    `${flowSource()}---\n${flowSource("two")}`,
    "Only one document is allowed here at line 7",
  ],
  [
    "a YAML tag",
    flowSource("hello", "description: !!js/function 'f'\n"),
    "custom tags are not allowed at line 3",
  ],
  ["an unknown property", flowSource("hello", "colour: red\n"), 'colour: Unrecognized field "colour"'],
  [
    "a prototype as property",
    flowSource("hello", "__proto__: {a: b}\n"),
    '__proto__: Unrecognized field "__proto__"',
  ],
  [
    "a misspelt property of a task",
    flowSource().replace("format", "fromat"),
    'tasks[a].fromat: Unrecognized field "fromat", did you mean "format"',
  ],
  [
    "an unknown task type",
    flowSource().replace("Return", "Retrun"),
    "tasks[a].type: Invalid type: io.svc.plugin.core.debug.Retrun",
    'did you mean "io.svc.plugin.core.debug.Return"',
  ],
  [
    "a task type that the language has no more",
    flowSource().replace("debug.Return", "flow.Template"),
    'tasks[a].type: Type "io.svc.plugin.core.flow.Template" is not supported: the language has no templates any more',
    "save the tasks of the template as a flow and start it by a task of type core.flow.Subflow",
  ],
  ["a task without type", flowSource().replace(RETURN, ""), "tasks[a].type: must not be null"],
  ["duplicate task ids", `${flowSource()}  - id: a\n${RETURN}`, "Duplicate task id with name [a]"],
  [
    "duplicate input ids",
    flowSource("hello", "inputs:\n  - id: x\n    type: STRING\n  - id: x\n    type: INT\n"),
    "Duplicate input with name [x]",
  ],
  [
    "two triggers of one key",
    flowSource(
      "hello",
      `triggers:\n${
        ["t", "u"].map((id) => `  - id: ${id}\n    type: io.svc.plugin.core.trigger.Webhook\n    key: k1\n`)
          .join("")
      }`,
    ),
    "triggers[u].key: must differ from the key of triggers[0]",
  ],
  ["an id with a space", flowSource("hello world"), "id: must match", "^[a-zA-Z0-9][a-zA-Z0-9._-]*"],
  ["an over-long id", flowSource("x".repeat(MAX_FLOW_ID_LENGTH + 1)), "id: size must be between 1 and 100"],
  ["a missing id", "namespace: demo\ntasks: []\n", "id: must not be "],
  [
    "a namespace with upper case",
    flowSource().replace("demo", "Demo"),
    "namespace: must match",
    "^[a-z0-9][a-z0-9._-]*",
  ],
  ["a namespace with a slash", flowSource().replace("demo", "de/mo"), "namespace: must match"],
  ["a namespace that is a prototype", flowSource().replace("demo", "__proto__"), "namespace: must match"],
  ["no tasks", "id: hello\nnamespace: demo\n", "tasks: must not be empty"],
  ["an empty list of tasks", "id: hello\nnamespace: demo\ntasks: []\n", "tasks: must not be empty"],
  [
    "a label of the system",
    flowSource("hello", "labels:\n  system.x: y\n"),
    "labels.system.x: System labels",
  ],
  [
    "a label without value",
    flowSource("hello", "labels:\n  env: ''\n"),
    "labels.env: the value of a label must not be empty",
  ],
  [
    "an unknown input type",
    flowSource("hello", "inputs:\n  - id: x\n    type: STRNG\n"),
    'inputs[x].type: Invalid type: STRNG, did you mean "STRING"',
  ],
  [
    "a default of another type",
    flowSource("hello", "inputs:\n  - id: x\n    type: INT\n    defaults: many\n"),
    "inputs[x].defaults: Expected `INT` but received `many`",
  ],
  [
    "a webhook without key",
    flowSource("hello", "triggers:\n  - id: t\n    type: io.svc.plugin.core.trigger.Webhook\n"),
    "triggers[t].key: must not be null",
  ],
];

const saved = (server: Harness) => server.save(flowSource());
const tooLarge = `# ${"x".repeat(MAX_FLOW_SOURCE_BYTES)}`;

testRefusals([
  ...SOURCES.map(([what, source, ...says]): Refusal => ({
    what,
    request: "POST /flows",
    init: yaml(source),
    status: 422,
    says: ["Invalid entity: ", ...says],
  })),
  ...SOURCES.slice(0, 4).map(([what, source, ...says]): Refusal => ({
    what,
    request: "PUT /flows/demo/hello",
    init: yaml(source),
    status: 422,
    says: ["Invalid entity: ", ...says],
    given: saved,
  })),
  {
    what: "a body over the cap",
    request: "POST /flows",
    init: yaml(tooLarge),
    status: 413,
    says: [`larger than ${MAX_FLOW_SOURCE_BYTES} bytes`],
  },
  {
    what: "a wrong content type",
    request: "POST /flows",
    init: { headers: { "content-type": "application/xml" }, body: "<flow/>" },
    status: 415,
    says: ['"application/xml"', "application/x-yaml"],
  },
  {
    what: "malformed JSON",
    request: "POST /flows",
    init: json('{"id": "hello",'),
    status: 422,
    says: ["Illegal flow yaml: ", "line 1, column"],
  },
  {
    what: "a flow that exists",
    request: "POST /flows",
    init: yaml(flowSource()),
    status: 422,
    says: ["Flow id already exists"],
    given: saved,
  },
  {
    what: "another id",
    request: "PUT /flows/demo/hello",
    init: yaml(flowSource("other")),
    status: 422,
    says: ['Illegal flow id update from "hello" to "other"'],
    given: saved,
  },
  {
    what: "another namespace",
    request: "PUT /flows/demo/hello",
    init: yaml(flowSource().replace("demo", "other")),
    status: 422,
    says: ['Illegal namespace update from "demo" to "other"'],
    given: saved,
  },
  {
    what: "another id and another namespace",
    request: "PUT /flows/demo/hello",
    init: yaml(flowSource("other").replace("demo", "other")),
    status: 422,
    says: ["flow.id: Illegal flow id update", "flow.namespace: Illegal namespace update"],
    given: saved,
  },
  {
    what: "an unknown flow",
    request: "PUT /flows/demo/none",
    init: yaml(flowSource("none")),
    status: 404,
    says: ['flow "demo.none" does not exist'],
  },
  {
    what: "an If-Match of another revision",
    request: "PUT /flows/demo/hello",
    init: { ...yaml(flowSource()), headers: { "content-type": "application/x-yaml", "if-match": '"7"' } },
    status: 412,
    says: ['flow "hello"', "revision 7 was expected, but the latest is 1"],
    given: saved,
  },
  { what: "an unknown flow", request: "GET /flows/demo/none", status: 404, says: ['flow "demo.none"'] },
  {
    what: "an unknown revision",
    request: "GET /flows/demo/hello?revision=9",
    status: 404,
    says: ["hello", "has no revision 9"],
    given: saved,
  },
  {
    what: "a revision that is none",
    request: "GET /flows/demo/hello?revision=x",
    status: 400,
    says: ['"revision" must be a whole number from 1, but received "x"'],
    given: saved,
  },
  { what: "an unknown flow", request: "DELETE /flows/demo/none", status: 404, says: ['flow "demo.none"'] },
  {
    what: "an unknown flow",
    request: "GET /flows/demo/none/revisions",
    status: 404,
    says: ['flow "demo.none"'],
  },
  {
    what: "page zero",
    request: "GET /flows/search?page=0",
    status: 422,
    says: ['"page" must be a whole number from 1, but received "0"'],
  },
  {
    what: "a negative size",
    request: "GET /flows/search?size=-1",
    status: 422,
    says: ['"size" must be a whole number from 1, but received "-1"'],
  },
  {
    what: "an order without direction",
    request: "GET /flows/search?sort=id",
    status: 422,
    says: ["Invalid sort parameter", '"field:asc"'],
  },
  {
    what: "an unknown filter",
    request: "GET /flows/search?filters[colour][EQUALS]=red",
    status: 400,
    says: ['"colour"', '"namespace"'],
  },
  {
    what: "an unknown operator",
    request: "GET /flows/search?filters[namespace][LIKE]=a",
    status: 400,
    says: ['"namespace" has no operator "LIKE"', '"EQUALS"'],
  },
]);
