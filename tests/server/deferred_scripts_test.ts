import { assertEquals } from "@std/assert";
import { decode, encode } from "@jridgewell/sourcemap-codec";
import { deferGroups, deferredScripts } from "../../src/server/deferred_scripts.ts";

const LINE = `a();b=[()=>import("./registry-AB12.js"),()=>import("./registry-CD34.js")];c()`;
const FIRST_LINE = `import"./chunk-X.js";import("./session-EF56.js");`;

/** A segment for each of these texts in the line, which names its own column as the original one. */
function segmentsOf(line: string, ...texts: readonly string[]): [number, number, number, number][] {
  return texts.map((text) => [line.indexOf(text), 0, 0, line.indexOf(text)]);
}

Deno.test("deferGroups() hides the names of groups alone", () => {
  const { code } = deferGroups({ code: `${FIRST_LINE}\n${LINE}`, mappings: "" });
  assertEquals(
    code,
    `${FIRST_LINE}\na();b=[()=>import(String("./registry-AB12.js")),()=>import(String("./registry-CD34.js"))];c()`,
  );
  assertEquals(deferredScripts(code), ["registry-AB12.js", "registry-CD34.js"]);
  assertEquals(deferredScripts(LINE), []);
});

Deno.test("deferGroups() shifts the columns of what follows in the line", () => {
  const texts = ["a()", "b=", "import(", `"./registry-AB12.js"`, ",()=>", `"./registry-CD34.js"`, "]", "c()"];
  const first = segmentsOf(FIRST_LINE, "import", "./session");
  const mappings = encode([first, segmentsOf(LINE, ...texts)]);
  const deferred = deferGroups({ code: `${FIRST_LINE}\n${LINE}`, mappings });
  const [kept, shifted = []] = decode(deferred.mappings);
  assertEquals(kept, first);
  const line = deferred.code.split("\n")[1] ?? "";
  for (const [index, text] of texts.entries()) {
    const [column = -1, , , original] = shifted[index] ?? [];
    assertEquals([line.startsWith(text, column), original], [true, LINE.indexOf(text)], text);
  }
});
