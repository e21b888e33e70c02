/** JSONata: results, limits and stops. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type JsonValue, stringifyJson } from "../../../src/base/json.ts";
import { withEvaluation } from "../../../src/integrations/transform/jsonata/evaluation.ts";
import { GivenUpThreads } from "../../../src/machine/evaluators/given_up_threads.ts";
import { Evaluators } from "../../../src/machine/evaluators/evaluators.ts";
import { systemClock } from "../../../src/base/time/clock.ts";
import { settle } from "../../support/fakes/fake_clock.ts";
import { BoundedRegExp } from "../../../src/integrations/transform/jsonata/regular_expression.ts";
import { transformItems, transformValue } from "../../../src/integrations/transform/jsonata/tasks.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

const FILE = "kestra:///demo/products.json";

const VALUES: readonly (readonly [from: JsonValue, expression: string, json: string])[] = [
  ['{"a": [{"n": 1.5}, {"n": 2}]}', "$sum(a.n)", "3.5"],
  [{ first: "John", last: "Doe" }, '{"name": first & " " & last}', '{"name":"John Doe"}'],
  ["{}", "missing", "null"],
  ['{"a": 1}', "$.constructor", "null"],
  [{ text: "a".repeat(40) }, "$contains(text, /^(a+)+b$/)", "false"],
  [
    { text: "Ab-aB\nab" },
    "$match(text, /(a)(b)$/im).[match, index, groups]",
    '[["aB",3,"a","B"],["ab",6,"a","b"]]',
  ],
  [
    { text: "a1b22c" },
    '[$split(text, /[0-9]+/), $replace(text, /([a-z])([0-9]+)/, "$2$1")]',
    '["a","b","c","1a22bc"]',
  ],
  [{ text: "a/b" }, "$replace(text, /\\//, '-')", '"a-b"'],
];

Deno.test("jsonata.TransformValue gives the result of an expression for a value or its text", async () => {
  for (const [from, expression, json] of VALUES) {
    const { outputs } = await runDefinition(transformValue, { from, expression });
    assertEquals(stringifyJson(outputs.value), json);
  }
});

Deno.test("jsonata.TransformItems evaluates each value, and makes a row of each element of a list", async () => {
  const files = { [FILE]: '{"p": [{"t": "a"}, {"t": "b"}]}\n{p: [{t: "c"}]}\n' };
  const properties = { from: FILE, expression: "[p.t]" };
  const rows = await runDefinition(transformItems, properties, { files });
  assertEquals([...rows.files.values()], ['"a"\n"b"\n"c"\n']);
  assertEquals([rows.outputs.processedItemsTotal, rows.metrics.records], [3, 3]);
  const lists = await runDefinition(transformItems, { ...properties, explodeArray: false }, { files });
  assertEquals([...lists.files.values()], ['["a","b"]\n["c"]\n']);
});

const REFUSED: readonly (readonly [rule: string, expression: string, message: string])[] = [
  ["a malformed expression", "a +", "Invalid expression: "],
  ["an error of an expression", '$error("no")', "Cannot evaluate the expression for value 1: no"],
  ["endless recursion", "($f := function($x){1 + $f($x)}; $f(1))", "Stack overflow"],
  ["a list beyond the limit", "[1..2000000]", "2000000"],
];

for (const [rule, expression, message] of REFUSED) {
  Deno.test(`jsonata fails for ${rule}`, async () => {
    await assertRejects(() => runDefinition(transformValue, { from: "{}", expression }), Error, message);
  });
}

// Without the thread, whose evaluations have a limit of time, too.
Deno.test("a regular expression of jsonata that takes too many steps fails", () => {
  const endless = new BoundedRegExp(/^(a+)+\1b$/);
  assertThrows(() => endless.exec("a".repeat(40)), Error, "too many moves");
});

/** Stops an evaluation right after its value has been sent. */
async function stopWithin(evaluators: Evaluators, source: string, value: JsonValue): Promise<void> {
  const stop = new AbortController();
  const values = async function* () {
    yield await Promise.resolve(value);
    // The value is sent when the generator has ended; from then on the evaluator does not respond.
    setTimeout(() => stop.abort(), 0);
  };
  const { signal } = stop;
  const run = withEvaluation({
    expression: { type: "jsonata", source, maxDepth: 10 },
    operation: "evaluate the expression",
    startEvaluator: (expression, operation) =>
      evaluators.start({ expression, operation, owner: "main/e", signal }),
  }, (evaluation) => Array.fromAsync(evaluation.evaluate(values())));
  await assertRejects(() => run, Error, "The evaluation was stopped");
}

const SLOW: readonly (readonly [what: string, expression: string, value: JsonValue])[] = [
  ["a regular expression that takes all its steps", "$contains(text, /^(a+)+\\1b$/)", {
    text: "a".repeat(40),
  }],
  ["a function that compares each item with all others", "$count($distinct([1..1000000]))", {}],
  ["steps that copy a list that grows", "$reduce([1..300000], $append)", {}],
];
for (const [what, expression, value] of SLOW) {
  Deno.test(`jsonata in a thread ends with the signal, even within ${what}`, async () => {
    const givenUp = new GivenUpThreads(systemClock, 1);
    const evaluators = new Evaluators({ inThreads: true, givenUp });
    await stopWithin(evaluators, expression, value);
    await settle();
    // It is over when the thread has exited.
    await givenUp.room("evaluate", 60_000);
  });
}

Deno.test("an evaluation of jsonata that never pauses is ended, and leaves room for others", async () => {
  const evaluators = new Evaluators({ givenUp: new GivenUpThreads(systemClock, 0) });
  // One function, which takes minutes. The process has exited when the work is over: else the test would leak it.
  for (let count = 0; count < 2 * navigator.hardwareConcurrency; count++) {
    await stopWithin(evaluators, "$count($distinct([1..1000000]))", {});
  }
});
