/** Functions that need nothing from outside, and the texts of errors. */
import type { Table } from "./table.ts";

const KEY = "MDEyMzQ1Njc4OWFiY2RlZg==";

/** Pure functions; the time is 2024-05-06T07:08:09.123Z. */
export const FUNCTIONS: Table = {
  topic: "functions",
  data: {
    vars: {
      msg: "for {{ who }}",
      nested: "{{ vars.msg }}!",
      self: "{{ vars.self }}",
      list: ["{{ who }}", 1],
      n: 5,
    },
    who: "you",
    nil: null,
    key: KEY,
    key192: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3",
    key256: "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
    json: '{"a": {"b": [1, 2.0, "x", null, true]}, "big": 12345678901234567890}',
    doc: "name: x\nlist:\n  - 1\n  - two\nnested:\n  a: 1.5\n  t: true\n  n: null\n",
  },
  rows: [
    ["{{ range(1, 4) }} {{ range(0, 0) }} {{ range(5, 1) }}", "[1,2,3,4] [0] []"],
    [
      "{{ range(1, 10, 3) }} {{ range(10, 1, -4) }} {{ range(-2, 2, 2) }} {{ range(1, 3, 5) }}",
      "[1,4,7,10] [10,6,2] [-2,0,2] [1]",
    ],
    [
      "{{ range(0, 2.9) }} {{ range(1.5, 2) }} {{ range(0, 5, 2.0) }} {{ range(0, -1.5, -1) }}",
      "[0,1,2] [1,2] [0,2,4] [0,-1]",
    ],
    ["{{ range('a', 'e', 2) }} {{ range('c', 'a', -1) }}", '["a","c","e"] ["c","b","a"]'],
    [
      "{{ max(1, 5, 3) }} {{ min(4, 2, 8) }} {{ max(2) }} {{ max(1, 2.5) }} {{ min(-1, -1.5) }} {{ max(1, 1.0) }}",
      "5 2 2 2.5 -1.5 1",
    ],
    ["{{ now() }}", "2024-05-06T07:08:09.123000Z"],
    [
      "{{ now('yyyy-MM-dd') }} {{ now('iso_sec') }} {{ now(format='HH:mm', timeZone='Asia/Tokyo') }}",
      "2024-05-06 2024-05-06T07:08:09Z 16:08",
    ],
    [
      "{{ now(timeZone='Europe/Paris') }} {{ now('EEEE', locale='fr') }}",
      "2024-05-06T09:08:09.123000+02:00 lundi",
    ],
    ["{{ now() | dateAdd(1, 'DAYS', 'iso_local_date') }} {{ now() | timestamp }}", "2024-05-07 1714979289"],
    [
      "{{ fromJson(json).a.b }} {{ fromJson(json).a.b[1] }} {{ fromJson(json).big }}",
      '[1,2.0,"x",null,true] 2.0 12345678901234567890',
    ],
    [
      "{{ fromJson('5') + 1 }} {{ fromJson('\"x\"') }} {{ fromJson('true') }} [{{ fromJson('null') }}]",
      "6 x true []",
    ],
    ["[{{ fromJson(nil) }}{{ yaml(nil) }}]{{ json('[1]') }}", "[][1]"],
    ["{{ yaml(doc).name }} {{ yaml(doc).list[1] }} {{ yaml(doc).nested }}", 'x two {"a":1.5,"t":true}'],
    [
      "{{ yaml('[1, a, 2.5, true, null]') }} {{ yaml('a') }} {{ yaml('12') + 1 }}",
      '[1,"a",2.5,true,null] a 13',
    ],
    [
      "{{ uuid() | length }} {{ uuid() == uuid() }} {{ uuid() | regexMatch('^[0-9a-f-]{36}$') }}",
      "36 false true",
    ],
    ["{{ id() == id() }} {{ id() | regexMatch('^[0-9A-Za-z]+$') }}", "false true"],
    [
      "{{ nanoId() | length }} {{ nanoId(8) | length }} {{ nanoId(length=4, alphabet='z') }} {{ ksuid() | length }}",
      "21 8 zzzz 27",
    ],
    ["{{ randomInt(1, 2) }} {{ randomInt(lower=5, upper=6) }} {{ randomInt(0, 10) <= 10 }}", "1 6 true"],
    ["{{ randomInt(10, 10) }} {{ randomInt(-1, -1) }}", "10 -1"],
    ["{{ randomPort() > 1023 and randomPort() <= 65535 }}", "true"],
    ["{{ render(vars.msg) }} {{ vars.msg }} {{ renderOnce(vars.msg) }}", "for you for {{ who }} for you"],
    [
      "{{ render(vars.nested) }} {{ renderOnce(vars.nested) }} {{ render(vars.nested, false) }}",
      "for you! for {{ who }}! for {{ who }}!",
    ],
    [
      "{{ render(vars.list) }} {{ render({'k': vars.msg, '{{ who }}': 1}) }}",
      '["you",1] {"k":"for you","you":1}',
    ],
    [
      "{{ render(5) }} {{ render(2.5) }} {{ render(true) }} [{{ render(nil) }}] {{ render('plain') }}",
      "5 2.5 true [] plain",
    ],
    [
      "{{ render('{{ 1 + 1 }}') }} {{ render('a {% if true %}b{% endif %}') }} {{ render('{# c #}x') }}",
      "2 a b x",
    ],
    ["{{ render('{{ vars.n }}') | number + 1 }} {{ render(toRender='{{ who }}') }}", "6 you"],
    ["{{ render(vars.missing ?? 'd') }} {{ render('{{ missing ?? 1 }}') }}", "d 1"],
    [
      "{{ encrypt(key, 'secret') == 'secret' }} {{ decrypt(key, encrypt(key, 'sécret ✓')) }}",
      "false sécret ✓",
    ],
    [
      "{{ decrypt(key192, encrypt(key192, 'of 24 bytes')) }} {{ decrypt(key256, encrypt(key256, 'of 32 bytes')) }}",
      "of 24 bytes of 32 bytes",
    ],
    [
      "[{{ encrypt(key, nil) }}{{ decrypt(key, nil) }}] {{ decrypt(key=key, encrypted=encrypt(key, plaintext='p')) }}",
      "[] p",
    ],
    ["[{{ encrypt(key, '') }}{{ decrypt(key, '') }}]", "[]"],
    ["{{ printContext().vars.n }} {{ fetchContext() | keys }}", '5 ["vars"]'],
  ],
  errors: [
    ["{{ range(1) }}", "argument"],
    ["{{ range() }}", "argument"],
    ["{{ range(1, 2, 0) }}", "argument"],
    ["{{ range(1, 2, 0.5) }}", "argument"],
    ["{{ range(1, 'b') }}", "type"],
    ["{{ range('ab', 'c') }}", "type"],
    ["{{ max() }}", "argument"],
    ["{{ max('a') }}", "type"],
    ["{{ min(1, nil) }}", "type"],
    ["{{ max([1, 2]) }}", "type"],
    ["{{ fromJson() }}", "argument"],
    ["{{ fromJson('') }}", "argument"],
    ["{{ fromJson('{a: 1}') }}", "argument"],
    ["{{ fromJson('[1,]') }}", "argument"],
    ["{{ fromJson(5) }}", "type"],
    ["{{ fromJson([1]) }}", "type"],
    ["{{ yaml() }}", "argument"],
    ["{{ yaml('a: [1') }}", "argument"],
    ["{{ yaml('a: b: c') }}", "argument"],
    ["{{ yaml(5) }}", "type"],
    ["{{ now('bbb') }}", "argument"],
    ["{{ now(timeZone='Mars') }}", "argument"],
    ["{{ randomInt(6, 5) }}", "argument"],
    ["{{ randomInt('a', 5) }}", "argument"],
    ["{{ nanoId(0) }}", "argument"],
    ["{{ nanoId(-1) }}", "argument"],
    ["{{ nanoId(5, '') }}", "argument"],
    ["{{ render() }}", "argument"],
    ["{{ render('{{ missing }}') }}", "undefined"],
    ["{{ render('{{ 1 + }}') }}", "syntax"],
    ["{{ render('{{ \"x\" | nope }}') }}", "unknown_filter"],
    ["{{ render('x', recursive='yes') }}", "argument"],
    ["{{ encrypt('short', 'x') }}", "argument"],
    ["{{ encrypt(key) }}", "argument"],
    ["{{ decrypt(key, 'bm90IGVuY3J5cHRlZA==') }}", "argument"],
    ["{{ decrypt(key, '!!') }}", "argument"],
    ["{{ unknown() }}", "unknown_function"],
    ["{{ unknown(1, a=2) }}", "unknown_function"],
    ["{{ fromjson('1') }}", "unknown_function"],
  ],
};

/** What errors say. */
export const MESSAGES: Table = {
  topic: "messages",
  data: { inputs: {} },
  messages: [
    ["{{ inputs.x }}", "Unable to find `inputs.x` used in the expression `{{ inputs.x }}` at line 1"],
    [
      "a\nb {{ inputs.x.y }}",
      "Unable to find `inputs.x` used in the expression `{{ inputs.x.y }}` at line 2",
    ],
    ["{{ x }}", "Unable to find `x` used in the expression `{{ x }}` at line 1"],
    [
      "{{ inputs['a b'] }}",
      "Unable to find `inputs['a b']` used in the expression `{{ inputs['a b'] }}` at line 1",
    ],
    ["\n\n{% if x %}{% endif %}", "Unable to find `x` used in the expression `{% if x %}` at line 3"],
    [
      "{% for a in x %}{% endfor %}",
      "Unable to find `x` used in the expression `{% for a in x %}` at line 1",
    ],
    ["{% set a = x %}", "Unable to find `x` used in the expression `{% set a = x %}` at line 1"],
    ["ok {{ 1 }} {{ x | upper }}", "Unable to find `x` used in the expression `{{ x | upper }}` at line 1"],
    ["{{\n1 +\nx }}", "Unable to find `x` used in the expression `{{\n1 +\nx }}` at line 3"],
    ["{{ 1 / 0 }}", "Cannot divide by zero in the expression `{{ 1 / 0 }}` at line 1"],
    ["{{ 1 + null }}", 'Cannot apply "+" to a number and null in the expression `{{ 1 + null }}` at line 1'],
    ["{{ [1] < 2 }}", 'Cannot apply "<" to a list and a number in the expression `{{ [1] < 2 }}` at line 1'],
    ["{{ -'a' }}", "Cannot apply \"-\" to a string in the expression `{{ -'a' }}` at line 1"],
    ["{{ +[] }}", 'Cannot apply "+" to a list in the expression `{{ +[] }}` at line 1'],
    ["{{ 'a' | nope }}", "Unknown filter \"nope\" in the expression `{{ 'a' | nope }}` at line 1"],
    ["{{ nope() }}", 'Unknown function or macro "nope" in the expression `{{ nope() }}` at line 1'],
    [
      "{{ 'a' | sort }}",
      "Cannot apply the filter \"sort\" to a string in the expression `{{ 'a' | sort }}` at line 1",
    ],
    ["{{ [1] | trim }}", "Expected a string, found a list in the expression `{{ [1] | trim }}` at line 1"],
    [
      "{{ 'a' | abbreviate }}",
      'Argument "length" is missing for filter "abbreviate" in the expression `{{ \'a\' | abbreviate }}` at line 1',
    ],
    [
      "{{ 'a' | upper(x=1) }}",
      'Unknown argument "x" of filter "upper" in the expression `{{ \'a\' | upper(x=1) }}` at line 1',
    ],
    [
      "{{ range(1, 2, 3, 4) }}",
      'At most 3 arguments can be given to function "range" in the expression `{{ range(1, 2, 3, 4) }}` at line 1',
    ],
    [
      "{% if [1] %}{% endif %}",
      "Cannot use a list as a condition in the expression `{% if [1] %}` at line 1",
    ],
    [
      "{% for a in 5 %}{% endfor %}",
      "Cannot loop over a number in the expression `{% for a in 5 %}` at line 1",
    ],
    ["{{ 'x' | number }}", "Cannot read \"x\" as a number in the expression `{{ 'x' | number }}` at line 1"],
    ["{{ 'x' | date }}", "Cannot read \"x\" as a date in the expression `{{ 'x' | date }}` at line 1"],
    ["{{ 'a' 'b' }}", "Expected \"}}\", found \"b\" in the expression `{{ 'a' 'b' }}` at line 1"],
    ["x\n{% nope %}", 'Expected a known tag, found "nope" in the expression `{% nope %}` at line 2'],
    ["{{ 1 +", 'Cannot find the closing "}}" in the expression `{{ 1 +` at line 1'],
    ["{{ 'a }}", "Cannot find the end of a string in the expression `{{ 'a }}` at line 1"],
    ["{# a", "Cannot find the end of a comment in the expression `{# a` at line 1"],
    ["{% if true %}a", 'Expected the tag "endif", found the end in the expression `{% if true %}` at line 1'],
  ],
};
