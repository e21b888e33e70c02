/** Conversion of Markdown. */
import { assertEquals, assertRejects } from "@std/assert";
import { markdownToHtml, markdownToText } from "../../../src/integrations/serdes/markdown_conversions.ts";
import type { TaskDefinition } from "../../../src/model/tasks/task_definition.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";

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
