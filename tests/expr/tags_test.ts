/** Tags and tests: `if for set macro filter block verbatim raw`, and what `is` takes. */
import { testErrors, testRows } from "./support.ts";

const data = { l: ["a", "b"], m: { k: 1, j: 2 }, n: 3, root: "r", nil: null, e: [], json: '{"a":1}' };

testRows("tags", [
  ["{% if n == 1 %}1{% elseif n == 2 %}2{% elseif n == 3 %}3{% else %}x{% endif %}", "3"],
  ["{% if false %}1{% endif %}", ""],
  ["{% for x in l %}{{ x }}{% endfor %}", "ab"],
  ["{% for e in m %}{{ e.key }}={{ e.value }};{% endfor %}", "k=1;j=2;"],
  ["{% for x in 1..3 %}{{ x }}{% endfor %}", "123"],
  ["{% for x in e %}x{% else %}none{% endfor %}", "none"],
  ["{% for x in {} %}x{% else %}none{% endfor %}", "none"],
  [
    "{% for x in l %}{{ loop.index }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }} {% endfor %}",
    "01truefalse2 10falsetrue2 ",
  ],
  ["{% for x in l %}{% for y in l %}{{ loop.index }}{% endfor %}{{ loop.index }},{% endfor %}", "010,011,"],
  ["{% for x in l %}{% endfor %}{{ x ?? 'gone' }}{{ loop ?? 'gone' }}", "gonegone"],
  ["{% set a = 1 %}{{ a }}{% set a = a + 1 %}{{ a }}", "12"],
  ["{% set t = 0 %}{% for x in 1..4 %}{% set t = t + x %}{% endfor %}{{ t }}", "10"],
  ["{% for x in l %}{% set new = x %}{{ new }}{% endfor %}{{ new ?? 'gone' }}", "abgone"],
  ["{% for x in l %}{% set root = x %}{% endfor %}{{ root }}", "b"],
  ["{% if true %}{% set a = 1 %}{% endif %}{{ a }}", "1"],
  ["{% set a = 1 %}{{ render('{{ a }}{% set a = 2 %}{{ a }}') }}{{ a }}", "121"],
  ["{% set a = 1 %}{{ render('{% for x in l %}{% set root = x %}{% endfor %}{{ root }}') }}{{ root }}", "br"],
  ["{% set a = null %}[{{ a }}]", "[]"],
  [
    "{% macro f(a, b='d') %}{{ a }}-{{ b }};{% endmacro %}{{ f(1) }}{{ f(1, b=2) }}{{ f(1, 3) }}",
    "1-d;1-2;1-3;",
  ],
  ["{{ f(2) }}{% macro f(a) %}<{{ a }}>{% endmacro f %}", "<2>"],
  ["{% macro f(a) %}{{ a }}{{ root ?? 'hidden' }}{% endmacro %}{{ f('x') }}", "xhidden"],
  ["{% set y = 1 %}{% macro f() %}{{ y ?? 'hidden' }}{% endmacro %}{{ f() }}{{ y }}", "hidden1"],
  ["{% macro f(a) %}[{{ a }}]{% endmacro %}{{ f() }}", "[]"],
  ["{% macro c(n) %}{{ n }}{% if n > 0 %}{{ c(n - 1) }}{% endif %}{% endmacro %}{{ c(3) }}", "3210"],
  ["{% macro f() %}ab{% endmacro %}{{ f() | upper }}", "AB"],
  ["{% macro f() %}{% set q = 1 %}{{ q }}{% endmacro %}{{ f() }}{{ q ?? 'gone' }}", "1gone"],
  ["{% filter upper %}a{{ root }}{% endfilter %}", "AR"],
  ["{% filter upper | replace({'A': 'x'}) %}aba{% endfilter %}", "xBx"],
  ['{% block "n" %}x{{ n }}{% endblock %}{{ block("n") }}', "x3x3"],
  ["{% block n %}x{% endblock n %}", "x"],
  ["{% verbatim %}{{ a }}{% if %}{% endverbatim %}", "{{ a }}{% if %}"],
  ["{% raw %}{{ a }}{# b #}{% endraw %}", "{{ a }}{# b #}"],
  ["a {%- raw -%} b {%- endraw -%} c", "a  b  c"],
  ["a {%- verbatim -%} b {%- endverbatim -%} c", "abc"],
  ["{{ render('{% raw %}{{ root }}{% endraw %}{{ root }}') }}", "{{ root }}r"],
  ["{{ render('{% verbatim %}{{ root }}{% endverbatim %}') }}", "r"],
  ["{{ renderOnce('{% verbatim %}{{ root }}{% endverbatim %}') }}", "{{ root }}"],
], data);

testErrors("tags", [
  ["{% for x in 'text' %}{% endfor %}", "type"],
  ["{% for x in 5 %}{% endfor %}", "type"],
  ["{% if true %}", "syntax"],
  ["{% if true %}{% endfor %}", "syntax"],
  ["{% else %}", "syntax"],
  ["{% endif %}", "syntax"],
  ["{% nope %}", "syntax"],
  ["{% include 'x' %}", "syntax"],
  ["{% import 'x' %}", "syntax"],
  ["{% extends 'x' %}", "syntax"],
  ["{% autoescape false %}{% endautoescape %}", "syntax"],
  ["{% raw %}", "syntax"],
  ["{% verbatim %}", "syntax"],
  ["{% set a %}", "syntax"],
  ["{% set a.b = 1 %}", "syntax"],
  ["{% for x of l %}{% endfor %}", "syntax"],
  ["{% macro f( %}{% endmacro %}", "syntax"],
  ["{% macro f(a) %}{% endmacro %}{{ f(b=1) }}", "argument"],
  ["{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "argument"],
  ["{% filter nope %}{% endfilter %}", "unknown_filter"],
  ["{{ block('nope') }}", "argument"],
], data);

testRows("is", [
  ["{{ n is defined and n is not empty }}", "true"],
  ["{{ root is defined and root is not empty }}", "true"],
  ["{{ nil is null }}{{ n is null }}{{ n is not null }}", "truefalsetrue"],
  ["{{ nil is empty }}{{ '  ' is empty }}{{ e is empty }}{{ {} is empty }}", "truetruetruetrue"],
  ["{{ 'a' is empty }}{{ 0 is empty }}{{ l is empty }}{{ false is empty }}", "falsefalsefalsefalse"],
  ["{{ 2 is even }}{{ 3 is even }}{{ 3 is odd }}{{ -3 is odd }}{{ 0 is even }}", "truefalsetruetruetrue"],
  ["{{ l is iterable }}{{ 'a' is iterable }}{{ m is iterable }}{{ nil is iterable }}", "truefalsefalsefalse"],
  ["{{ m is map }}{{ l is map }}{{ 'a' is map }}", "truefalsefalse"],
  ["{{ json is json }}{{ '{' is json }}{{ m is json }}{{ '12' is json }}", "truefalsefalsetrue"],
], data);

testErrors("is", [
  ["{{ 'a' is even }}", "type"],
  ["{{ 1.0 is odd }}", "type"],
  ["{{ nil is even }}", "type"],
  ["{{ 1 is divisibleby }}", "unknown_test"],
  ["{{ 1 is toString }}", "unknown_test"],
], data);
