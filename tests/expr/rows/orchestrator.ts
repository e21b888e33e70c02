/** The filters for flows: data, texts, digests, regular expressions. */
import type { Table } from "./table.ts";

const data = {
  l: [1, 2, 3, 4, 5],
  el: [],
  em: {},
  m: { b: 1, a: "x", n: null },
  nil: null,
  e: "",
  i: 12,
  t: true,
  nested: [[1], [2, [3]], [], 4],
  dup: ["a", "b", "a", 1, 1, "1", null, null, [1], [1]],
  path: "a/b/c.txt",
  mail: "ann@site.org",
  lines: "one\ntwo\r\nthree\rfour",
  q: `it's "x"`,
  raw: '{"a": [1, 2.0, null], "b": {"c": "d"}}',
};

/** Filters on data. */
export const DATA_FILTERS: Table = {
  topic: "data filters",
  data,
  rows: [
    [
      "{{ l | chunk(2) }} {{ l | chunk(5) }} {{ l | chunk(9) }} {{ l | chunk(1) }}",
      "[[1,2],[3,4],[5]] [[1,2,3,4,5]] [[1,2,3,4,5]] [[1],[2],[3],[4],[5]]",
    ],
    ["{{ el | chunk(2) }} [{{ nil | chunk(2) }}] {{ l | chunk(2) | length }}", "[] [] 3"],
    ["{{ nested | flatten }} {{ el | flatten }} [{{ nil | flatten }}]", "[1,2,[3],4] [] []"],
    ["{{ nested | flatten | flatten }}", "[1,2,3,4]"],
    ["{{ m | keys }} {{ em | keys }} {{ ['x', 'y'] | keys }} {{ el | keys }}", '["b","a","n"] [] [0,1] []'],
    ["{{ m | values }} {{ em | values }} [{{ nil | keys }}{{ nil | values }}]", '[1,"x",null] [] []'],
    ["{{ m | keys | sort | join(',') }}", "a,b,n"],
    ["{{ dup | distinct }} {{ el | distinct }} [{{ nil | distinct }}]", '["a","b",1,"1",null,[1]] [] [null]'],
    ["{{ ['b', 'a', 'b'] | distinct | sort }}", '["a","b"]'],
    ["{{ raw | json }}", '"{\\"a\\": [1, 2.0, null], \\"b\\": {\\"c\\": \\"d\\"}}"'],
    ["{{ fromJson(raw) | toJson }}", '{"a":[1,2.0,null],"b":{"c":"d"}}'],
    ["{{ {'l': ['x', 'z']} | yaml }}", "l:\n - x\n - z\n"],
    ["{{ {'a': {'b': {'c': 1}}} | yaml }}", "a:\n  b:\n    c: 1\n"],
    ["{{ ['x', 'y', 'no', 'on', 'Yes'] | yaml }}", ' - x\n - "y"\n - "no"\n - "on"\n - "Yes"\n'],
    ["{{ [{'a': 1, 'b': 2}, {'a': 3}] | yaml }}", " -\n  a: 1\n  b: 2\n -\n  a: 3\n"],
    ["{{ {'l': [{'a': 1, 'b': [2]}]} | yaml }}", "l:\n -\n  a: 1\n  b:\n   - 2\n"],
    [
      "{{ [[1, 2], [[3]], [], [{}]] | yaml }}",
      " -\n   - 1\n   - 2\n -\n   -\n     - 3\n - []\n -\n   - {}\n",
    ],
    ["{{ 'a\nb' | yaml }}{{ 'a: b\n' | yaml }}{{ ' a\nb' | yaml }}", '|-\n  a\n  b\n|\n  a: b\n" a\\nb"\n'],
    ["{{ ['a\nb', {'s': 'c\nd'}] | yaml }}", " - |-\n  a\n  b\n -\n  s: |-\n    c\n    d\n"],
    ["{{ {'i': 1, 'd': 2.0, 't': true, 's': 'text here'} | yaml }}", "i: 1\nd: 2.0\nt: true\ns: text here\n"],
    [
      "{{ {'s': '12', 'b': 'true', 'n': 'null', 'e': ''} | yaml }}",
      's: "12"\nb: "true"\n"n": "null"\ne: ""\n',
    ],
    ["{{ {'el': [], 'em': {}} | yaml }}", "el: []\nem: {}\n"],
    ["{{ {'s': 'a\nb'} | yaml }}", "s: |-\n  a\n  b\n"],
    [
      "{{ {'url': 'http://x/y?z=1', 'path': 'a/b', 'colon': 'a: b'} | yaml }}",
      'url: http://x/y?z=1\npath: a/b\ncolon: "a: b"\n',
    ],
    ["{{ 'text' | yaml }}{{ 5 | yaml }}[{{ nil | yaml }}]", "text\n5\n[null]"],
    [
      "{{ 'a' | className }} {{ 2.5 | className }} {{ t | className }}",
      "java.lang.String java.lang.Double java.lang.Boolean",
    ],
    ["[{{ nil | className }}]", "[]"],
  ],
  errors: [
    ["{{ l | chunk(0) }}", "argument"],
    ["{{ l | chunk(-1) }}", "argument"],
    ["{{ l | chunk }}", "argument"],
    ["{{ l | chunk('2') }}", "argument"],
    ["{{ 'abc' | chunk(2) }}", "type"],
    ["{{ m | chunk(2) }}", "type"],
    ["{{ 'abc' | flatten }}", "type"],
    ["{{ m | flatten }}", "type"],
    ["{{ 'abc' | keys }}", "type"],
    ["{{ i | keys }}", "type"],
    ["{{ 'abc' | values }}", "type"],
    ["{{ 'abc' | distinct }}", "type"],
    ["{{ m | distinct }}", "type"],
  ],
};

/** Filters on text. */
export const TEXT: Table = {
  topic: "orchestrator text",
  data,
  rows: [
    ["{{ 'Crème Brûlée & Co' | slugify }}", "creme-brulee-co"],
    [
      "{{ 'Hello, World!' | slugify }} {{ 'a_b__c' | slugify }} {{ 'A--B' | slugify }} {{ 'a / b' | slugify }}",
      "hello-world a-b-c a-b a-b",
    ],
    [
      "{{ 'Ünïcödé Téxt' | slugify }} {{ '2024 Report (final)' | slugify }}",
      "unicode-text 2024-report-final",
    ],
    [
      "{{ path | startsWith('a/') }} {{ path | startsWith('b') }} {{ path | startsWith('') }}",
      "true false true",
    ],
    [
      "{{ path | endsWith('.txt') }} {{ path | endsWith('.csv') }} {{ path | endsWith('') }}",
      "true false true",
    ],
    ["{{ nil | startsWith('a') }} {{ nil | endsWith('a') }} {{ i | startsWith('1') }}", "false false true"],
    ["{{ l | startsWith('[1, 2') }} {{ m | endsWith('n=null}') }} {{ l | slugify }}", "true true 1-2-3-4-5"],
    [
      "{{ l | substringBefore(',') }} {{ l | substringAfterLast(', ') }} {{ m | substringAfter('a=') }}",
      "[1 5] x, n=null}",
    ],
    ["{{ m | indent(2) }} {{ el | nindent(1) }}", "{b=1, a=x, n=null} \n []"],
    ["{{ path | substringBefore('/') }} {{ path | substringBeforeLast('/') }}", "a a/b"],
    ["{{ path | substringAfter('/') }} {{ path | substringAfterLast('/') }}", "b/c.txt c.txt"],
    ["{{ path | substringBefore('#') }} {{ path | substringBeforeLast('#') }}", "a/b/c.txt a/b/c.txt"],
    ["[{{ path | substringAfter('#') }}{{ path | substringAfterLast('#') }}]", "[]"],
    ["{{ mail | substringBefore('@') }} {{ mail | substringAfter('@') | substringBefore('.') }}", "ann site"],
    [
      "[{{ e | substringBefore('x') }}{{ e | substringAfter('x') }}{{ path | substringAfterLast('.txt') }}]",
      "[]",
    ],
    [
      "[{{ nil | substringBefore('a') }}{{ nil | substringBeforeLast('a') }}{{ nil | substringAfterLast('a') }}]",
      "[]",
    ],
    [
      "{{ q | escapeChar('single') }} {{ q | escapeChar('double') }} {{ q | escapeChar('shell') }}",
      `it\\'s "x" it's \\"x\\" it'\\''s "x"`,
    ],
    ["{{ [q, 1, null] | escapeChar('single') }}", `["it\\\\'s \\"x\\"","1",null]`],
    [
      "{{ [true, 2.5, {'k': 1}] | escapeChar('single') }} {{ i | escapeChar('double') | className }}",
      '["true","2.5",{"k":"1"}] java.lang.String',
    ],
    ["{{ {'k': q} | escapeChar('shell') }}", `{"k":"it'\\\\''s \\"x\\""}`],
    ["{{ {'k': [q]} | escapeChar('double') | toJson }}", `{"k":["it's \\\\\\"x\\\\\\""]}`],
    [
      "[{{ nil | escapeChar('single') }}{{ e | escapeChar('double') }}] {{ i | escapeChar('shell') }}",
      "[] 12",
    ],
    ["{{ lines | indent(2) }}", "one\n  two\r\n  three\r  four"],
    ["{{ lines | indent(1, '> ') }}", "one\n> two\r\n> three\r> four"],
    ["{{ lines | indent(0) }}", "one\ntwo\r\nthree\rfour"],
    ["{{ 'a\nb' | indent(2, '\t') }} {{ 'a\n' | indent(1) }}|", "a\n\t\tb a\n |"],
    [
      "{{ 'a\nb' | nindent(2) }} {{ 'a' | nindent(4) }} {{ 'a' | nindent(1, '-') }}",
      "\n  a\n  b \n    a \n-a",
    ],
    [
      "{{ 'a\r\nb' | nindent(2) }} {{ 'a\rb' | nindent(1) }} {{ 'a\r\nb\nc' | nindent(1) }}",
      "\r\n  a\r\n  b \r a\r b \r\n a\r\n b\n c",
    ],
    ["[{{ e | indent(2) }}{{ e | nindent(2) }}{{ nil | indent(2) }}{{ nil | nindent(2) }}]", "[]"],
    [
      "{{ 'a+b%20c%2Fd' | urldecode }} {{ 'x y é' | urlencode | urldecode }} [{{ nil | urldecode }}]",
      "a b c/d x y é []",
    ],
    ["{{ 'abc' | md5 }}", "900150983cd24fb0d6963f7d28e17f72"],
    ["{{ 'abc' | sha1 }}", "a9993e364706816aba3e25717850c26c9cd0d89d"],
    [
      "{{ 'abc' | sha512 | substringBefore('9a836ba') }}",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ],
    ["[{{ nil | md5 }}{{ nil | sha1 }}{{ nil | sha512 }}]", "[]"],
  ],
  errors: [
    ["{{ path | substringBefore }}", "argument"],
    ["{{ path | substringAfter(nil) }}", "argument"],
    ["{{ path | startsWith }}", "argument"],
    ["{{ q | escapeChar }}", "argument"],
    ["{{ q | escapeChar('triple') }}", "argument"],
    ["{{ path | indent }}", "argument"],
    ["{{ path | indent(-1) }}", "argument"],
    ["{{ path | indent('2') }}", "argument"],
    ["{{ '%zz' | urldecode }}", "argument"],
    ["{{ l | md5 }}", "type"],
  ],
};

/** What needs more than a machine of states: look-around, back references, atomic groups, possessive quantifiers. */
export const BACKTRACKING: Table = {
  topic: "regex, backtracking",
  data: { ...data, as: "a".repeat(40), long: "ab".repeat(3000) },
  rows: [
    ["{{ '1234567' | regexReplace('(?<=\\d)(?=(\\d{3})+$)', ',') }}", "1,234,567"],
    ["{{ 'price 5$ 7€' | regexExtract('\\d(?=€)') }} {{ 'a1b2' | regexReplace('\\d(?!$)', '#') }}", "7 a#b2"],
    [
      "{{ 'foobar barfoo' | regexReplace('(?<!foo)bar', 'X') }} {{ '$5 €6' | regexExtract('(?<=€)\\d') }}",
      "foobar Xfoo 6",
    ],
    [
      "{{ 'aXbXc' | split('(?=X)') }} {{ 'camelCaseText' | regexReplace('(?<=[a-z])(?=[A-Z])', '_') | lower }}",
      '["a","Xb","Xc"] camel_case_text',
    ],
    [
      "{{ 'hello' | regexReplace('(.)\\1', '<$1$1>') }} {{ 'abab' | regexMatch('^(ab)\\1$') }}",
      "he<ll>o true",
    ],
    [
      "{{ 'say \"hi\"' | regexExtract('([\"])(.*?)\\1', 2) }} {{ 'xx' | regexMatch('(?<c>x)\\k<c>') }}",
      "hi true",
    ],
    ["{{ 'Aa' | regexMatch('(a)\\1') }} {{ 'Aa' | regexMatch('(?i)(a)\\1') }}", "false true"],
    [
      "{{ 'aaa' | regexMatch('a++a') }} {{ 'aaab' | regexExtract('a*+b') }} {{ 'foobar' | regexMatch('(?>foo|foobar)$') }}",
      "false aaab false",
    ],
    [
      "{{ 'ab12' | regexMatch('^(?=.*\\d)(?=.*[a-z]).{4,}$') }} {{ 'ab' | regexMatch('^(?!.*\\d).*$') }}",
      "true true",
    ],
    [
      "{{ 'aab' | regexReplace('(?=a)(a|aa)b', '-') }} {{ 'abcd' | regexReplace('(?=(b))b', '[$1]') }}",
      "- a[b]cd",
    ],
    ["{{ '😀a😀' | regexReplace('(?<=😀)a', '-') }} {{ 'aé' | regexReplace('(?=é)', '|') }}", "😀-😀 a|é"],
    ["{{ 'a.b.c' | replace({'\\.(?=[^.]*$)': '!'}, regexp=true) }}", "a.b!c"],
    [
      "{{ 'x=1;y=2' | regexExtract('(?<=y=)\\d+?') }} {{ 'aaa' | regexReplace('(?:(?=a)a){2}', 'b') }}",
      "2 ba",
    ],
  ],
  errors: [
    ["{{ as | regexMatch('(a|a)*(?!a)b') }}", "limit"],
    ["{{ as | regexMatch('(?:a*)*\\b(?=x)c(x)?\\1') }}", "limit"],
    ["{{ long | regexMatch('(?:(ab)(?=a|$))*c') }}", "limit"],
    ["{{ long | regexMatch('(?=a)' ~ '((((((((((ab))))))))))+' ~ 'c') }}", "limit"],
    ["{{ long | regexMatch('(?=a)(?:(?:(?:a|b)?+)+?)*?c') }}", "limit"],
    ["{{ 'a' | regexMatch('(?=a') }}", "argument"],
    ["{{ 'a' | regexMatch('\\1') }}", "argument"],
    ["{{ 'a' | regexMatch('\\k<x>') }}", "argument"],
    ["{{ 'a' | regexMatch('(?~a)') }}", "argument"],
  ],
};

/** Regular expressions: find semantics, Java syntax. */
export const REGEX: Table = {
  topic: "regex",
  data,
  rows: [
    [
      "{{ 'abc 123' | regexMatch('\\d+') }} {{ 'abc' | regexMatch('\\d') }} {{ 'abc' | regexMatch('b') }}",
      "true false true",
    ],
    [
      "{{ 'abc' | regexMatch('^abc$') }} {{ 'abcd' | regexMatch('^abc$') }} {{ 'abc' | regexMatch('') }}",
      "true false true",
    ],
    [
      "{{ nil | regexMatch('a') }} {{ e | regexMatch('a') }} {{ e | regexMatch('^$') }} {{ i | regexMatch('1') }}",
      "false false true true",
    ],
    [
      "{{ 'ABC' | regexMatch('abc') }} {{ 'ABC' | regexMatch('(?i)abc') }} {{ 'É' | regexMatch('(?i)é') }}",
      "false true false",
    ],
    [
      "{{ 'a\nb' | regexMatch('a.b') }} {{ 'a\nb' | regexMatch('(?s)a.b') }} {{ 'a\nb' | regexMatch('(?m)^b$') }}",
      "false true true",
    ],
    ["{{ mail | regexMatch('^[\\w.]+@[\\w.]+\\.[a-z]{2,}$') }}", "true"],
    [
      "{{ 'a1b22' | regexReplace('\\d+', '#') }} {{ 'abc' | regexReplace('x', 'y') }} {{ 'aaa' | regexReplace('a', 'b') }}",
      "a#b# abc bbb",
    ],
    [
      "{{ 'john smith' | regexReplace('(\\w+) (\\w+)', '$2, $1') }} {{ 'ab' | regexReplace('(a)(b)', '$0$2$1') }}",
      "smith, john abba",
    ],
    [
      "{{ 'k=v' | regexReplace('(?<k>\\w)=(?<v>\\w)', '${v}=${k}') }} {{ 'a' | regexReplace('a', '\\$1') }}",
      "v=k $1",
    ],
    ["{{ ' a  b ' | regexReplace('\\s+', ' ') }} {{ 'a-b_c' | regexReplace('[-_]', '') }}", " a b  abc"],
    [
      "{{ 'abc' | regexReplace('b', '') }} [{{ nil | regexReplace('a', 'b') }}{{ e | regexReplace('a', 'b') }}]",
      "ac []",
    ],
    ["{{ 'aBc' | regexReplace('(?i)b', '-') }} {{ 'abc' | regexReplace('[^b]', '.') }}", "a-c .b."],
    [
      "{{ 'order-42-x' | regexExtract('\\d+') }} {{ 'order-42' | regexExtract('(\\w+)-(\\d+)', 2) }}",
      "42 42",
    ],
    [
      "{{ 'order-42' | regexExtract('(\\w+)-(\\d+)') }} {{ 'v1.2.3' | regexExtract('(\\d+)\\.(\\d+)', 1) }}",
      "order-42 1",
    ],
    ["[{{ 'abc' | regexExtract('\\d+') }}{{ nil | regexExtract('a') }}{{ e | regexExtract('a') }}]", "[]"],
    ["{{ '2024-05-06' | regexExtract('^(\\d{4})-(\\d{2})', group=1) }}", "2024"],
    [
      "{{ 'aaa' | regexExtract('a{2}') }} {{ 'aaa' | regexExtract('a+?') }} {{ 'abab' | regexExtract('(?:ab)+') }}",
      "aa a abab",
    ],
    [
      "{{ 'x.y' | regexReplace('\\.', '/') }} {{ 'a|b' | regexReplace('\\|', '+') }} {{ 'tab\there' | regexMatch('\\t') }}",
      "x/y a+b true",
    ],
    [
      "{{ 'foo bar' | regexReplace('\\bb', 'c') }} {{ 'é' | regexMatch('\\w') }} {{ 'é' | regexMatch('\\p{L}') }}",
      "foo car false true",
    ],
    ["{{ 'abcd' | regexReplace('[a-d&&[^bc]]', '.') }} {{ 'a]b' | regexReplace('[\\]]', '') }}", ".bc. ab"],
    ["{{ 'a,b;c' | split('[,;]') }} {{ 'a1b' | replace({'\\d': '-'}, regexp=true) }}", '["a","b","c"] a-b'],
  ],
  errors: [
    ["{{ 'a' | regexMatch }}", "argument"],
    ["{{ 'a' | regexMatch('(') }}", "argument"],
    ["{{ 'a' | regexMatch('[') }}", "argument"],
    ["{{ 'a' | regexMatch('a{2,1}') }}", "argument"],
    ["{{ 'a' | regexMatch('+') }}", "argument"],
    ["{{ 'a' | regexReplace('a') }}", "argument"],
    ["{{ 'a' | regexReplace('a', '$1') }}", "argument"],
    ["{{ 'a' | regexReplace('a', '${x}') }}", "argument"],
    ["{{ 'a' | regexExtract('a', 1) }}", "argument"],
    ["{{ 'a' | regexExtract('a', -1) }}", "argument"],
    ["{{ 'a' | regexExtract('a', 'x') }}", "argument"],
    ["{{ l | regexMatch('a') }}", "type"],
  ],
};
