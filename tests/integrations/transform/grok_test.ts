/** Grok expressions and their named patterns. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stringifyJson } from "../../../src/base/json.ts";
import { grokMatcher, GrokPattern } from "../../../src/integrations/transform/grok/grok.ts";
import { GROK_PATTERNS } from "../../../src/integrations/transform/grok/patterns.ts";
import { grokItems, grokValue } from "../../../src/integrations/transform/grok_tasks.ts";
import { withEvaluation } from "../../../src/integrations/transform/jsonata/evaluation.ts";
import { Evaluators } from "../../../src/machine/evaluators/evaluators.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const PLAIN = { definitions: new Map<string, string>(), namedOnly: true };

const budget = () => ({ moves: 1_000_000, maxLength: 0 });

/** A text that each of these patterns matches as a whole. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  USERNAME: ["ann.b-1"],
  EMAILADDRESS: ["ann+x@mail.example.com"],
  INT: ["-12", "+3"],
  NUMBER: ["-12.5", ".5", "7"],
  BASE16NUM: ["0xFF", "a0"],
  WORD: ["word_1"],
  QUOTEDSTRING: ['"a \\" b"', "'x'"],
  UUID: ["123e4567-e89b-12d3-a456-426614174000"],
  MAC: ["00:1A:2b:3c:4d:5e", "001A.2b3c.4d5e"],
  IP: ["10.0.0.1", "::1", "2001:db8::ff00:42:8329", "fe80::1%eth0"],
  HOSTNAME: ["db-1.example.com"],
  HOSTPORT: ["db.example.com:5432", "10.0.0.1:80"],
  PATH: ["/var/log/a.log", "C:\\logs\\a.log"],
  URI: ["https://user:pw@example.com:8080/a/b?x=1&y=2", "file:///tmp/x"],
  DATE: ["12/31/2026", "31.12.2026"],
  TIME: ["23:59:59.123", "8:00"],
  TIMESTAMP_ISO8601: ["2026-01-31T08:15:30.123Z", "2026-01-31 08:15:30,5+01:00"],
  SYSLOGTIMESTAMP: ["Jan  2 10:11:12"],
  HTTPDATE: ["10/Oct/2000:13:55:36 -0700"],
  DATESTAMP_RFC2822: ["Tue, 15 Nov 1994 08:12:31 +0000"],
  LOGLEVEL: ["ERROR", "warn"],
  JAVACLASS: ["org.example.App$Inner"],
};

for (const [name, texts] of Object.entries(SAMPLES)) {
  Deno.test(`the grok pattern ${name} matches ${texts.join(" and ")}`, () => {
    const pattern = new GrokPattern(`^%{${name}:all}$`, PLAIN);
    for (const text of texts) assertEquals(pattern.match(text, budget())?.all, text);
  });
}

Deno.test("each grok pattern can be compiled within the limits of the engine", () => {
  for (const name of GROK_PATTERNS.keys()) new GrokPattern(`%{${name}:all}`, PLAIN);
});

Deno.test("grok reads the lines of a web server", () => {
  const line =
    '203.0.113.9 - ann [10/Oct/2000:13:55:36 -0700] "GET /a.gif?x=1 HTTP/1.0" 200 2326 "http://example.com/s" "Mozilla/4.08 [en]"';
  const fields = new GrokPattern("%{COMBINEDAPACHELOG}", PLAIN).match(line, budget()) ?? {};
  const { clientip, auth, verb, request, response, bytes, agent } = fields;
  assertEquals([clientip, auth, verb, request, response, bytes], [
    "203.0.113.9",
    "ann",
    "GET",
    "/a.gif?x=1",
    "200",
    "2326",
  ]);
  assertEquals(agent, '"Mozilla/4.08 [en]"');
});

Deno.test("grok.TransformValue captures fields with types, own patterns and named groups", async () => {
  const { outputs } = await runDefinition(grokValue, {
    from: "order A-12 took 1.5 s",
    pattern: "order %{ORDER:order} took %{NUMBER:seconds:float} (?<unit>\\w+)",
    patternDefinitions: { ORDER: "[A-Z]-%{INT:number:int}" },
  });
  assertEquals(stringifyJson(outputs.value), '{"order":"A-12","number":12,"seconds":1.5,"unit":"s"}');
});

Deno.test("grok.TransformItems tries patterns in turn and leaves out texts that do not match", async () => {
  const FILE = "kestra:///demo/lines.ion";
  const { files, outputs } = await runDefinition(
    grokItems,
    { from: FILE, patterns: ["^a=%{INT:a}$", "^b=%{WORD:b}%{SPACE}$"] },
    { files: { [FILE]: '"a=1"\n"c=1"\n"b=x"\n' } },
  );
  assertEquals([[...files.values()][0], outputs.processedItemsTotal], ['{"a":"1"}\n{"b":"x"}\n', 2]);
});

const REFUSED: readonly (readonly [pattern: string, message: string])[] = [
  ["%{NOTHING:a}", 'there is no pattern "NOTHING"'],
  ["%{LOOP:a}", '"LOOP" refers to itself'],
  ["(", 'Invalid pattern "("'],
];

for (const [pattern, message] of REFUSED) {
  Deno.test(`grok refuses ${pattern}`, async () => {
    const run = () =>
      runDefinition(grokValue, { from: "x", pattern, patternDefinitions: { LOOP: "%{LOOP}" } });
    await assertRejects(run, Error, message);
  });
}

Deno.test("grok refuses definitions that grow by references to each other, at once", () => {
  const names = Array.from({ length: 15 }, (_, index) => `P${index}`);
  const definitions = new Map(
    names.map((name, index) => [name, `%{P${index + 1}}`.repeat(10)] as const),
  );
  definitions.set("P15", "a");
  assertThrows(
    () => new GrokPattern("%{P0}", { definitions, namedOnly: true }),
    Error,
    "Invalid pattern: it has more than 10000 characters with the patterns that it refers to",
  );
});

Deno.test("grok fails for a value that a pattern takes too many moves for", async () => {
  const run = () => runDefinition(grokValue, { from: "a".repeat(100), pattern: "(?=(a+)+c)%{WORD:x}" });
  await assertRejects(
    run,
    Error,
    "Cannot match the pattern for value 1: Cannot match the regular expression",
  );
});

const LONG = "a".repeat(20_000);
const SLOW = "%{DATA:a}%{DATA:b}%{DATA:c}z";

Deno.test("grok gives what takes long to a thread", async () => {
  const one = await runDefinition(grokValue, { from: LONG, patterns: [SLOW, "^(?<x>a)"] });
  assertEquals(one.outputs, { value: { x: "a" } });
});

// Without the thread, whose evaluations have a limit of time, too.
Deno.test("grok has a limit for all patterns of a text together", () => {
  const rules = { ...PLAIN, patterns: Array(100).fill(SLOW), stopsAtFirst: true, keepsEmpty: false };
  assertThrows(() => grokMatcher(rules)(LONG), Error, "it takes too many moves");
});

Deno.test("grok leaves the thread of the server free, and ends with the signal", async () => {
  const stop = new AbortController();
  const endless = function* () {
    setTimeout(() => stop.abort(), 0);
    for (;;) yield "a".repeat(10_000);
  };
  const rules = {
    patterns: ["%{DATA:a}%{DATA:b}z"],
    definitions: [],
    namedOnly: true,
    stopsAtFirst: true,
    keepsEmpty: false,
  };
  const evaluators = new Evaluators();
  const run = withEvaluation({
    expression: { type: "grok", rules },
    operation: "match",
    startEvaluator: (expression, operation) =>
      evaluators.start({ expression, operation, owner: "main/e", signal: stop.signal }),
  }, (evaluation) => Array.fromAsync(evaluation.evaluate(endless())));
  await assertRejects(() => run, Error, "The evaluation was stopped");
});
