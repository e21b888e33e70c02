import { assert, assertEquals } from "@std/assert";
import { withCompatibilityLists } from "./support/compatibility_doc.ts";

Deno.test("docs/COMPATIBILITY.md holds what the source knows; tests/support/compatibility_doc.ts writes it", async () => {
  const document = await Deno.readTextFile("docs/COMPATIBILITY.md");
  assertEquals(document, await withCompatibilityLists(document));
});

Deno.test("docs/COMPATIBILITY.md says nothing twice", async () => {
  const document = await Deno.readTextFile("docs/COMPATIBILITY.md");
  for (const section of document.split(/^### /m).slice(1)) {
    if (/^Properties of \w+ types/.test(section)) continue; // types have properties of the same names
    const names = [...section.split(/^[^-\s]/m)[0]?.matchAll(/`([\w.-]+)`/g) ?? []].map(([, name]) => name);
    assert(new Set(names).size === names.length, section.slice(0, 60));
  }
});
