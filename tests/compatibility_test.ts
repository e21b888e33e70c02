import { assertEquals, assertGreater } from "@std/assert";
import { withCompatibilityLists } from "./support/documents/compatibility_doc.ts";

Deno.test("docs/COMPATIBILITY.md lists what the source declares; tests/support/documents/compatibility_doc.ts writes it", async () => {
  const document = await Deno.readTextFile("docs/COMPATIBILITY.md");
  assertEquals(document, await withCompatibilityLists(document));
});

Deno.test("docs/COMPATIBILITY.md lists no name twice", async () => {
  const document = await Deno.readTextFile("docs/COMPATIBILITY.md");
  const lists = document.slice(document.indexOf("<!-- lists"), document.indexOf("<!-- end of lists"));
  for (const section of lists.split(/^### /m).slice(1)) {
    const [title = "", ...lines] = section.split("\n");
    if (/^Properties of (?:\w+ types|parts)|^Rules|^Warnings/.test(title)) continue; // their items share names
    const names = [...lines.join("\n").matchAll(/`([\w.-]+)`/g)].map(([, name]) => name);
    assertGreater(names.length, 0, title);
    assertEquals(names.filter((name, index) => names.indexOf(name) !== index), [], title);
  }
});
