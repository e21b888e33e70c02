/** Templates, more of them valid than not. */
import { BUILT_IN_FUNCTION_NAMES, FILTER_NAMES, TEST_NAMES } from "../../../src/expr/mod.ts";
import type { Grammar } from "../grammar.ts";

/** Words of the expression language. */
export const TEMPLATE_TOKENS: readonly string[] = [
  ..."{{ }} {% %} {# #} {{- -}} {%- -%} ( ) [ ] { } , : . = | ~ + - * / % < > == != <= >= ?? ??? ? .. ' \" #{ \\"
    .split(" "),
  ..." and , or , not , is , contains , isIn , equals ,is not ,null,true,false,loop.index,10L,2.50".split(
    ",",
  ),
  ..."if elseif else endif for endfor set macro endmacro filter endfilter block endblock raw endraw".split(
    " ",
  ),
  ..."{% endif %}|{% else %}|{% endfor %}|{% raw %}|{% endraw %}|{{ render('{{ a }}') }}".split("|"),
  ...FILTER_NAMES,
  ...BUILT_IN_FUNCTION_NAMES,
  ...TEST_NAMES,
];

/** `template` begins it; names are those of the variables in the target. */
export const TEMPLATE_GRAMMAR: Grammar = {
  template: ["{{ <e> }}", "<part>", "<part><part>", "<part> é <part><part>"],
  part: [
    "{{ <e> }}",
    "text",
    "{{- <e> -}}",
    "{% if <e> %}<template>{% elseif <e> %}<part>{% else %}<part>{% endif %}",
    "{% for <name> in <e> %}{{ loop.index }}<template>{% else %}<part>{% endfor %}",
    "{% set <name> = <e> %}<part>",
    "{% macro f(p, q=<e>) %}<template>{% endmacro %}{{ f(<e>, q=<e>) }}",
    "{% macro f(p) %}{{ p }}{{ f(p) }}{% endmacro %}{{ f(<e>) }}",
    "{% filter <filter> %}<template>{% endfilter %}",
    "{% block 'b' %}<template>{% endblock %}{{ block('b') }}",
    "{% raw %}{{ a }}{% endraw %}",
    "{# <e> #}",
  ],
  e: [
    "<atom>",
    "<atom>",
    "<e> | <filter>",
    "<e> | <filter>",
    "<e> | <filter>(<e>)",
    "<e> | <filter>(<e>, <e>)",
    "<e> | <filter>(<parameter>=<e>)",
    "<e> <op> <e>",
    "<e> <op> <e>",
    "(<e>)",
    "<e> is <not><test>",
    "<e> ? <e> : <e>",
    "<function>(<e>)",
    "<function>(<e>, <e>)",
    "<function>(<parameter>=<e>, <parameter>=<e>)",
    "<e>[<e>]",
    "<e>.<member>",
    "<e>.<method>(<e>)",
    "[<e>, <e>]",
    "{<e>: <e>, 'k': <e>}",
    '"x#{ <e> }y"',
    "<e>..<e>",
    "not <e>",
    "-<e>",
  ],
  atom: ["a", "<name>", "<name>", "<number>", "<text>", "null", "true", "[]", "{}", "loop"],
  name: [
    ..."a b i d n big neg huge t z s l m deep long uni date json ion html dates mixed missing outputs inputs"
      .split(" "),
    "constructor",
    "__proto__",
  ],
  member: [..."k n a b length size value id first x __proto__ constructor toString".split(" "), "0"],
  method:
    "get contains startsWith substring replace size keySet toUpperCase split indexOf isEmpty entrySet values trim"
      .split(" "),
  parameter: [
    ..."format existingFormat timeZone existingTimeZone regex replacement group lower upper start end".split(
      " ",
    ),
    ..."fallback separator delimiter limit prefix suffix length from to locale expression prettyPrint".split(
      " ",
    ),
  ],
  number: [
    "1",
    "0",
    "2",
    "-1",
    "3.5",
    "0.0",
    "10000000000",
    "9223372036854775807",
    "10L",
    "99999",
    "1.0",
    "007",
  ],
  text: [
    "''",
    "'a'",
    '"b"',
    "'{{ a }}'",
    "'{{ render(s) }}'",
    "'(a*)+b'",
    "'[a-c&&[^b]]'",
    "'yyyy-MM-dd'",
    "'EEEE d MMMM yyyy HH:mm:ss.SSS z'",
    "'DAYS'",
    "'.[] | keys'",
    "'2024-02-30T25:00:00Z'",
    "'Europe/Paris'",
    "'#,##0.00;(#)'",
    "'%s %05d'",
    "'YWJj'",
    "'é漢😀'",
    "'-12.50'",
    "'k: [1, 2]'",
    "'SHA-256'",
    "'PT1H'",
  ],
  op: [..."+ - * / % ~ == != < > <= >= and or contains isIn ?? ???".split(" "), ".."],
  filter: FILTER_NAMES,
  function: BUILT_IN_FUNCTION_NAMES,
  test: TEST_NAMES,
  not: ["", "not "],
};
