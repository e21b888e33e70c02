import { assert, assertEquals } from "@std/assert";
import { withOptionTable } from "./support/configuration_doc.ts";

const TASK = /deno(?:@[\d.]+)? task ([a-z][a-z:]*)/g;
const LINK = /\]\(([^)\s#]+)(?:#[^)]*)?\)/g;

async function readDocuments(): Promise<Map<string, string>> {
  const documents = new Map<string, string>();
  for (const folder of ["", "docs/"]) {
    for await (const entry of Deno.readDir(folder || ".")) {
      const path = folder + entry.name;
      if (entry.name.endsWith(".md")) documents.set(path, await Deno.readTextFile(path));
    }
  }
  return documents;
}

Deno.test("docs/CONFIGURATION.md holds the table of options; `deno task docs:config` writes it", async () => {
  const document = await Deno.readTextFile("docs/CONFIGURATION.md");
  assertEquals(document, withOptionTable(document));
});

Deno.test("documents name only tasks that there are", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile("deno.json"));
  for (const [path, document] of await readDocuments()) {
    for (const [, task = ""] of document.matchAll(TASK)) {
      assert(
        Object.hasOwn(tasks, task),
        `"${path}" speaks of the task "${task}", which deno.json does not have`,
      );
    }
  }
});

Deno.test("documents link only to files that there are", async () => {
  for (const [path, document] of await readDocuments()) {
    for (const [, target = ""] of document.matchAll(LINK)) {
      if (/^[a-z]+:/.test(target)) continue;
      const file = new URL(target, `file://${Deno.cwd()}/${path}`);
      const isPresent = await Deno.stat(file).then(() => true, () => false);
      assert(isPresent, `"${path}" links to "${target}", which does not exist`);
    }
  }
});
