/** jq programs. */
import type { Grammar } from "../grammar.ts";

/** Words of jq. */
export const JQ_TOKENS: readonly string[] = [
  ...'. .. .a .[] .[0] .[1:] [ ] { } ( ) | , : ; ? // ?// = |= += //= + - * / % == < and or not -1 1 2.5 1e3 " \\( $x as'
    .split(" "),
  ...'def f: if then elif else end try catch reduce foreach label $l break import . "a" @csv @json @base64d null true'
    .split(" "),
  ..."getpath paths limit( until( range( gsub( test( splits( ascii_downcase env input $__loc__ ltrimstr tojson"
    .split(" "),
];

/** `p` begins it. */
export const JQ_GRAMMAR: Grammar = {
  p: [
    ".",
    "<atom>",
    "<atom>",
    "<p> | <p>",
    "<p> | <p>",
    "<p>, <p>",
    "(<p> <op> <p>)",
    "(<p> <assign> <p>)",
    "<one>(<p>)",
    "<one>(<p>)",
    "<two>(<p>; <p>)",
    "if <p> then <p> elif <p> then <p> else <p> end",
    "try (<p>) catch (<p>)",
    "(<p>)?",
    "reduce (<p>) as $x (<p>; <p>)",
    "foreach (<p>) as [$x, {a: $y}] (<p>; <p>; <p>)",
    "(<p>) as $x | <p>",
    "(<p>) as [$x] ?// {a: $x} | <p>",
    "def f(g; $h): <p>; f(<p>; <p>)",
    "def f: <p>, f; limit(3; f)",
    "[<p>]",
    '{a: <p>, "b": <p>, (<p>): 1}',
    "label $l | <p>, break $l",
    '"\\(<p>)"',
    '@csv "\\(<p>)"',
    "(<p>)[<p>:<p>]",
    "(<p>).a",
    "(<p>)[]",
    "..|<p>",
  ],
  atom: [
    ".",
    ..."null true 1 -2.5 0 1e1000 100000000 .a .[] .[0] .. empty error nan infinite $x $__loc__ keys length tostring tojson"
      .split(" "),
    ..."add sort to_entries paths first last reverse flatten explode implode unique transpose type floor min max any all"
      .split(" "),
    ..."tostream todate gmtime mktime now combinations from_entries tonumber ascii_downcase fromjson @base64 @base64d @uri"
      .split(" "),
    ...'@html @sh @tsv @text values nulls leaf_paths getpath([]) env halt input_line_number splits("a") ltrimstr("a")'
      .split(" "),
    '"a"',
    '""',
    "[]",
    '{a:1,"b":[2]}',
    '"2015-03-05T23:51:47Z"',
    '"%Y-%m-%d"',
    '"(?<n>a+)"',
  ],
  op: "+ - * / % // == != < <= > >= and or".split(" "),
  assign: "= |= += -= *= /= //= %=".split(" "),
  one: [
    ..."map select path del with_entries map_values sort_by group_by unique_by min_by max_by first last isempty recurse"
      .split(" "),
    ..."walk any all range has contains inside split join test match capture scan ltrimstr rtrimstr startswith getpath"
      .split(" "),
    ..."indices index strftime strptime error paths fromstream tostream splits pick flatten bsearch delpaths repeat"
      .split(" "),
    ..."todate combinations in add nth ascii env getpath implode input limit until ltrimstr tojson abs toarray have_literal_numbers"
      .split(" "),
  ],
  two:
    "limit until while range setpath sub gsub pow IN INDEX recurse nth any all test match scan splits atan2 log2 skip"
      .split(" "),
};
