/** Core filters on text, lists, numbers. */
import { testErrors, testRows } from "../support.ts";

const data = {
  l: [3, 1, 2],
  words: ["b", "a"],
  m: { a: 1, b: 2 },
  nil: null,
  e: [],
  holes: ["a", null, 1],
  long: "this is a long sentence.",
};

testRows("text filter", [
  ["{{ 'this is a long sentence.'|abbreviate(7) }}", "this..."],
  ["{{ long|abbreviate(100) }}", "this is a long sentence."],
  ["{{ long|abbreviate(3) }}", "thi"],
  ["{{ long|abbreviate(length=4) }}", "t..."],
  ["{{ -5|abs }}{{ 5|abs }}{{ -1.5|abs }}", "551.5"],
  ["{{ 'é'|base64encode }}", "w6k="],
  ["{{ 'w6k='|base64decode }}{{ 'w6k'|base64decode }}", "éé"],
  ["{{ '  hello wORLD'|capitalize }}", "  Hello wORLD"],
  ["{{ 'hello wORLD'|title }}", "Hello WORLD"],
  ["{{ 'AbC'|lower }}{{ 'AbC'|upper }}[{{ ' x \n'|trim }}]", "abcABC[x]"],
  ["{{ 12|upper }}{{ true|upper }}", "12TRUE"],
  ["[{{ nil|upper }}{{ nil|lower }}{{ nil|trim }}{{ nil|title }}{{ nil|capitalize }}{{ nil|sha256 }}]", "[]"],
  [
    "[{{ nil|abbreviate(2) }}{{ nil|base64encode }}{{ nil|split(',') }}{{ nil|replace({}) }}{{ nil|urlencode }}]",
    "[]",
  ],
  ["{{ 'a b&c=d/é~*!()'|urlencode }}", "a+b%26c%3Dd%2F%C3%A9%7E*%21%28%29"],
  ["{{ 'a1b2'|replace({'(\\d)':'-$1-'}, regexp=true) }}", "a-1-b-2-"],
  ["{{ 'a.b.c'|replace({'.':'-'}) }}", "a-b-c"],
  ["{{ [1, 'a1', {'n': ['1']}]|replace({'1':'x'}) }}", '["x","ax",{"n":["x"]}]'],
  ["{{ 'I like A and B'|replace({'A': 'x', 'B': 'y'}) }}", "I like x and y"],
  ["{{ 'ab'|replace({'a': 'b', 'b': 'c'}) }}", "cc"],
  ["{{ 'cost'|replace({'o': '$1'}) }}", "c$1st"],
  ["{{ 'x' | sha256 }}", "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"],
  ["{{ '%s is %d and %.2f %%'|format(['x', 5, 2.5]) }}", "x is 5 and 2.50 %"],
  ["{{ '%,d %,d %,d %,d %,d'|format([1, 123, 1234, 123456, -123456]) }}", "1 123 1,234 123,456 -123,456"],
  [
    "{{ '%,.4f %,+d %,e'|format([12345.67891, 9876543, 123456.0]) }}",
    "12,345.6789 +9,876,543 1.234560e+05",
  ],
  ["{{ '%,d'|format(9223372036854775807) }}", "9,223,372,036,854,775,807"],
  ["{{ '[%5s|%-5s|%05d|%,d]'|format(['a', 'b', 42, 1234567]) }}", "[    a|b    |00042|1,234,567]"],
  ["{{ 'a\nb'|nl2br }}", "a<br />\nb"],
], data);

testErrors("text filter", [
  ["{{ m|trim }}", "type"],
  ["{{ 'a'|abbreviate('x') }}", "argument"],
  ["{{ 'a'|abs }}", "type"],
  ["{{ '*'|base64decode }}", "argument"],
  ["{{ 'a'|replace('b') }}", "argument"],
  ["{{ 'a'|replace({'(': 'b'}, regexp=true) }}", "argument"],
  ["{{ 'a'|replace({'a': '$2'}, regexp=true) }}", "argument"],
  ["{{ '%q'|format([1]) }}", "argument"],
  ["{{ '%s %s'|format([1]) }}", "argument"],
  ["{{ '%d'|format(['a']) }}", "type"],
], data);

testRows("list filter", [
  ["{{ l|first }}{{ l|last }}{{ 'abc'|first }}{{ 'abc'|last }}", "32ac"],
  ["[{{ e|first }}{{ e|last }}{{ nil|first }}{{ ''|last }}]", "[]"],
  ["{{ l|join(',') }} {{ l|join }} {{ holes|join('-') }}", "3,1,2 312 a-null-1"],
  ["{{ l|length }}{{ m|length }}{{ 'ab'|length }}{{ nil|length }}{{ 5|length }}{{ true|length }}", "322000"],
  ["{{ 'abcdef'|slice(1, 3) }}{{ 'abc'|slice(1) }}{{ l|slice(0, 2) }}", "bcbc[3,1]"],
  ["{{ l|sort }}{{ l|rsort }}{{ l|reverse }}{{ words|sort }}", '[1,2,3][3,2,1][2,1,3]["a","b"]'],
  ["{{ [2, 1.5]|sort }}", "[1.5,2]"],
  ["{{ 'a,b,,c,,'|split(',') }}", '["a","b","","c"]'],
  ["{{ 'a,b,,c,,'|split(',', -1) }}", '["a","b","","c","",""]'],
  ["{{ 'a,b,c'|split(',', 2) }}", '["a","b,c"]'],
  ["{{ 'a1b22c'|split('\\d+') }}", '["a","b","c"]'],
  ["{{ 'abc'|split('') }}", '["a","b","c"]'],
  ["{{ 'a|b'|split('\\|') }}", '["a","b"]'],
  ["{{ 'abc'|split(';') }}", '["abc"]'],
  ["{{ ',a'|split(',') }}", '["","a"]'],
  ["{{ l|merge([9]) }}", "[3,1,2,9]"],
  ["{{ {'one': 1}|merge(['two', 3]) }}", '{"3":3,"one":1,"two":"two"}'],
  ["{{ ([1]|merge({'two': 2}))[1].key }}{{ ([1]|merge({'two': 2}))[1].value }}", "two2"],
  ["{{ m|merge({'b': 3, 'c': 4}) }}", '{"a":1,"b":3,"c":4}'],
], data);

testErrors("list filter", [
  ["{{ 'abc'|sort }}", "type"],
  ["{{ 'abc'|rsort }}", "type"],
  ["{{ 'abc'|reverse }}", "type"],
  ["{{ holes|sort }}", "type"],
  ["{{ 'abc'|slice(-1) }}", "argument"],
  ["{{ 'abc'|slice(0, 4) }}", "argument"],
  ["{{ 'abc'|slice(2, 2) }}", "argument"],
  ["{{ 5|slice(0, 1) }}", "type"],
  ["{{ 'abc'|join(',') }}", "type"],
  ["{{ l|merge('x') }}", "type"],
  ["{{ m|merge('x') }}", "type"],
  ["{{ m|first }}", "type"],
], data);

testRows("numberFormat", [
  ["{{ 2.718281828|numberFormat('####.##') }}", "2.72"],
  ["{{ 2.5|numberFormat('0') }}", "2"],
  ["{{ 3.5|numberFormat('0') }}", "4"],
  ["{{ 0.5|numberFormat('0') }}", "0"],
  ["{{ 2.675|numberFormat('0.00') }}", "2.67"],
  ["{{ 0.125|numberFormat('0.00') }}", "0.12"],
  ["{{ 1234567.891|numberFormat('#,##0.00') }}", "1,234,567.89"],
  ["{{ 0.256|numberFormat('0%') }}", "26%"],
  ["{{ -3.2|numberFormat('0.0') }}", "-3.2"],
  ["{{ -3.2|numberFormat('0.0;(0.0)') }}", "(3.2)"],
  ["{{ 5|numberFormat('000') }}", "005"],
  ["{{ 5|numberFormat('$#,##0.00') }}", "$5.00"],
  ["{{ 0.5|numberFormat('#.##') }}", "0.5"],
  ["{{ 9.99|numberFormat('0.#') }}", "10"],
  ["[{{ nil|numberFormat('0') }}]", "[]"],
], data);

testErrors("numberFormat", [
  ["{{ 'a'|numberFormat('0') }}", "type"],
  ["{{ 1|numberFormat('abc') }}", "argument"],
], data);
