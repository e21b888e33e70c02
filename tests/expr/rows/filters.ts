/** Core filters, one table a family. */
import type { Table } from "./table.ts";

const data = {
  long: "this is a long sentence.",
  l: [3, 1, 2],
  words: ["pear", "Apple", "fig"],
  m: { b: 2, a: 1 },
  nil: null,
  e: "",
  el: [],
  em: {},
  i: 12,
  neg: -12,
  d: 2.5,
  t: true,
  holes: ["a", null, 1, 2.5, true, [1], { k: "v" }],
  uni: "éà 漢😀",
};

/** Filters on text. */
export const TEXT_FILTERS: Table = {
  topic: "text filters",
  data,
  rows: [
    ["{{ long | abbreviate(7) }}", "this..."],
    ["{{ long | abbreviate(24) }}", "this is a long senten..."],
    ["{{ long | abbreviate(25) }}", "this is a long sentence."],
    ["{{ 'abc' | abbreviate(4) }} {{ 'abcdef' | abbreviate(4) }}", "abc a..."],
    [
      "{{ 'abcdef' | abbreviate(3) }} {{ 'abcdef' | abbreviate(1) }}[{{ 'abcdef' | abbreviate(0) }}]",
      "abc a[]",
    ],
    ["{{ -5 | abs }} {{ neg | abs }} {{ -2.5 | abs }} {{ 0 | abs }} {{ i | abs }}", "5 12 2.5 0 12"],
    [
      "{{ 'hello' | base64encode }} {{ '' | base64encode }}| {{ uni | base64encode }}",
      "aGVsbG8= | w6nDoCDmvKLwn5iA",
    ],
    ["{{ 'aGVsbG8=' | base64decode }} {{ 'w6nDoCDmvKLwn5iA' | base64decode }}", "hello éà 漢😀"],
    ["{{ 'a?>' | base64encode }} {{ 'a' | base64encode | base64decode }}", "YT8+ a"],
    [
      "{{ 'hello World' | capitalize }} {{ '  abc' | capitalize }} {{ 'éa' | capitalize }}",
      "Hello World   Abc Éa",
    ],
    ["{{ 'ABC' | capitalize }} {{ '1a' | capitalize }}[{{ '' | capitalize }}]", "ABC 1a[]"],
    ["{{ 'hello wORLD foo-bar' | title }}", "Hello WORLD Foo-bar"],
    ["{{ 'a\tb\nc  d' | title }} {{ \"o'neil\" | title }}", "A\tB\nC  D O'neil"],
    ["{{ 'ÀB' | lower }} {{ 'straße é' | upper }}", "àb STRASSE É"],
    ["[{{ ' \t\n a b \r\n' | trim }}]", "[a b]"],
    ["{{ i | upper }} {{ t | upper }} {{ d | trim }} {{ i | length }}", "12 TRUE 2.5 0"],
    [
      "{{ holes | upper }} {{ m | lower }} {{ el | upper }}",
      "[A, NULL, 1, 2.5, TRUE, [1], {K=V}] {b=2, a=1} []",
    ],
    ["{{ l | base64encode | base64decode }} {{ m | base64encode }}", "[3, 1, 2] e2I9MiwgYT0xfQ=="],
    [
      "{{ 'a b' | urlencode }} {{ 'é/?&=+%' | urlencode }} {{ 'a-b_c.d*e' | urlencode }}",
      "a+b %C3%A9%2F%3F%26%3D%2B%25 a-b_c.d*e",
    ],
    ["{{ \"'()!~\" | urlencode }} {{ '😀' | urlencode }}", "%27%28%29%21%7E %F0%9F%98%80"],
    ["{{ 'abc' | sha256 }}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["{{ '' | sha256 }}", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["{{ 'é' | sha256 | length }}", "64"],
    ["{{ 'a\nb\r\nc' | nl2br }}", "a<br />\nb<br />\r\nc"],
    ["{{ '%s-%s' | format(['a', 1]) }} {{ 'x%s' | format('y') }}", "a-1 xy"],
    ["{{ 'I like %s and %s.' | format('foo', 'bar') }}", "I like foo and bar."],
    ["{{ '%d%%' | format(5) }} {{ '%05.1f' | format(2.25) }} {{ '%x' | format(255) }}", "5% 002.3 ff"],
    [
      "{{ '%2$s %1$s' | format(['a', 'b']) }} {{ '%-4s|' | format('a') }} {{ '%S' | format('a') }}",
      "b a a   | A",
    ],
    [
      "{{ '%,d %+d %X %o %c %b %e' | format([1234567, 5, 255, 8, 'z', true, 12345.678]) }}",
      "1,234,567 +5 FF 10 z true 1.234568e+04",
    ],
    [
      "[{{ nil | abbreviate(3) }}{{ nil | abs }}{{ nil | base64encode }}{{ nil | base64decode }}{{ nil | capitalize }}]",
      "[]",
    ],
    [
      "[{{ nil | title }}{{ nil | lower }}{{ nil | upper }}{{ nil | trim }}{{ nil | urlencode }}{{ nil | sha256 }}{{ nil | nl2br }}]",
      "[]",
    ],
    [
      "[{{ nil | split(',') }}{{ nil | replace({'a': 'b'}) }}{{ nil | numberFormat('0') }}{{ nil | format(1) }}]",
      "[]",
    ],
  ],
  errors: [
    ["{{ long | abbreviate }}", "argument"],
    ["{{ long | abbreviate(-1) }}", "argument"],
    ["{{ long | abbreviate('7') }}", "argument"],
    ["{{ l | title }}", "type"],
    ["{{ l | trim }}", "type"],
    ["{{ 'a' | abs }}", "type"],
    ["{{ l | abs }}", "type"],
    ["{{ 'not base64!' | base64decode }}", "argument"],
    ["{{ l | sha256 }}", "type"],
    ["{{ '%d' | format('a') }}", "type"],
    ["{{ '%s %s' | format('a') }}", "argument"],
    ["{{ long | escape }}", "unknown_filter"],
    ["{{ long | raw }}", "unknown_filter"],
    ["{{ 1 | numberformat('0') }}", "unknown_filter"],
    ["{{ long | striptags }}", "unknown_filter"],
  ],
};

/** Filters on lists, and those that take either. */
export const LIST_FILTERS: Table = {
  topic: "list filters",
  data,
  rows: [
    ["{{ l | first }} {{ l | last }} {{ 'abc' | first }} {{ 'abc' | last }}", "3 2 a c"],
    ["[{{ el | first }}{{ el | last }}{{ e | first }}{{ e | last }}{{ nil | first }}{{ nil | last }}]", "[]"],
    ["{{ (el | first) is null }} {{ [nil] | first is null }}", "true true"],
    [
      "{{ l | join(',') }} {{ l | join }} {{ l | join(' - ') }} {{ l | join('') }}",
      "3,1,2 312 3 - 1 - 2 312",
    ],
    ["{{ holes | join('|') }}", "a|null|1|2.5|true|[1]|{k=v}"],
    ["[{{ el | join(',') }}{{ nil | join(',') }}]", "[]"],
    ["{{ [['a', 'b'], ['c']] | join(';') }}", "[a, b];[c]"],
    [
      "{{ 'abc' | length }} {{ l | length }} {{ m | length }} {{ uni | length }} {{ e | length }}",
      "3 3 2 6 0",
    ],
    ["{{ nil | length }} {{ i | length }} {{ t | length }} {{ d | length }} {{ em | length }}", "0 0 0 0 0"],
    ["{{ 'abcdef' | slice(1, 3) }} {{ 'abcdef' | slice(2) }} {{ 'abcdef' | slice(0, 6) }}", "bc cdef abcdef"],
    [
      "{{ 'abc' | slice }} {{ l | slice }} {{ l | slice(toIndex=2) }} [{{ nil | slice }}]",
      "abc [3,1,2] [3,1] []",
    ],
    [
      "[{{ 'abc' | slice(3) }}{{ e | slice }}{{ e | slice(0) }}] {{ l | slice(3) }} {{ el | slice(0, null) }}",
      "[] [] []",
    ],
    ["{{ l | slice(1) }} {{ l | slice(0, 1) }} {{ l | slice(0, 3) }}", "[1,2] [3] [3,1,2]"],
    ["{{ l | sort }} {{ l | rsort }} {{ l | reverse }} {{ l }}", "[1,2,3] [3,2,1] [2,1,3] [3,1,2]"],
    ["{{ words | sort }} {{ words | rsort }}", '["Apple","fig","pear"] ["pear","fig","Apple"]'],
    ["{{ [2.5, 1, 10] | sort }} {{ ['10', '9'] | sort }} {{ el | sort }}", '[1,2.5,10] ["10","9"] []'],
    ["[{{ nil | sort }}{{ nil | rsort }}{{ nil | reverse }}{{ nil | slice(0) }}]", "[]"],
    [
      "{{ 'a,b,c' | split(',') }} {{ 'a.b' | split('\\.') }} {{ 'abc' | split(',') }}",
      '["a","b","c"] ["a","b"] ["abc"]',
    ],
    [
      "{{ 'a  b c' | split(' +') }} {{ 'a1b2c' | split('[0-9]') }} {{ 'abc' | split('') }}",
      '["a","b","c"] ["a","b","c"] ["a","b","c"]',
    ],
    [
      "{{ 'a,b,c,d' | split(',', 2) }} {{ 'a,b,c,d' | split(',', 1) }} {{ 'a,b' | split(',', 9) }}",
      '["a","b,c,d"] ["a,b,c,d"] ["a","b"]',
    ],
    [
      "{{ 'a,,b,,' | split(',') }} {{ 'a,,b,,' | split(',', -1) }} {{ 'a,,b,,' | split(',', 0) }}",
      '["a","","b"] ["a","","b","",""] ["a","","b"]',
    ],
    ["{{ ',a' | split(',') }} {{ '' | split(',') }} {{ ',' | split(',') }}", '["","a"] [""] []'],
    ["{{ 'a|b' | split('\\|') }} {{ 'aXbxc' | split('(?i)x') }}", '["a","b"] ["a","b","c"]'],
    ["{{ l | merge([4, 3]) }} {{ el | merge(l) }} {{ l | merge([]) }}", "[3,1,2,4,3] [3,1,2] [3,1,2]"],
    [
      "{{ m | merge({'c': 3}) }} {{ m | merge({'a': 9}) }} {{ em | merge(m) }}",
      '{"b":2,"a":1,"c":3} {"b":2,"a":9} {"b":2,"a":1}',
    ],
    ["{{ nil | merge(l) }} {{ l | merge(nil) }}", "[3,1,2] [3,1,2]"],
    ["{{ 'aba' | replace({'a': 'x'}) }} {{ 'abc' | replace({'a': '1', 'c': '3'}) }}", "xbx 1b3"],
    [
      "{{ 'ab' | replace({'a': 'b', 'b': 'c'}) }} {{ 'a.b' | replace({'.': ''}) }} {{ 'a' | replace({}) }}",
      "cc ab a",
    ],
    ["{{ 'a1b22' | replace({'\\d+': '#'}, regexp=true) }} {{ 'a1' | replace({'\\d': '#'}) }}", "a#b# a1"],
    [
      "{{ 'a1b2'|replace({'(\\d)':'-$1-'}, regexp=true) }} {{ 'ab'|replace({'(a)(b)':'$2$1'}, true) }}",
      "a-1-b-2- ba",
    ],
    ["{{ 'cost 5' | replace({'5': '$1'}) }} {{ 'x' | replace({'x': 5}) }}", "cost $1 5"],
    ["{{ 'a\nb' | replace({'\n': ' '}) }}", "a b"],
  ],
  errors: [
    ["{{ m | first }}", "type"],
    ["{{ i | last }}", "type"],
    ["{{ 'abc' | join(',') }}", "type"],
    ["{{ m | join(',') }}", "type"],
    ["{{ 'abc' | slice(-1) }}", "argument"],
    ["{{ 'abc' | slice(0, 4) }}", "argument"],
    ["{{ 'abc' | slice(2, 1) }}", "argument"],
    ["{{ 'abc' | slice(1, 1) }}", "argument"],
    ["{{ 'abc' | slice(3, 3) }}", "argument"],
    ["{{ l | slice(4) }}", "argument"],
    ["{{ e | slice(0, 0) }}", "argument"],
    ["{{ i | slice(0) }}", "type"],
    ["{{ 'cab' | sort }}", "type"],
    ["{{ 'cab' | rsort }}", "type"],
    ["{{ 'cab' | reverse }}", "type"],
    ["{{ m | sort }}", "type"],
    ["{{ [1, 'a'] | sort }}", "type"],
    ["{{ [1, null] | sort }}", "type"],
    ["{{ 'a' | split }}", "argument"],
    ["{{ 'a' | split('(') }}", "argument"],
    ["{{ l | split(',') }}", "type"],
    ["{{ l | merge(2) }}", "type"],
    ["{{ 'a' | merge('b') }}", "type"],
    ["{{ l | merge }}", "argument"],
    ["{{ 'a' | replace }}", "argument"],
    ["{{ 'a' | replace('a', 'b') }}", "argument"],
    ["{{ 'a' | replace({'(': 'b'}, regexp=true) }}", "argument"],
    ["{{ 'a' | replace({'a': '$1'}, regexp=true) }}", "argument"],
    ["{{ 'a' | replace({'a': 'b'}, regexp='yes') }}", "argument"],
  ],
};

/** `numberFormat` and `number`. */
export const NUMBER_FILTERS: Table = {
  topic: "number filters",
  data: { ...data, nines: "9".repeat(400) },
  rows: [
    ["{{ 2.718281828 | numberFormat('####.##') }}", "2.72"],
    [
      "{{ 3.14159 | numberFormat('0.000') }} {{ 3.1 | numberFormat('0.000') }} {{ 3 | numberFormat('0.00') }}",
      "3.142 3.100 3.00",
    ],
    [
      "{{ 1234567.891 | numberFormat('#,##0.00') }} {{ 1234 | numberFormat('#,###') }} {{ 12 | numberFormat('#,##0') }}",
      "1,234,567.89 1,234 12",
    ],
    [
      "{{ 0.5 | numberFormat('0%') }} {{ 0.125 | numberFormat('0.0%') }} {{ 1.256 | numberFormat('#%') }}",
      "50% 12.5% 126%",
    ],
    [
      "{{ 0.5 | numberFormat('0') }} {{ 1.5 | numberFormat('0') }} {{ 2.5 | numberFormat('0') }} {{ 3.5 | numberFormat('0') }}",
      "0 2 2 4",
    ],
    [
      "{{ 0.125 | numberFormat('0.00') }} {{ 0.375 | numberFormat('0.00') }} {{ -0.125 | numberFormat('0.00') }}",
      "0.12 0.38 -0.12",
    ],
    [
      "{{ -1234.5 | numberFormat('#,##0.00') }} {{ -5 | numberFormat('0;(0)') }} {{ 5 | numberFormat('0;(0)') }}",
      "-1,234.50 (5) 5",
    ],
    [
      "{{ 5 | numberFormat('000') }} {{ 1234 | numberFormat('000') }} {{ 0 | numberFormat('#') }} {{ 0 | numberFormat('#.##') }}",
      "005 1234 0 0",
    ],
    [
      "{{ 0.5 | numberFormat('#.##') }} {{ 0.5 | numberFormat('0.##') }} {{ 5 | numberFormat('0.##') }}",
      "0.5 0.5 5",
    ],
    [
      "{{ 0.5 | numberFormat('#,###.##') }} {{ -0.005 | numberFormat('#.#%') }} {{ 0.5 | numberFormat('#.0') }} {{ 0 | numberFormat('.##') }}",
      "0.5 -0.5% .5 .0",
    ],
    ["{{ 12 | numberFormat('0.') }} {{ 12.5 | numberFormat('#,##0.') }}", "12. 12."],
    [
      "{{ -0.004 | numberFormat('0.0') }} {{ -0.004 | numberFormat('0;neg 0') }} {{ -0.004 | numberFormat('0;(0)') }}",
      "-0.0 neg 0 (0)",
    ],
    ["{{ -12 | numberFormat('0;') }} {{ -12 | numberFormat('0;0') }}", "-12 -12"],
    [
      "{{ 1 | numberFormat(\"0 'it''s'\") }} {{ 1 | numberFormat(\"0''\") }} {{ 1 | numberFormat(\"'''#'0\") }}",
      "1 it's 1' '#1",
    ],
    ["{{ -0.5 | numberFormat('¤0.00') }} {{ 2 | numberFormat(\"0 ¤¤ '¤'\") }}", "-$0.50 2 USD ¤"],
    [
      "{{ 12.3 | numberFormat('$0.00') }} {{ 12.3 | numberFormat('0.00 €') }} {{ 7 | numberFormat(\"0 'pcs'\") }}",
      "$12.30 12.30 € 7 pcs",
    ],
    ["{{ 0.0126 | numberFormat('0.0‰') }}", "12.6‰"],
    ["{{ 12345 | numberFormat('0.###E0') }} {{ 0.00012 | numberFormat('00.00E0') }}", "1.234E4 12.00E-5"],
    [
      "{{ 0.5 | numberFormat('##0.##E0') }} {{ 1234567.891 | numberFormat('##0.##E0') }} {{ -12.5 | numberFormat('##0.##E0') }}",
      "500E-3 1.2346E6 -12.5E0",
    ],
    [
      "{{ 0 | numberFormat('##0.0E00') }} {{ 99.995 | numberFormat('#0.0E0') }} {{ 123 | numberFormat('#.##E0') }}",
      "0.0E00 1.0E2 1.23E2",
    ],
    ["{{ 1234567 | numberFormat('#,##,##0') }}", "1,234,567"],
    ["{{ 1234.5678 | numberFormat }} {{ 12 | numberFormat }}", "1,234.568 12"],
    ["{{ 9223372036854775807 | numberFormat('#,##0') }}", "9,223,372,036,854,775,807"],
    [
      "{{ '1.015' | number('BIGDECIMAL') | numberFormat('0.00') }} {{ 1.015 | numberFormat('0.00') }} {{ 1015 | numberFormat('0.00E0') }}",
      "1.02 1.01 1.02E3",
    ],
    [
      "{{ '3.1415926535897932384' | number | numberFormat('0.0000000000000000000') }}",
      "3.1415926535897932384",
    ],
    [
      "{{ '1e23' | number | numberFormat }} {{ 0.1 | numberFormat('0.####################') }}",
      "100,000,000,000,000,000,000,000 0.1",
    ],
    ["{{ '1e308' | number | numberFormat('0%') }} {{ '-1e308' | number | numberFormat('0E0%') }}", "∞% -∞%"],
    ["{{ nines | number | numberFormat('0.0E0') }}", "1.0E400"],
    [
      "{{ '5e-324' | number | numberFormat('0E0') }} {{ '1.7976931348623157e308' | number | numberFormat('0.00E0') }}",
      "5E-324 1.80E308",
    ],
    [
      "{{ -0.0 | numberFormat }} {{ fromJson('-0') | numberFormat }} {{ '-0.0' | number('BIGDECIMAL') | numberFormat }}",
      "-0 0 0",
    ],
    ["{{ '12' | number }} {{ '12' | number + 1 }} {{ '-7' | number }} {{ '+7' | number }}", "12 13 -7 7"],
    [
      "{{ '1.5' | number }} {{ '1.5' | number + 1 }} {{ '1e3' | number }} {{ '5000000000' | number }}",
      "1.5 2.5 1000.0 5000000000",
    ],
    [
      "{{ '12' | number('INT') }} {{ '12' | number('LONG') }} {{ '12' | number('DOUBLE') }} {{ '12' | number('FLOAT') }}",
      "12 12 12.0 12.0",
    ],
    [
      "{{ '12.5' | number('DOUBLE') }} {{ '12.5' | number('FLOAT') }} {{ '0.1' | number('FLOAT') }}",
      "12.5 12.5 0.1",
    ],
    [
      "{{ '12' | number('BIGINTEGER') }} {{ '12' | number('BIGDECIMAL') }} {{ '12.50' | number('BIGDECIMAL') > 12 }}",
      "12 12 true",
    ],
    ["{{ '123456789012345678901234567890' | number('BIGINTEGER') }}", "123456789012345678901234567890"],
    ["{{ '7' | number(type='DOUBLE') / 2 }} {{ '7' | number / 2 }}", "3.5 3"],
    [
      "{{ '0x1F' | number }} {{ '#FF' | number }} {{ '-0X1a' | number }} {{ '0xFF' | number('LONG') }} {{ '#F' | number('BIGINTEGER') }}",
      "31 255 -26 255 15",
    ],
    [
      "{{ '10L' | number }} {{ '10f' | number }} {{ '10D' | number }} {{ '2.5d' | number('FLOAT') }} {{ '1e3f' | number('DOUBLE') }}",
      "10 10.0 10.0 2.5 1000.0",
    ],
    [
      "{{ '9223372036854775808' | number }} {{ '-99999999999999999999' | number }} {{ '99999999999999999999L' | number }}",
      "9223372036854775808 -99999999999999999999 99999999999999999999",
    ],
    ["{{ '12' | number('int') }} {{ '1.5' | number('NOPE') }} {{ '12' | number('') }}", "12 1.5 12"],
    [
      "{{ '1.10' | number('BIGDECIMAL') }} {{ ['+.50' | number('BIGDECIMAL')] }} {{ '3.1415926535897932384' | number }}",
      "1.10 [0.50] 3.1415926535897932384",
    ],
    [
      "{{ '1.10' | number('BIGDECIMAL') + 1 }} {{ '0.00010' | number('BIGDECIMAL') | toJson }} {{ '1.10' | number('BIGDECIMAL') == 1.1 }}",
      "2.1 0.00010 true",
    ],
    [
      "{{ '-99999999999999999999' | number | abs }} {{ -0.0 | abs }} {{ -1.5 | abs }}",
      "99999999999999999999 0.0 1.5",
    ],
    ["{{ '-0.00' | number('BIGDECIMAL') }} {{ '-.50' | number('BIGDECIMAL') }}", "0.00 -0.50"],
    ["{{ ['1', '2'] | first | number }} [{{ nil | number }}]", "1 []"],
    ["{{ i | string }} {{ d | string }} {{ i | string + 1 }} [{{ nil | string }}]", "12 2.5 121 []"],
    ["{{ i | string | length }} {{ 2.0 | string }} {{ t | string }}", "2 2.0 true"],
  ],
  errors: [
    ["{{ 'a' | numberFormat('0') }}", "type"],
    ["{{ l | numberFormat('0') }}", "type"],
    ["{{ 1 | numberFormat('abc') }}", "argument"],
    ["{{ 1 | numberFormat('0.0.0') }}", "argument"],
    ["{{ 1 | numberFormat('0#') }}", "argument"],
    ["{{ 'abc' | number }}", "argument"],
    ["{{ '' | number }}", "argument"],
    ["{{ '1,000' | number }}", "argument"],
    ["{{ '1.5' | number('INT') }}", "argument"],
    ["{{ '3000000000' | number('INT') }}", "argument"],
    ["{{ '1.5L' | number }}", "argument"],
    ["{{ '10L' | number('LONG') }}", "argument"],
    ["{{ '10d' | number('BIGDECIMAL') }}", "argument"],
    ["{{ '0x' | number }}", "argument"],
    ["{{ '0x1.8' | number }}", "argument"],
    ["{{ '1_000' | number }}", "argument"],
    ["{{ i | number }}", "type"],
    ["{{ l | number }}", "type"],
  ],
};

/** The Java classes of numbers, also of those that values do not tell apart. */
export const CLASS_NAMES: Table = {
  topic: "className",
  data: { ...data, long: 3000000000, stamp: "2024-05-06T07:08:09Z" },
  rows: [
    [
      "{{ i | className }} {{ long | className }} {{ d | className }}",
      "java.lang.Integer java.lang.Long java.lang.Double",
    ],
    ["{{ 1 | className }} {{ 1.5 | className }}", "java.lang.Long java.lang.Double"],
    [
      "{{ stamp | timestamp | className }} {{ stamp | timestampMilli | className }}",
      "java.lang.Long java.lang.Long",
    ],
    [
      "{{ '2147483647' | number | className }} {{ '2147483648' | number | className }}",
      "java.lang.Integer java.lang.Long",
    ],
    [
      "{{ '9223372036854775807' | number | className }} {{ '9223372036854775808' | number | className }}",
      "java.lang.Long java.math.BigInteger",
    ],
    [
      "{{ '12.3' | number | className }} {{ '123456.789' | number | className }} {{ '3.1415926535897932384' | number | className }}",
      "java.lang.Float java.lang.Double java.math.BigDecimal",
    ],
    [
      "{{ '10L' | number | className }} {{ '10f' | number | className }} {{ '10d' | number | className }} {{ '#FF' | number | className }}",
      "java.lang.Long java.lang.Float java.lang.Double java.lang.Integer",
    ],
    [
      "{{ '12' | number('INT') | className }} {{ '12' | number('LONG') | className }} {{ '12' | number('NOPE') | className }}",
      "java.lang.Integer java.lang.Long java.lang.Integer",
    ],
    [
      "{{ '12' | number('FLOAT') | className }} {{ '12' | number('DOUBLE') | className }}",
      "java.lang.Float java.lang.Double",
    ],
    [
      "{{ '9223372036854775807' | number('BIGDECIMAL') | className }} {{ '12' | number(type='BIGINTEGER') | className }}",
      "java.math.BigDecimal java.math.BigInteger",
    ],
    ["[{{ nil | number | className }}{{ nil | timestamp | className }}]", "[]"],
  ],
  errors: [
    ["{{ 'x' | number | className }}", "argument"],
    ["{{ nope | number | className }}", "undefined"],
  ],
};
