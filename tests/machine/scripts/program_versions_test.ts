import { assertEquals } from "@std/assert";
import { ProgramVersions } from "../../../src/machine/scripts/program_versions.ts";

/** What the search for a program prints, and the program. */
const FOUND: readonly (readonly [lines: readonly string[], version: string])[] = [
  [["/bin/a", "A 1.2", "more"], "A 1.2"],
  [["/bin/a", "", "  This is A 5 "], "This is A 5"],
  [["/bin/a"], ""],
];

for (const [lines, version] of FOUND) {
  Deno.test(`ProgramVersions.find() reads ${JSON.stringify(lines)}`, async () => {
    const facts = await new ProgramVersions().find("a", "/bin", (_command, onLine) => {
      for (const text of lines) onLine({ text, isError: false });
      return Promise.resolve(true);
    });
    assertEquals(facts, { path: "/bin/a", version });
  });
}

Deno.test("ProgramVersions.find() looks once for a name and a path, and again for what is missing", async () => {
  const programs = new ProgramVersions();
  let count = 0;
  const run =
    (isThere: boolean) =>
    (_command: readonly string[], onLine: (line: { text: string; isError: boolean }) => void) => {
      count++;
      if (isThere) onLine({ text: "/bin/a", isError: false });
      return Promise.resolve(isThere);
    };
  assertEquals(await programs.find("a", "/bin", run(false)), undefined);
  await programs.find("a", "/bin", run(true));
  await programs.find("a", "/bin", run(true));
  assertEquals(count, 2);
  await programs.find("a", "/other", run(true));
  assertEquals(count, 3);
});
