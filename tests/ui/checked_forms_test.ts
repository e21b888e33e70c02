/** What one group of stories has found right, no other checks again. */
import { assertEquals } from "../support/assert.ts";
import { CheckedForms } from "../support/browser/checked_forms.ts";
import { withTempDir } from "../support/temp_dir.ts";

Deno.test("CheckedForms.unknown() names each hash once that was not added for its window", () => {
  const checked = new CheckedForms();
  checked.add("wide", ["a"]);
  assertEquals(checked.unknown("wide", ["a", "b", "b"]), ["b"]);
  assertEquals(checked.unknown("small", ["a"]), ["a"]);
});

Deno.test("CheckedForms with the same file know what the others have added, before and after their start", async () => {
  await withTempDir(async (dir) => {
    await Deno.writeTextFile(`${dir}/forms`, "small a\n");
    const [one, other] = [new CheckedForms(`${dir}/forms`), new CheckedForms(`${dir}/forms`)];
    assertEquals(other.unknown("wide", ["a", "b"]), ["a", "b"]);
    one.add("wide", ["a"]);
    assertEquals(other.unknown("wide", ["a", "b"]), ["b"]);
    other.add("wide", ["b"]);
    assertEquals(one.unknown("wide", ["a", "b"]), []);
    assertEquals(new CheckedForms(`${dir}/forms`).unknown("wide", ["a", "b"]), []);
  });
});

Deno.test("CheckedForms.unknown() does not read a line that is still being written", async () => {
  await withTempDir(async (dir) => {
    const checked = new CheckedForms(`${dir}/forms`);
    await Deno.writeTextFile(`${dir}/forms`, "wide a\nwide b");
    assertEquals(checked.unknown("wide", ["a", "b", "bc"]), ["b", "bc"]);
    await Deno.writeTextFile(`${dir}/forms`, "c\n", { append: true });
    assertEquals(checked.unknown("wide", ["a", "b", "bc"]), ["b"]);
  });
});
