import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { readExecutionQuery } from "../../../src/http/filters/execution_filters.ts";
import { DomainError } from "../../../src/model/errors.ts";
import type { ExecutionCondition } from "../../../src/model/executions/execution_query.ts";

const NOW = Date.UTC(2026, 0, 15, 10, 30, 0);
const DATE = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const read = (query: string) => readExecutionQuery(new URLSearchParams(query), NOW);
const NOTHING: ExecutionCondition = { field: "state", states: [], negated: false };
const started = (at: number): ExecutionCondition => ({
  field: "startDate",
  operator: "GREATER_THAN_OR_EQUAL_TO",
  at,
});
const name = (operator: string, ...values: string[]) => ({ field: "namespace", operator, values });
const labels = (negated: boolean, ...pairs: string[]) => ({
  field: "labels",
  anyOf: pairs.map((pair) => ({ key: pair.split("=")[0], value: pair.split("=")[1] })),
  negated,
});

const CONDITIONS: [query: string, conditions: unknown[]][] = [
  ["", []],
  ["q=&namespace=&state=&labels=&unrelated=1&dateFilter=x", []],
  ["q=Hello, world.x_1", [{ field: "text", words: ["Hello", "world", "x", "1"], negated: false }]],
  ["q=*", []],
  ["filters[q][EQUALS]=a", [{ field: "text", words: ["a"], negated: false }]],
  ["filters[q][NOT_EQUALS]=a b", [{ field: "text", words: ["a", "b"], negated: true }]],
  ["filters[q][NOT_EQUALS]=*", [NOTHING]],
  ["scope=USER", [{ field: "scope", system: false }]],
  ["scope=SYSTEM", [{ field: "scope", system: true }]],
  ["scope=USER&scope=SYSTEM", []],
  ["filters[scope][EQUALS]=USER,SYSTEM", []],
  ["filters[scope][NOT_EQUALS]=SYSTEM", [{ field: "scope", system: false }]],
  ["namespace=a.b", [name("PREFIX", "a.b")]],
  ["filters[namespace][EQUALS]=a,b", [name("EQUALS", "a,b")]],
  ["filters[namespace][IN]=a, b", [name("IN", "a", "b")]],
  ["filters[namespace][IN]=[a,b]", [name("IN", "a", "b")]],
  ["filters[namespace][STARTS_WITH]=a&filters[namespace][ENDS_WITH]=b", [
    name("STARTS_WITH", "a"),
    name("ENDS_WITH", "b"),
  ]],
  ["filters[namespace][REGEX]=^a.*z$", [name("REGEX", "^a.*z$")]],
  ["flowId=f", [{ field: "flowId", operator: "EQUALS", values: ["f"] }]],
  ["filters[flowId][CONTAINS]=f", [{ field: "flowId", operator: "CONTAINS", values: ["f"] }]],
  ["startDate=2026-01-02T03:04:05.678Z", [started(DATE)]],
  ["startDate=2026-01-02T03:04:05.678999Z", [started(DATE)]],
  ["startDate=2026-01-02T04:04:05.678%2B01:00", [started(DATE)]],
  ["startDate=2026-01-02T04:04:05.678+01:00", [started(DATE)]],
  ["startDate=2026-01-02", [started(Date.UTC(2026, 0, 2))]],
  ["startDate=2026-01-02T03:04", [started(Date.UTC(2026, 0, 2, 3, 4))]],
  ["endDate=2026-01-02T03:04:05.678Z", [
    { field: "endDate", operator: "LESS_THAN_OR_EQUAL_TO", at: DATE },
  ]],
  ["filters[startDate][LESS_THAN]=2026-01-02T03:04:05.678Z", [
    { field: "startDate", operator: "LESS_THAN", at: DATE },
  ]],
  ["timeRange=PT24H", [started(NOW - 86_400_000)]],
  ["filters[startDate][GREATER_THAN_OR_EQUAL_TO]=P1DT1H", [started(NOW - 90_000_000)]],
  ["filters[timeRange][EQUALS]=P1DT1H", [started(NOW - 90_000_000)]],
  ["endDate=2026-01-02T03:04:05.678Z&timeRange=PT24H", [
    { field: "endDate", operator: "LESS_THAN_OR_EQUAL_TO", at: DATE },
    started(NOW - 86_400_000),
  ]],
  ["filters[startDate][EQUALS]=2026-01-02T03:04:05.678Z&filters[timeRange][EQUALS]=PT24H", [
    { field: "startDate", operator: "EQUALS", at: DATE },
    started(NOW - 86_400_000),
  ]],
  ["startDate=2026-01-01&endDate=2026-01-01&filters[timeRange][EQUALS]=PT24H", [started(NOW - 86_400_000)]],
  ["timeRange=PT1H&filters[startDate][GREATER_THAN_OR_EQUAL_TO]=2026-01-02", [started(Date.UTC(2026, 0, 2))]],
  ["state=FAILED&state=KILLED", [{ field: "state", states: ["FAILED", "KILLED"], negated: false }]],
  ["state=FAILED,KILLED", [{ field: "state", states: ["FAILED", "KILLED"], negated: false }]],
  ["filters[state][NOT_IN]=FAILED,KILLED", [
    { field: "state", states: ["FAILED", "KILLED"], negated: true },
  ]],
  ["filters[state][EQUALS]=FAILED", [{ field: "state", states: ["FAILED"], negated: false }]],
  ["labels=a:1&labels=b:2:3", [
    labels(false, "a=1"),
    { field: "labels", anyOf: [{ key: "b", value: "2:3" }], negated: false },
  ]],
  ["triggerId=nightly&triggerId=hook", [{ field: "triggerId", ids: ["nightly", "hook"], negated: false }]],
  ["filters[triggerId][NOT_IN]=a,b", [{ field: "triggerId", ids: ["a", "b"], negated: true }]],
  ["inputs=region:eu&filters[inputs][NOT_EQUALS][address.city]=Rome", [
    { field: "inputs", anyOf: [{ key: "region", value: "eu" }], negated: false },
    { field: "inputs", anyOf: [{ key: "address.city", value: "Rome" }], negated: true },
  ]],
  ["labels=a:+https://x.y", [labels(false, "a=https://x.y")]],
  ["labels=a: ", [labels(false, "a=")]],
  ["filters[labels][EQUALS][a.b]=1", [labels(false, "a.b=1")]],
  ["filters[labels][NOT_EQUALS][__proto__]=1", [labels(true, "__proto__=1")]],
  ["filters[labels][IN][env]=a,b", [labels(false, "env=a", "env=b")]],
  ["filters[labels][NOT_IN]=a:1,b:2", [labels(true, "a=1", "b=2")]],
  ["filters[labels][CONTAINS][a]=1", [labels(false, "a=1")]],
  ["triggerExecutionId=x", [{ field: "triggerExecutionId", ids: ["x"], negated: false }]],
  ["filters[triggerExecutionId][NOT_IN]=x,y", [
    { field: "triggerExecutionId", ids: ["x", "y"], negated: true },
  ]],
  ["childFilter=CHILD", [{ field: "child", child: true }]],
  ["filters[childFilter][NOT_EQUALS]=CHILD", [{ field: "child", child: false }]],
  ["kind=TEST", [{ field: "kind", kinds: ["TEST"], negated: false }]],
  ["filters[kind][NOT_EQUALS]=NORMAL", [{ field: "kind", kinds: ["NORMAL"], negated: true }]],
  ["state=FAILED&filters[flowId][EQUALS]=f", [
    { field: "state", states: ["FAILED"], negated: false },
    { field: "flowId", operator: "EQUALS", values: ["f"] },
  ]],
];

for (const [query, conditions] of CONDITIONS) {
  Deno.test(`readExecutionQuery() reads "${query}"`, () => {
    assertEquals(read(query).conditions as unknown[], conditions);
  });
}

Deno.test("readExecutionQuery() puts filters of the same index into one group", () => {
  const { conditions, groups } = read(
    "filters[or][1][state][EQUALS]=FAILED&filters[OR][0][namespace][EQUALS]=a&filters[or][1][labels][EQUALS][k]=v&flowId=f",
  );
  assertEquals(conditions.length, 1);
  assertEquals(groups as unknown, [
    [name("EQUALS", "a")],
    [{ field: "state", states: ["FAILED"], negated: false }, labels(false, "k=v")],
  ]);
});

Deno.test("readExecutionQuery() makes one group of each way through groups of groups", () => {
  const { conditions, groups } = read(
    "filters[or][0][namespace][EQUALS]=a&filters[or][0][or][1][flowId][EQUALS]=g&filters[or][0][or][0][flowId][EQUALS]=f" +
      "&filters[or][1][namespace][EQUALS]=b",
  );
  const flow = (id: string) => ({ field: "flowId", operator: "EQUALS", values: [id] });
  assertEquals(conditions, []);
  assertEquals(groups as unknown, [
    [name("EQUALS", "a"), flow("f")],
    [name("EQUALS", "a"), flow("g")],
    [name("EQUALS", "b")],
  ]);
});

Deno.test("readExecutionQuery() has no groups where one of them restricts nothing", () => {
  assertEquals(read("filters[or][0][q][EQUALS]=*&filters[or][1][flowId][EQUALS]=f").groups, []);
});

Deno.test("readExecutionQuery() reads page and order", () => {
  const { page, size, sort } = read("page=3&size=7&sort=state.duration:desc&sort=id:asc");
  assertEquals({ page, size, sort }, {
    page: 3,
    size: 7,
    sort: [{ field: "state.duration", descending: true }, { field: "id", descending: false }],
  });
  assertEquals(read("").sort, []);
});

Deno.test("readExecutionQuery() counts a word of all filters once", () => {
  const words = WORDS.slice(1).join(" ");
  const { conditions, groups } = read(`q=${words} ${words}&filters[or][0][q][EQUALS]=${words}`);
  const found = { field: "text", words: WORDS.slice(1), negated: false } as const;
  assertEquals(conditions, [found]);
  assertEquals(groups, [[found]]);
});

const WORDS = Array.from({ length: 21 }, (_, at) => `w${at}`);
const TOO_MANY_WORDS = 'all "q" together have more than 20 different words';
const REFUSALS: [query: string, code: string, message: string][] = [
  ["filters[nope][EQUALS]=1", "invalid_filter", '"nope"'],
  ["filters[__proto__][EQUALS]=1", "invalid_filter", '"__proto__"'],
  ["filters[nope][EQUALS]=1", "invalid_filter", '"namespace"'],
  [
    "filters[state][CONTAINS]=1",
    "invalid_filter",
    'no operator "CONTAINS": allowed are "EQUALS", "NOT_EQUALS", "IN", "NOT_IN"',
  ],
  ["filters[q][constructor]=1", "invalid_filter", '"constructor"'],
  ["filters[state]=FAILED", "invalid_filter", "must be of the form"],
  [`filters${"[or][0]".repeat(4)}[state][EQUALS]=FAILED`, "invalid_filter", 'but is "or"'],
  ["filters[state][EQUALS]=", "invalid_filter", "is empty"],
  ["filters[state][IN]=,", "invalid_filter", "1 to"],
  ["state=NOPE", "invalid_filter", '"SUCCESS"'],
  ["state=failed", "invalid_filter", '"failed"'],
  ["kind=NOPE", "invalid_filter", '"PLAYGROUND"'],
  ["childFilter=NOPE", "invalid_filter", '"CHILD", "MAIN"'],
  ["scope=NOPE", "invalid_filter", '"USER", "SYSTEM"'],
  ["labels=nope", "invalid_filter", '"key:value"'],
  ["inputs=nope", "invalid_filter", '"inputs" must be of the form "key:value"'],
  ["startDate=yesterday", "invalid_filter", '"yesterday"'],
  ["startDate=2026-13-01", "invalid_filter", '"2026-13-01"'],
  ["timeRange=1d", "invalid_argument", '"1d"'],
  ["timeRange=P1Y", "invalid_argument", '"P1Y"'],
  ["labels=: b", "invalid_filter", '"key:value"'],
  ["filters[namespace][REGEX]=(", "invalid_filter", "no regular expression"],
  ["filters[namespace][REGEX]=(a*)*", "invalid_filter", "must not repeat a group"],
  [
    "startDate=2026-01-02&timeRange=PT24H",
    "invalid_argument",
    "'startDate' and 'timeRange' are mutually exclusive",
  ],
  ["startDate=2026-01-03&endDate=2026-01-02", "invalid_argument", "Start date must be before End Date"],
  [
    "filters[startDate][EQUALS]=2026-01-03&filters[endDate][EQUALS]=2026-01-02",
    "invalid_argument",
    "Start date must be before End Date",
  ],
  [
    "filters[startDate][GREATER_THAN]=2026-01-03&filters[or][0][endDate][LESS_THAN]=2026-01-02",
    "invalid_argument",
    "Start date must be before End Date",
  ],
  ["sort=nope:asc", "invalid_argument", "state.duration"],
  ["sort=id", "invalid_argument", "Invalid sort parameter"],
  ["page=0", "invalid_argument", '"page"'],
  [`q=${WORDS.join(" ")}`, "invalid_filter", TOO_MANY_WORDS],
  [WORDS.map((word) => `q=${word}`).join("&"), "invalid_filter", TOO_MANY_WORDS],
  [WORDS.map((word) => `filters[q][EQUALS]=${word}`).join("&"), "invalid_filter", TOO_MANY_WORDS],
  [
    WORDS.map((word, at) => `filters[or][${at}][q][NOT_EQUALS]=${word}`).join("&"),
    "invalid_filter",
    TOO_MANY_WORDS,
  ],
  ["q=a&".repeat(101), "invalid_filter", "at most 100 filters are allowed"],
  [
    `${"labels=a:b&".repeat(60)}${"filters[flowId][EQUALS]=f&".repeat(41)}`,
    "invalid_filter",
    "at most 100 filters",
  ],
  [
    "filters[flowId][REGEX]=f&filters[or][1][namespace][REGEX]=n&".repeat(5) + "filters[flowId][REGEX]=i",
    "invalid_filter",
    'at most 10 filters with "REGEX" are allowed',
  ],
  [`q=${"a".repeat(10_001)}`, "invalid_filter", 'the value of "q" is too long'],
];

for (const [query, code, message] of REFUSALS) {
  Deno.test(`readExecutionQuery() refuses "${query.slice(0, 80)}": ${message}`, () => {
    const error = assertThrows(() => read(query), DomainError);
    assertEquals(error.code, code);
    assertStringIncludes(error.message, message);
  });
}
