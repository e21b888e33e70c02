import { assertEquals } from "@std/assert";
import { MAX_FILE_NAME_LENGTH } from "../../../src/model/limits.ts";
import { givenFileName, newFileName } from "../../../src/model/namespaces/new_file_name.ts";

const ID = "A1b2C3d4E5f6G7h8I9j0Kl";

for (const name of ["a.txt", ".txt", "a-b", "-a", ""]) {
  Deno.test(`givenFileName() of a new file gives "${name}"`, () => {
    assertEquals(givenFileName(newFileName(ID, name)), name);
  });
}

Deno.test("givenFileName() keeps a name without id", () => {
  assertEquals(givenFileName("report-2026.csv"), "report-2026.csv");
});

Deno.test("newFileName() cuts a text before it sorts its marks, which would take minutes", () => {
  const name = `.${"a".repeat(10)}${"\u0301".repeat(500_000)}${"\u0323".repeat(500_000)}`;
  assertEquals(newFileName(ID, name).length, MAX_FILE_NAME_LENGTH - 1);
});
