/** Conversion of Markdown. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { marked } from "marked";
import {
  htmlToMarkdown,
  markdownToHtml,
  markdownToText,
} from "../../../../src/integrations/serdes/markdown/markdown_conversions.ts";
import { markdownOf } from "../../../../src/integrations/serdes/markdown/html_markdown.ts";
import type { TaskDefinition } from "../../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../../support/flows/definition_run.ts";

const FROM = "kestra:///demo/text.md";

const CONVERTED: readonly (readonly [TaskDefinition, source: string, result: string])[] = [
  [
    markdownToHtml,
    "# A\n\n**b** [c](https://d.example)",
    '<h1>A</h1>\n<p><strong>b</strong> <a href="https://d.example">c</a></p>\n',
  ],
  [markdownToHtml, "", ""],
  [
    markdownToText,
    "# A\n\n**b** *c* `d` ~~e~~ [f](https://g.example) <b>h</b> & \\*i\\*\n\n---\n\n> j\n\n```ts\nk\n```",
    "A\n\nb c d e f h & *i*\n\nj\n\nk\n",
  ],
  [markdownToText, "- a\n  1. b\n  2. c\n- [x] d", "- a\n  1. b\n  2. c\n- d\n"],
  [markdownToText, "| a | b |\n| - | - |\n| c | **d** |", "a\tb\nc\td\n"],
];

for (const [definition, source, expected] of CONVERTED) {
  Deno.test(`${definition.type} of ${JSON.stringify(source)}`, async () => {
    const { outputs, files, metrics } = await runDefinition(definition, { from: FROM }, {
      files: { [FROM]: source },
    });
    assertEquals(files.get(String(outputs.uri)), expected);
    assertEquals(metrics.bytes, expected.length);
  });
}

Deno.test("Markdown is read and written in a character set", async () => {
  const files = { [FROM]: new Uint8Array([0xe4]) };
  const { outputs, bytes } = await runDefinition(markdownToText, { from: FROM, charset: "ISO-8859-1" }, {
    files,
  });
  assertEquals([...bytes.get(String(outputs.uri)) ?? []], [0xe4, 0x0a]);
  await assertRejects(() => runDefinition(markdownToText, { from: FROM, charset: "none" }, { files }), Error);
});

Deno.test("Markdown of more than 1 Mi characters, and files of more than 4 MiB, are refused", async () => {
  const run = (definition: TaskDefinition, size: number) =>
    runDefinition(definition, { from: FROM }, { files: { [FROM]: new Uint8Array(size).fill(0x20) } });
  await assertRejects(
    () => run(markdownToText, 1_048_577),
    Error,
    "Cannot read the Markdown: it has 1048577 characters, and at most 1048576 are read",
  );
  await assertRejects(
    () => run(htmlToMarkdown, 4_194_305),
    Error,
    `Cannot read "${FROM}": it has 4194305 bytes, and at most 4194304 are allowed`,
  );
});

Deno.test("MarkdownToHtml gives what the package gives, also for references that are defined later", async () => {
  const source = "[a] *b*\r\n\r\n- c\r\n- d\r\n\r\n[a]: https://x.example\r\n";
  const { outputs, files } = await runDefinition(markdownToHtml, { from: FROM }, {
    files: { [FROM]: source },
  });
  assertEquals(files.get(String(outputs.uri)), marked.parse(source));
});

/** HTML, and its Markdown. */
const PAGES: readonly (readonly [html: string, markdown: string])[] = [
  ["", ""],
  ["<!doctype html><head><title>t</title></head><body><h1>A &amp; B</h1><p>c\n d", "# A & B\n\nc d\n"],
  ["<p>a<b> c </b>d<em>e</em><del>f</del><br> g</p>h", "a **c** d*e*~~f~~  \ng\n\nh\n"],
  [
    '<a href="https://x.example/a b(1)">y</a> <a>z</a> <img src=i.png alt="p*">',
    "[y](<https://x.example/a b(1)>) z ![p\\*](i.png)\n",
  ],
  ["<ul><li>a<ul><li>b</ul><li><p>c</p><p>d</p></ul>", "- a\n  - b\n- c\n\n  d\n"],
  ['<ol start="3"><li>a<li>b</ol>', "3. a\n4. b\n"],
  ["<pre><code>a\n\n- b &lt;c&gt;</code></pre>", "```\na\n\n- b <c>\n```\n"],
  ["<p><code>a`b</code> <code>c</code></p>", "`` a`b `` `c`\n"],
  ["<blockquote><p>a</p><p>b</p></blockquote><hr>", "> a\n>\n> b\n\n---\n"],
  [
    "<table><thead><tr><th>a<th>b</thead><tr><td>c|d<td><b>e</b><tr><td>f</table>",
    "| a | b |\n| --- | --- |\n| c\\|d | **e** |\n| f |  |\n",
  ],
  [
    "<p># a</p><p>- b</p><p>1. c</p><p>x*y_z &#x41;&#66;&bogus;</p>",
    "\\# a\n\n\\- b\n\n1\\. c\n\nx\\*y\\_z AB&bogus;\n",
  ],
  ["<script>if (a < b) '</p>'</script><style>p{}</style><!-- <p>no</p> -->yes", "yes\n"],
  ["a < b </b> <p title='>'>c", "a \\< b\n\nc\n"],
];

for (const [html, markdown] of PAGES) {
  Deno.test(`HtmlToMarkdown of ${JSON.stringify(html)}`, async () => {
    const { outputs, files } = await runDefinition(htmlToMarkdown, { from: FROM }, {
      files: { [FROM]: html },
    });
    assertEquals(files.get(String(outputs.uri)), markdown);
  });
}

Deno.test("HtmlToMarkdown leaves out elements that it is told to ignore", async () => {
  const files = { [FROM]: "<nav><a href=x>a</a></nav><p>b <span>c</span></p>" };
  const { outputs, files: stored } = await runDefinition(
    htmlToMarkdown,
    { from: FROM, ignoreTags: ["NAV", "span"] },
    { files },
  );
  assertEquals(stored.get(String(outputs.uri)), "b\n");
});

Deno.test("markdownOf() reads malformed and deep HTML in a time that grows with its length", () => {
  const count = 5_000;
  for (const piece of ['<a "', "<!--", "<p>", "</p>", "<ul><li>", "&#", "<b", "<div a=", "<table><tr><td>"]) {
    assertEquals(typeof markdownOf(piece.repeat(count)), "string", piece);
  }
});

Deno.test("markdownOf() refuses a table that a wide row makes too large", () => {
  const rows = "<tr><td>".repeat(1_000);
  assertEquals(markdownOf(`<table>${rows}${"<td>".repeat(99)}</table>`).split("\n").length, 1_002);
  assertThrows(
    () => markdownOf(`<table>${rows}${"<td>".repeat(100)}</table>`),
    Error,
    "Cannot convert the HTML: a table has more than 100000 cells",
  );
});

/** Pages that would take much memory. */
const LARGE_PAGES: readonly (readonly [name: string, html: string, error: string])[] = [
  ["200,001 elements", "<b>".repeat(200_001), "more than 200000 elements"],
  ["deep lists of long texts", `${"<ul><li>".repeat(10)}${"a<br>".repeat(190_000)}`, "too long"],
];

for (const [name, html, error] of LARGE_PAGES) {
  Deno.test(`markdownOf() refuses ${name}`, () => {
    assertThrows(() => markdownOf(html), Error, error);
  });
}

Deno.test("markdownOf() ignores numbers of lists that Markdown does not have", () => {
  for (const start of ["1e308", "-3", "1234567890", "x"]) {
    assertEquals(markdownOf(`<ol start="${start}"><li>a</ol>`), "1. a\n");
  }
});

/** Paragraphs, and whether they are converted: the package takes quadratic time for marks that have no counterpart. */
const PARAGRAPHS: readonly (readonly [name: string, source: string, isConverted: boolean])[] = [
  ["many marks without a counterpart", "_a__".repeat(5_000), false],
  ["many marks in an item of a list", `- b\n- ${"_a__".repeat(5_000)}`, false],
  ["many marks in one of many", "_a__".repeat(1_000).concat("\n\n").repeat(50), false],
  ["many words and some marks", `${"word ".repeat(20_000)}**a** _b_`, true],
  ["a picture", `![a](data:image/png;base64,${"QUJD/+".repeat(20_000)})`, true],
];

for (const [name, source, isConverted] of PARAGRAPHS) {
  for (const definition of [markdownToHtml, markdownToText]) {
    Deno.test(`${definition.type} of a paragraph with ${name}`, async () => {
      const run = () => runDefinition(definition, { from: FROM }, { files: { [FROM]: source } });
      if (isConverted) await run();
      else await assertRejects(run, Error, "long paragraphs have too many marks of emphasis");
    });
  }
}

/** Small texts that the package reads again for each level, or fills up. */
const COSTLY: readonly (readonly [name: string, source: string, error: string])[] = [
  [
    "a wide table",
    `${"|a".repeat(1_000)}\n${"|-".repeat(1_000)}\n${"|a\n".repeat(100)}`,
    "more than 100000 cells",
  ],
  [
    "nested lists",
    Array.from({ length: 950 }, (_, level) => `${"  ".repeat(level)}- a\n`).join(""),
    "nested too deeply",
  ],
  ["nested quotations", `${">".repeat(500)}a\n${"a\n".repeat(50_000)}`, "nested too deeply"],
];

for (const [name, source, error] of COSTLY) {
  Deno.test(`MarkdownToHtml refuses ${name}`, async () => {
    const run = () => runDefinition(markdownToHtml, { from: FROM }, { files: { [FROM]: source } });
    await assertRejects(run, Error, error);
  });
}

Deno.test("tables, lists and quotations are converted as the package does, also when texts are read at the same time", async () => {
  const sources = [
    `|a|b|\n|-|:-:|\n${"|1|*2*|\n".repeat(2_000)}\nend *x*`,
    "> a\n> > b\nc\n\n- d\n  - e\n    - f [g]\n\n[g]: https://g.example\n".repeat(200),
    "*a* [g]\n\n[g]: https://other.example\n".repeat(500),
  ];
  const results = await Promise.all(sources.map(async (source) => {
    const { outputs, files } = await runDefinition(markdownToHtml, { from: FROM }, {
      files: { [FROM]: source },
    });
    return files.get(String(outputs.uri));
  }));
  assertEquals(results, sources.map((source) => String(marked.parse(source))));
});
