/** The types of fs.local and fs.nfs, in folders of the test. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { runTasks, storedText } from "../support/flows/run_flow.ts";
import { evaluationsOf, executionsOf, stateOf } from "../support/flows/triggers.ts";
import { Harness } from "../support/harness.ts";
import { until } from "../support/processes/machine_processes.ts";
import { withTempDir } from "../support/temp_dir.ts";

const TYPE = "io.kestra.plugin.fs";
const FILE = `- {id: file, type: io.kestra.plugin.core.storage.Write, content: "one", extension: .txt}\n`;

async function withFolder(work: (app: Harness, folder: string) => Promise<void>): Promise<void> {
  await withTempDir(async (given) => {
    const folder = await Deno.realPath(given);
    await using app = await Harness.start({ localFiles: { folders: [folder], ownPaths: [] } });
    await work(app, folder);
  });
}

const task = (id: string, type: string, rest: string) => `- {id: ${id}, type: ${TYPE}.${type}, ${rest}}\n`;

Deno.test("the types of fs.local write, list, store, copy, move and delete files", async () => {
  await withFolder(async (app, folder) => {
    const ended = await runTasks(
      app,
      FILE +
        task("up", "local.Upload", `from: "{{ outputs.file.uri }}", to: "${folder}/a b/one.txt"`) +
        task("into", "local.Upload", `from: "{{ outputs.file.uri }}", to: "${folder}/in/"`) +
        task(
          "ups",
          "local.Uploads",
          `from: {two.csv: "{{ outputs.file.uri }}", no: "{{ outputs.file.uri }}"}, to: "${folder}/a b", regExp: ".*csv"`,
        ) +
        task("list", "local.List", `from: "file://${folder}/a%20b", sort: NAME_DESC`) +
        task("few", "local.List", `from: "${folder}", recursive: true, maxFiles: 1`) +
        task("copy", "local.Copy", `from: "${folder}/a b", to: "${folder}/copy"`) +
        task("move", "local.Move", `from: "${folder}/copy/two.csv", to: "${folder}/moved/"`) +
        task(
          "down",
          "local.Download",
          `from: "${folder}/moved/two.csv", validateChecksum: true, checksumAlgorithm: MD5, checksumExpected: "F97C5D29941BFB1B2FDAB0874906AB82"`,
        ) +
        task(
          "all",
          "local.Downloads",
          `from: "${folder}/a b", action: MOVE, moveDirectory: "${folder}/done", regExp: ".*txt"`,
        ) +
        task("delete", "local.Delete", `from: "${folder}/moved/two.csv"`) +
        task("gone", "local.Delete", `from: "${folder}/moved/two.csv"`) +
        task("some", "local.Delete", `from: "${folder}", recursive: true, regExp: ".*/one.txt"`) +
        task("tree", "local.Delete", `from: "${folder}/a b", recursive: true`),
    );
    assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
    const { outputs } = ended;
    assertEquals(outputs.up, { uri: `file://${folder}/a%20b/one.txt`, size: 3 });
    assertMatch(String(outputs.into?.uri), /\/in\/[^/]+\.txt$/);
    assertEquals(outputs.ups, { files: [`file://${folder}/a%20b/two.csv`] });
    const [first, second] = outputs.list?.files as JsonObject[];
    assertEquals([first?.name, second?.name, outputs.list?.count], ["two.csv", "one.txt", 2]);
    assertEquals([second?.localPath, second?.parent, second?.size, second?.isDirectory], [
      `${folder}/a b/one.txt`,
      `${folder}/a b`,
      3,
      false,
    ]);
    assertEquals(outputs.few?.count, 1);
    assertEquals(outputs.move?.to, `file://${folder}/moved/two.csv`);
    assertEquals([await storedText(app, ended, outputs.down?.uri), outputs.down?.size], ["one", 3]);
    const [taken] = outputs.all?.files as JsonObject[];
    assertEquals([taken?.localPath, await storedText(app, ended, taken?.uri)], [
      `${folder}/a b/one.txt`,
      "one",
    ]);
    assertEquals([outputs.delete?.deleted, outputs.gone?.deleted, outputs.tree?.deleted], [
      true,
      false,
      true,
    ]);
    assertEquals(outputs.some?.uris, ["copy", "done"].map((name) => `file://${folder}/${name}/one.txt`));
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
      "copy",
      "done",
      "in",
      "moved",
    ]);
  });
});

Deno.test("the types of fs.nfs replace files by default, and tell the kind of the file system", async () => {
  await withFolder(async (app, folder) => {
    await Deno.writeTextFile(`${folder}/a.txt`, "one");
    await Deno.writeTextFile(`${folder}/b.txt`, "two");
    const ended = await runTasks(
      app,
      task("mount", "nfs.CheckMount", `path: "${folder}"`) +
        task("copy", "nfs.Copy", `from: "${folder}/a.txt", to: "${folder}/b.txt"`) +
        task("move", "nfs.Move", `from: "${folder}/b.txt", to: "${folder}/c/b.txt"`) +
        task("list", "nfs.List", `from: "${folder}", recursive: true, sort: NONE`) +
        task("delete", "nfs.Delete", `uri: "${folder}/c/b.txt"`),
    );
    assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
    const { mount, copy, list, delete: deleted } = ended.outputs;
    assertEquals([mount?.path, mount?.isNfsMount], [folder, false]);
    assertMatch(String(mount?.fileStoreType), /^(?!nfs)\w+$/);
    assertEquals(copy, { from: `file://${folder}/a.txt`, to: `file://${folder}/b.txt` });
    assertEquals((list?.files as JsonObject[]).map(({ path }) => path), [
      `${folder}/a.txt`,
      `${folder}/c/b.txt`,
    ]);
    assertEquals(deleted?.deleted, true);
  });
});

Deno.test("tasks of local files fail with the path and the reason", async () => {
  await withFolder(async (app, folder) => {
    await Deno.mkdir(`${folder}/full/deep`, { recursive: true });
    await Deno.writeTextFile(`${folder}/a.txt`, "one");
    await Deno.writeTextFile(`${folder}/full/b.txt`, "two");
    const cases: readonly (readonly [type: string, properties: string, error: string])[] = [
      [
        "local.Upload",
        `from: "{{ outputs.file.uri }}", to: "/etc/x"`,
        "it is not in a folder that --local-files allows",
      ],
      [
        "local.Upload",
        `from: "{{ outputs.file.uri }}", to: "${folder}/a.txt", overwrite: false`,
        "exists already",
      ],
      [
        "local.Uploads",
        `from: {a: "{{ outputs.file.uri }}", b: "{{ outputs.file.uri }}"}, to: "${folder}", maxFiles: 1`,
        "maxFiles allows 1",
      ],
      ["local.Download", `from: "${folder}/none"`, "there is no such file"],
      ["local.Download", `from: "${folder}/a.txt", validateChecksum: true`, "Missing checksumExpected"],
      [
        "local.Download",
        `from: "${folder}/a.txt", validateChecksum: true, checksumExpected: "00"`,
        "its SHA-256 is 7692c3ad",
      ],
      ["local.Downloads", `from: "${folder}", action: MOVE`, "Missing moveDirectory"],
      ["local.List", `from: "${folder}/none"`, "there is no file or folder"],
      ["local.Copy", `from: "${folder}/none", to: "${folder}/x"`, "there is no such file"],
      ["local.Copy", `from: "${folder}/a.txt", to: "${folder}/full/b.txt"`, "exists already"],
      ["local.Copy", `from: "${folder}/full", to: "${folder}/full/deep/x"`, "a place in it"],
      ["local.Move", `from: "${folder}/a.txt", to: "${folder}/full"`, "exists already as a folder"],
      ["local.Delete", `from: "${folder}/none", errorOnMissing: true`, "there is no such file"],
      ["local.Delete", `from: "${folder}/full"`, "not empty"],
      ["nfs.Delete", `uri: "${folder}/none"`, "there is no such file"],
      ["nfs.CheckMount", `path: "${folder}/none"`, "there is no such file or folder"],
      ["nfs.CheckMount", `path: "/etc"`, "it is not in a folder that --local-files allows"],
    ];
    for (const [type, properties, error] of cases) {
      const ended = await runTasks(app, FILE + task("t", type, properties));
      assertEquals(ended.state, "FAILED", `${type} ${properties}`);
      assert(ended.errors.join("\n").includes(error), `${type} ${properties}: ${ended.errors.join("\n")}`);
    }
    assertEquals(await Deno.readTextFile(`${folder}/full/b.txt`), "two");
  });
});

Deno.test("without --local-files tasks of local files fail and name it", async () => {
  await using app = await Harness.start();
  const ended = await runTasks(app, task("t", "local.List", `from: /tmp`));
  assertEquals(ended.state, "FAILED");
  assertMatch(ended.errors.join(), /no folder is allowed; the server needs --local-files <folder>/);
});

/** Saves a flow with the trigger; gives what polls it, and the number of its executions. */
async function watch(app: Harness, type: string, rest: string) {
  await app.save(`id: p
namespace: demo
triggers:
- {id: t, type: ${TYPE}.${type}.Trigger, interval: PT1M, ${rest}}
tasks:
- {id: l, type: io.kestra.plugin.core.log.Log, message: "{{ trigger.files[0].name }}"}
`);
  let count = 0;
  return async () => {
    await app.advance(count === 0 ? 1_000 : 60_000);
    count++;
    await until(async () => evaluationsOf(await stateOf(app, "p")).length >= count);
    return (await executionsOf(app, "p")).length;
  };
}

for (
  const [on, counts] of [["CREATE_OR_UPDATE", [1, 1, 2, 3]], ["CREATE", [1, 1, 1, 2]], ["UPDATE", [
    0,
    0,
    1,
    1,
  ]]] as const
) {
  Deno.test(`fs.nfs.Trigger starts for files by "on: ${on}"`, async () => {
    await withFolder(async (app, folder) => {
      await Deno.writeTextFile(`${folder}/a.csv`, "one");
      const poll = await watch(app, "nfs", `from: "${folder}", regExp: ".*csv", on: ${on}`);
      const seen = [await poll(), await poll()];
      await Deno.writeTextFile(`${folder}/a.csv`, "changed");
      seen.push(await poll());
      await Deno.writeTextFile(`${folder}/b.csv`, "new");
      seen.push(await poll());
      assertEquals(seen, [...counts]);
    });
  });
}

Deno.test("fs.local.Trigger stores files and moves them once the execution is durable", async () => {
  await withFolder(async (app, folder) => {
    await Deno.mkdir(`${folder}/in`);
    await Deno.writeTextFile(`${folder}/in/a.csv`, "one");
    const rest = `from: "${folder}/in", action: MOVE, moveDirectory: "${folder}/done"`;
    const poll = await watch(app, "local", rest);
    assertEquals([await poll(), await poll()], [1, 1]);
    assertEquals(await Deno.readTextFile(`${folder}/done/a.csv`), "one");
    const [execution] = await executionsOf(app, "p");
    const [file] = (execution?.trigger?.files ?? []) as JsonObject[];
    assertEquals([file?.name, file?.localPath], ["a.csv", `${folder}/in/a.csv`]);
    assertMatch(String(file?.uri), /^kestra:\/\//);
  });
});
