import { assertRejects } from "@std/assert";
import { removeTree } from "../../../src/machine/scripts/remove_tree.ts";

async function treeOf(folders: number): Promise<string> {
  const root = await Deno.makeTempDir({ prefix: "sluice-tree-" });
  for (let n = 0; n < folders; n++) await Deno.mkdir(`${root}/${n}`);
  return root;
}

Deno.test("removeTree() removes a small folder, a large one and one that is absent", async () => {
  for (const folders of [1, 100]) {
    const root = await treeOf(folders);
    await removeTree(root);
    await assertRejects(() => Deno.lstat(root), Deno.errors.NotFound);
    await removeTree(root);
  }
});

Deno.test({
  name: "removeTree() removes a large folder without the permission to start programs",
  permissions: { read: true, write: true, run: false },
  async fn() {
    const root = await treeOf(100);
    await removeTree(root);
    await assertRejects(() => Deno.lstat(root), Deno.errors.NotFound);
  },
});
