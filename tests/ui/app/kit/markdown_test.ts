import { assert, assertEquals } from "@std/assert";
import type { VNode } from "preact";
import { Markdown } from "../../../../src/ui/app/kit/markdown.tsx";

/** The elements as text, for comparison: components are called, texts are escaped. */
function htmlOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(htmlOf).join("");
  if (node === null || node === undefined || typeof node === "boolean") return "";
  if (typeof node !== "object") return String(node).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const { type, props } = node as VNode<Record<string, unknown>>;
  if (typeof type === "function") return htmlOf((type as (props: unknown) => unknown)(props));
  const { children, ...rest } = props;
  const attributes = Object.entries(rest).filter(([name]) => ["href", "start", "target"].includes(name));
  const text = attributes.map(([name, value]) => ` ${name}="${value}"`).join("");
  return `<${type}${text}>${htmlOf(children)}</${type}>`;
}

function html(text: string, onUse?: (code: string) => void): string {
  return htmlOf(Markdown({ text, onUse })).replace(/^<div>|<\/div>$/g, "");
}

const CASES: readonly (readonly [name: string, text: string, html: string])[] = [
  ["paragraphs", "a\nb\n\nc", "<p>a\nb</p><p>c</p>"],
  ["hard breaks", "a  \nb\\\nc", "<p>a<br></br>b<br></br>c</p>"],
  ["headings", "# A #\n### B\n#c", "<h1>A</h1><h3>B</h3><p>#c</p>"],
  ["a heading after a text", "a\n## B", "<p>a</p><h2>B</h2>"],
  ["rules", "a\n\n---\n* * *", "<p>a</p><hr></hr><hr></hr>"],
  ["fenced code as it is", "```yaml\na: *b*\n\n  c\n```\nd", "<pre><code>a: *b*\n\n  c</code></pre><p>d</p>"],
  ["fenced code without an end", "~~~\na", "<pre><code>a</code></pre>"],
  ["a longer fence around a shorter one", "````\n```\n````", "<pre><code>```</code></pre>"],
  [
    "code",
    "`a*b*` and ``c`d`` and ` e `",
    "<p><code>a*b*</code> and <code>c`d</code> and <code>e</code></p>",
  ],
  ["backticks without an end", "``a`", "<p>``a`</p>"],
  [
    "emphasis",
    "*a* **b** ~~c~~ ***d***",
    "<p><em>a</em> <strong>b</strong> <del>c</del> <em><strong>d</strong></em></p>",
  ],
  ["nested emphasis", "**a *b* c**", "<p><strong>a <em>b</em> c</strong></p>"],
  ["marks that are text", "2 * 3 * 4, snake_case_name, a**", "<p>2 * 3 * 4, snake_case_name, a**</p>"],
  ["escapes", "\\*a\\* \\n", "<p>*a* \\n</p>"],
  ["links", '[a *b*](https://x.org "t")', '<p><a href="https://x.org" target="_blank">a <em>b</em></a></p>'],
  ["local links", "[a](/ui/flows) [b](#c)", '<p><a href="/ui/flows">a</a> <a href="#c">b</a></p>'],
  [
    "links with brackets",
    "[a](https://x.org/b_(c))",
    '<p><a href="https://x.org/b_(c)" target="_blank">a</a></p>',
  ],
  [
    "addresses",
    "<https://x.org> https://y.org/a.",
    '<p><a href="https://x.org" target="_blank">https://x.org</a> <a href="https://y.org/a" target="_blank">https://y.org/a</a>.</p>',
  ],
  [
    "addresses that run scripts as text",
    "[a](javascript:alert(1)) [b](JaVaScript:x) [c](data:x)",
    "<p>a b c</p>",
  ],
  [
    "addresses of other sites without a scheme",
    "[a](//x.org)",
    '<p><a href="//x.org" target="_blank">a</a></p>',
  ],
  ["images as their description", "![a](https://x.org/a.png)", "<p>a</p>"],
  [
    "HTML as text",
    "<script>a</script>\n<b onclick=x>",
    "<p>&lt;script>a&lt;/script></p><p>&lt;b onclick=x></p>",
  ],
  ["quotes", "> a\n> - b\n\nc", "<blockquote><p>a</p><ul><li>b</li></ul></blockquote><p>c</p>"],
  ["lists", "- a\n- b\n- c", "<ul><li>a</li><li>b</li><li>c</li></ul>"],
  ["lists of paragraphs", "- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"],
  ["ordered lists", "3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'],
  ["lists of another sort", "- a\n1. b", '<ul><li>a</li></ul><ol start="1"><li>b</li></ol>'],
  ["nested lists", "- a\n  - b\n  - c\n- d", "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>"],
  ["items of several lines", "- a\nb\n\n  c", "<ul><li><p>a\nb</p><p>c</p></li></ul>"],
  ["code in an item", "1. a\n   ```\n   b\n   ```", '<ol start="1"><li>a<pre><code>b</code></pre></li></ol>'],
  ["a text after a list", "- a\n\nb", "<ul><li>a</li></ul><p>b</p>"],
  [
    "tables",
    "| a | b |\n| --- | :-: |\n| `c \\| d` | e |\n| f |\n\ng",
    "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c | d</code></td><td>e</td></tr>" +
    "<tr><td>f</td><td></td></tr></tbody></table><p>g</p>",
  ],
  ["bars that are text", "a | b\nc", "<p>a | b\nc</p>"],
  ["entities", "a & b &lt;c&gt; `&lt;`", "<p>a &amp; b &lt;c> <code>&amp;lt;</code></p>"],
  ["nothing", "", ""],
];
for (const [name, text, expected] of CASES) {
  Deno.test(`Markdown() shows ${name}`, () => assertEquals(html(text), expected));
}

Deno.test("Markdown() shows a button with an example, not with other code", () => {
  const text = "```yaml\ntype: a\n```\n\n```yaml\n- id: a\n  type: b\n```";
  assertEquals(html(text, () => {}).split("<button>").length, 2);
  assertEquals(html(text).includes("<button>"), false);
});

/** Nesting and marks without an end: the reader is recursive and looks ahead. */
const HOSTILE = [">", "- ", "**", "_a", "[", "`a", "![a](", "|", "~~~\n", "<https://", "a  \n", "* "];
for (const piece of HOSTILE) {
  Deno.test(`Markdown() reads ${JSON.stringify(piece)} 5,000 times without a stack overflow`, () => {
    assert(html(piece.repeat(5_000)).length > 0);
  });
}
