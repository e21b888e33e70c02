/** How much conversions may write. */
import { assertEquals, assertRejects } from "@std/assert";
import { outputBudget } from "../../src/integrations/output_budget.ts";
import { storePieces } from "../../src/integrations/serdes/conversion.ts";
import type { TaskContext } from "../../src/model/tasks/task_definition.ts";
import { withTempDir } from "../support/temp_dir.ts";

const GIB = 1024 * 1024 * 1024;

/** Files of these sizes without content. */
async function withFiles(sizes: readonly number[], work: (paths: string[]) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    const paths = sizes.map((_, index) => `${folder}/${index}`);
    for (const [index, path] of paths.entries()) {
      await Deno.writeTextFile(path, "");
      await Deno.truncate(path, sizes[index]);
    }
    await work(paths);
  });
}

const BUDGETS: readonly (readonly [sizes: readonly number[], max: number])[] = [
  [[], 4 * GIB],
  [[1_000], 4 * GIB],
  [[GIB], 100 * GIB],
  [[GIB, GIB / 2], 150 * GIB],
];

for (const [sizes, max] of BUDGETS) {
  Deno.test(`sources of ${sizes.join(" and ") || "no"} bytes may become ${max} characters`, async () => {
    await withFiles(sizes, async (paths) => assertEquals(await outputBudget(...paths), { max, left: max }));
  });
}

Deno.test("conversions refuse more than 4 GiB of a small source", async () => {
  await withFiles([10], async ([source = ""]) => {
    const context: Partial<TaskContext> = {
      signal: new AbortController().signal,
      directory: () => Promise.resolve(source.slice(0, source.lastIndexOf("/"))),
    };
    const piece = Object.defineProperty(new Uint8Array(1), "length", { value: 4 * GIB + 1 });
    const conversion = {
      source,
      rows: ReadableStream.from([]),
      name: "rows",
      convert: () => ReadableStream.from([piece]),
    };
    await assertRejects(
      () => storePieces(context as TaskContext, conversion),
      Error,
      "Cannot write the rows: they have more than 4294967296 characters",
    );
  });
});
