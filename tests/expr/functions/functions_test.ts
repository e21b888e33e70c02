/** Built-in functions. */
import { assertEquals, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ExpressionError } from "../../../src/expr/mod.ts";
import { evaluateRow, renderRow, testErrors, testRows } from "../support.ts";

const KEY = "MDEyMzQ1Njc4OWFiY2RlZg==";
const data = {
  vars: {
    msg: "for {{ who }}",
    nested: "{{ vars.msg }}!",
    self: "{{ vars.self }}",
    grow: "{{ vars.grow }}x",
    n: 5,
  },
  who: "you",
  list: ["{{ who }}", 1, { "{{ who }}": "{{ vars.msg }}" }],
  yaml: "a: 1\nb: [x, 2.0, yes, null]\nc: &x {d: 1}\ne: *x\n",
  key: KEY,
  nil: null,
};

testRows("function", [
  ["{{ range(1, 3) }}{{ range(1, 6, 2) }}{{ range(3, 1, -1) }}{{ range(3, 1) }}", "[1,2,3][1,3,5][3,2,1][]"],
  ["{{ range('a', 'c') }}{{ range(0, 4, increment=2) }}", '["a","b","c"][0,2,4]'],
  ["{{ max(1, 3.5, 2) }}{{ min(4, 2) }}{{ max(1) }}", "3.521"],
  ["{{ now() }}", "2024-05-06T07:08:09.123000Z"],
  ["{{ now('yyyy-MM-dd', timeZone='Asia/Tokyo') }}", "2024-05-06"],
  ["{{ now(format='sql_seq') }}", "2024-05-06 07:08:09"],
  ["{{ fromJson('{\"a\": [1, 2.0]}').a }}{{ json('[1]')[0] }}", "[1,2.0]1"],
  ["[{{ fromJson(null) }}{{ fromJson(nil) }}]", "[]"],
  ["{{ yaml(yaml).a + 1 }}{{ yaml(yaml).b }}{{ yaml(yaml).e.d }}", '2["x",2.0,"yes",null]1'],
  [
    "{{ uuid() | regexMatch('^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$') }}",
    "true",
  ],
  ["{{ id() | length }}{{ nanoId() | length }}{{ nanoId(5) | length }}{{ ksuid() | length }}", "2221527"],
  ["{{ nanoId(4, 'a') }}{{ nanoId(alphabet='b', length=2) }}", "aaaabb"],
  ["{{ randomInt(5, 6) }}{{ randomInt(-3, -2) }}", "5-2"],
  ["{{ randomPort() > 1023 and randomPort() < 65536 }}", "true"],
  ["{{ render(vars.msg) }}{{ render(vars.nested) }}", "for youfor you!"],
  ["{{ renderOnce(vars.nested) }}", "for {{ who }}!"],
  ["{{ render(vars.nested, recursive=false) }}", "for {{ who }}!"],
  ["{{ render(vars.n) + 1 }}{{ render(true) }}[{{ render(nil) }}]", "6true[]"],
  ["{{ render(list) }}", '["you",1,{"you":"for you"}]'],
  ["{{ render(vars.self) }}", "{{ vars.self }}"],
  ["{{ render('{\"a\": 1}') }}", '{"a": 1}'],
  ["{% for x in ['a', 'b'] %}{{ render('{{ x }}') }}{% endfor %}", "ab"],
  ["{{ render('{% set q = 1 %}{{ q }}') }}{{ q ?? 'gone' }}", "1gone"],
  ["{{ render('{{ nope }}') ?? 'd' }}", "d"],
  ["{{ printContext().vars.n }}{{ fetchContext() | keys }}", '5["vars"]'],
  ["{{ decrypt(key, encrypt(key, 'sécret')) }}[{{ encrypt(key, nil) }}{{ decrypt(key, nil) }}]", "sécret[]"],
], data);

testErrors("function", [
  ["{{ range(1) }}", "argument"],
  ["{{ range(1, 3, 0) }}", "argument"],
  ["{{ max() }}", "argument"],
  ["{{ max('a', 1) }}", "type"],
  ["{{ fromJson() }}", "argument"],
  ["{{ fromJson('{') }}", "argument"],
  ["{{ fromJson(5) }}", "type"],
  ["{{ yaml('a: [') }}", "argument"],
  ["{{ randomInt(5) }}", "argument"],
  ["{{ nanoId(0) }}", "argument"],
  ["{{ render(vars.grow) }}", "limit"],
  ["{{ render() }}", "argument"],
  ["{{ render('{{ 1 + }}') }}", "syntax"],
  ["{{ decrypt(key, 'AAAA') }}", "argument"],
  ["{{ decrypt(key, encrypt('MTIzNDU2Nzg5MDEyMzQ1Ng==', 'x')) }}", "argument"],
  ["{{ encrypt('AAAA', 'x') }}", "argument"],
  ["{{ secret('X') }}", "unknown_function"],
  ["{{ now(timeZone='Nowhere/At') }}", "argument"],
  ["{{ constructor() }}", "unknown_function"],
], data);

Deno.test("render() of texts that render each other says so", () => {
  const vars = { a: "{{ render(vars.b) }}", b: "{{ render(vars.a) }}" };
  const error = assertThrows(() => renderRow("{{ render(vars.a) }}", { vars }), ExpressionError);
  assertEquals(error.code, "limit");
  assertStringIncludes(error.message, "Too many rendering attempts");
});

Deno.test("uuid() gives another id each time", () => {
  assertNotEquals(renderRow("{{ uuid() }}"), renderRow("{{ id() }}{{ uuid() }}").slice(22));
});

Deno.test("renderValue() keeps the kind of render() of other values than texts", () => {
  assertEquals(evaluateRow("{{ render(n) }}", { n: [1] }), [1]);
});
