/** Stacks in the log name positions in the sources. */
import { assertEquals, assertMatch } from "@std/assert";
import { withSourcePositions } from "../../../src/machine/server_process/source_positions.ts";
import { buildServer } from "../../../src/server/build.ts";

Deno.test("withSourcePositions() names the sources of the built server", async () => {
  const script = await buildServer();
  const column = (await Deno.readTextFile(script)).indexOf("import.meta.main") + 1;
  const line =
    `ERROR A request failed reason="x\\n    at a (file://${script}:1:${column})\\n    at ${script}:1:${column}"`;
  assertMatch(
    withSourcePositions(line),
    /^ERROR A request failed reason="x\\n {4}at a \(main\.ts:(\d+):\d+\)\\n {4}at main\.ts:\1:\d+"$/,
  );
});

Deno.test("withSourcePositions() leaves positions of scripts without a source map, and other lines", () => {
  for (
    const line of ["at a (file:///x/dist/server/chunk-A.js:1:2)", "at b (ext:core/01.js:1:2)", "no position"]
  ) {
    assertEquals(withSourcePositions(line), line);
  }
});
