/** Ion texts, regular expressions, cron expressions, date patterns. */
import type { Grammar } from "../grammar.ts";

/** `v` begins an Ion text. */
export const ION_GRAMMAR: Grammar = {
  v: [
    "1",
    "<scalar>",
    "<scalar>",
    "<space><v><space>",
    "[<v>, <v>,<space><v>]",
    "[]",
    "{<name>: <v>, <name>:<v>}",
    "{}",
    "(<v> + <v> <v>)",
    "<name>::<v>",
    "$ion_1_0 <v>",
    "[<v>]",
    "{<name>:<v>,}",
  ],
  space: ["", " ", "\n", "/* c */", "// c\n", "\t"],
  name: ["a", "'b c'", '"d"', "__proto__", "$1", "null", "'''e'''", "constructor", "'\\u0000'"],
  scalar: [
    ..."0 -0 1 -12 1_000 0xFF -0b101 1.5 -1.50 1e3 1d2 2.5e-10 1e400 123456789012345678901234567890 nan +inf -inf"
      .split(" "),
    ..."true false null null.string null.int 2024T 2024-02T 2024-02-03 2024-02-03T04:05Z 2024-02-03T04:05:06.789+01:00"
      .split(" "),
    '"text"',
    '"a\\n\\x41\\u00e9\\U0001F600\\\\"',
    "'symbol'",
    "'''long''' '''text'''",
    '{{ "clob" }}',
    "{{ YWJj }}",
    "+",
  ],
};

/** Where the dialect agrees with the platform's: `s` begins a pattern in which nothing that may be empty is repeated. */
export const REGEX_GRAMMAR: Grammar = {
  s: ["<r>", "<r>|<r>"],
  r: ["<one>", "<one><r>", "<one><r>", "<place><r>", "<q><r>", "<q>", "(?:<r>|<r>)"],
  q: [
    "<one>*",
    "<one>+?",
    "<one>?",
    "(?:<one><r>){1,3}",
    "(?:<one><r>)*?",
    "(<one><one>)+",
    "<one>{0,2}",
    "<one>{2,}",
  ],
  one: [
    "a",
    "b",
    ".",
    "[ab]",
    "[^a]",
    "[a-c]",
    "\\d",
    "\\w",
    "\\S",
    "(?:ab|a)",
    "(a|b)",
    "é",
    "\\.",
    "\\x61",
    "[\\dx-]",
  ],
  place: ["\\b", "^", "$", "(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?=<one>)", "(?!<one><one>)", "\\B"],
};

/** Words of regular expressions. */
export const REGEX_TOKENS: readonly string[] = [
  ..."a b ab é 😀 . \\d \\w \\s \\b \\B ^ $ | ( ) (?: (?= (?! (?<= (?<! (?> (?<n> (?i) (?-i) (?im: \\1 \\k<n> \\Q \\E"
    .split(" "),
  ..."[ ] [^ - && [a-z] [^a] {2} {0,3} {1,} {1000} * + ? *? +? ?? *+ ++ ?+ \\p{L} \\P{Lu} \\pL \\x41 \\u0041 \\A \\z \\Z"
    .split(" "),
  ..."(a|b)* (a*)* (a?){20} (?:a|ab)(?:c|bcd)(?:d*) \\R \\G \\X \\cA [[:alpha:]] (?x) (?#".split(" "),
];

/** `cron` begins a cron expression. */
export const CRON_GRAMMAR: Grammar = {
  cron: ["<f> <f> <f> <f> <f>", "<f> <f> <f> <f> <f> <f>", "@daily", "@<word>", "  <f>\t<f> <f> <f> <f> "],
  f: ["*", "<item>", "<item>,<item>", "<item>/<n>", "*/<n>"],
  item: ["<n>", "<n>-<n>", "<word>", "<word>-<word>", "<n>-<n>/<n>", "L", "?", "15W", "<n>#<n>", "<n>L"],
  n: ["1", "0", "5", "7", "12", "31", "59", "60", "-1", "007", "99999999999"],
  word: ["MON", "sun", "JAN", "dec", "FOO", "yearly", "hourly", "reboot", "__proto__"],
};

/** `p` begins a date pattern. */
export const DATE_GRAMMAR: Grammar = {
  p: ["<l>", "<l><p>", "<l> <p>", "<l>-<p>", "'text'<p>", "''<p>", "[<p>]<p>", "<l>:<p>", "<l><l><l><l><p>"],
  l: [..."yMLdDHhKkmsSAnNaEecGQqYwWuVzOXxZBgFp".split("")],
};
