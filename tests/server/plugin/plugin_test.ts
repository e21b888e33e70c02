/** `sluice plugin`: new, check and test. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import type { PluginOptions } from "../../../src/config/mod.ts";
import { runPlugin } from "../../../src/server/plugin/plugin.ts";
import { withTempDir } from "../../support/temp_dir.ts";

async function run(options: PluginOptions): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [], err: string[] = [];
  const code = await runPlugin(options, {
    print: (line) => void out.push(line),
    printError: (line) => void err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

for (const extension of ["ts", "js"]) {
  Deno.test(`sluice plugin new writes a .${extension} plugin that check accepts and test runs`, async () => {
    await withTempDir(async (folder) => {
      const path = `${folder}/plugins/count-words.${extension}`;
      assertEquals((await run({ action: "new", path })).code, 0);
      const check = await run({ action: "check", path: `${folder}/plugins` });
      assertEquals([check.code, check.out, check.err], [0, "com.example.CountWords is right", ""]);
      const properties = { text: "two words" };
      const test = await run({ action: "test", path, properties });
      assertEquals([test.code, test.err], [0, ""]);
      assertEquals(test.out, 'INFO Counted 2 words\nmetric words = 2\n{\n  "words": 2\n}');
    });
  });
}

Deno.test("sluice plugin new keeps a file that exists, and needs a name of a .ts or .js file", async () => {
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/a.ts`, "mine");
    const second = await run({ action: "new", path: `${folder}/a.ts` });
    assertEquals([second.code, second.err], [1, `Cannot write "${folder}/a.ts": the file exists`]);
    assertEquals(await Deno.readTextFile(`${folder}/a.ts`), "mine");
  });
  assertMatch(
    (await run({ action: "new", path: "weather" })).err,
    /^Cannot write "weather": give a file name/,
  );
});

Deno.test("sluice plugin test reports unknown, missing and wrong properties, and what run throws", async () => {
  await withTempDir(async (folder) => {
    const path = `${folder}/a.js`;
    await Deno.writeTextFile(
      path,
      `export default defineTask({ type: "com.example.A", description: "A.", properties: {
        count: { type: "integer", description: "N.", required: true } },
        run({ properties }) { throw new Error("got " + typeof properties.count) } });`,
    );
    const tries: JsonObject[] = [{ counts: 1 }, {}, { count: "x" }, { count: "5" }];
    const errors = tries.map(async (properties) => (await run({ action: "test", path, properties })).err);
    assertEquals(await Promise.all(errors), [
      'Unknown property "counts": there are count',
      "Missing count: it is empty",
      "Invalid count: it must be a whole number",
      "a.js:3:37: got number",
    ]);
  });
});
