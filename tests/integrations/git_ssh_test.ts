/** The types of git by SSH, against OpenSSH and a bare repository. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../src/base/json.ts";
import { withTempDir } from "../support/temp_dir.ts";
import { runTasks, storedText } from "../support/flows/run_flow.ts";
import { until } from "../support/processes/machine_processes.ts";
import { hasFileServers, type SshServer, withSshServer } from "../support/servers/file_servers.ts";
import { type BareRepository, hasGit, withBareRepository } from "../support/servers/git_server.ts";
import { Harness } from "../support/harness.ts";

/** Skipped where the programs are missing. */
const ignore = !hasFileServers() || !await hasGit();
const TYPE = "io.kestra.plugin.git";
const PASSPHRASE = "open sesame";

interface Place extends SshServer, Pick<BareRepository, "git" | "path"> {
  /** As a flow writes it. */
  readonly url: string;
  /** The host, as errors name it. */
  readonly host: string;
}

/** Runs `work` with a server of SSH that has a repository with these files. */
async function withPlace(
  files: Readonly<Record<string, string>>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  await withBareRepository(files, ({ path, git }) =>
    withSshServer((server) => {
      const host = `localhost:${server.port}`;
      return work({ ...server, path, git, host, url: `ssh://root@${host}${path}` });
    }));
}

/** A task of git as YAML. */
function task(id: string, type: string, properties: JsonObject): string {
  return `- ${JSON.stringify({ id, type: `${TYPE}.${type}`, ...properties })}\n`;
}

const flowSource = (id: string) =>
  `id: ${id}\nnamespace: demo\ntasks:\n- {id: a, type: io.kestra.plugin.core.log.Log, message: hi}\n`;

/** A new key of a kind; one with a passphrase is encrypted. */
async function newKey(...options: string[]): Promise<string> {
  let key = "";
  await withTempDir(async (folder) => {
    const args = ["-q", "-C", "test", "-f", `${folder}/key`, ...options];
    const { success } = await new Deno.Command("ssh-keygen", { args }).output();
    assertEquals(success, true);
    key = await Deno.readTextFile(`${folder}/key`);
  });
  return key;
}

/** The key with a passphrase. */
async function encrypted(privateKey: string, ...options: string[]): Promise<string> {
  let key = "";
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/key`, privateKey, { mode: 0o600 });
    const args = ["-q", "-p", "-P", "", "-N", PASSPHRASE, "-f", `${folder}/key`, ...options];
    const { success } = await new Deno.Command("ssh-keygen", { args }).output();
    assertEquals(success, true);
    key = await Deno.readTextFile(`${folder}/key`);
  });
  return key;
}

Deno.test({ name: "Clone by SSH takes branch, tag, commit and depth", ignore }, async () => {
  await withPlace({ "a.txt": "first" }, async ({ url, privateKey, fingerprint, git }) => {
    const first = await git("rev-parse", "main");
    const tree = await git("rev-parse", "main^{tree}");
    const second = await git("commit-tree", "-p", first, "-m", "second", tree);
    await git("update-ref", "refs/heads/main", second);
    await git("tag", "v1", first);
    await git("branch", "side", first);
    await using app = await Harness.start();
    // Secrets often end without the last line break of the file.
    const own = { url, privateKey: privateKey.trim(), hostKeyFingerprint: fingerprint };
    const heads = "*/.git/shallow";
    const ended = await runTasks(
      app,
      `- id: w
  type: io.kestra.plugin.core.flow.WorkingDirectory
  outputFiles: ["**/a.txt", "${heads}", "*/.git/HEAD", "one/.git/config"]
  tasks:
` + [
        task("one", "Clone", { ...own, directory: "one" }),
        task("all", "Clone", { ...own, directory: "all", depth: 0 }),
        task("branch", "Clone", { ...own, directory: "branch", branch: "side" }),
        task("tag", "Clone", { ...own, directory: "tag", tag: "v1" }),
        task("commit", "Clone", { ...own, directory: "commit", commit: first }),
      ].map((each) => `  ${each}`).join(""),
    );
    assertEquals([ended.state, ended.errors], ["SUCCESS", []]);
    const files = ended.outputs.w?.outputFiles as JsonObject;
    const textOf = async (name: string) => (await storedText(app, ended, files[name])).trim();
    for (const folder of ["one", "all", "branch", "tag", "commit"]) {
      assertEquals(await textOf(`${folder}/a.txt`), "first");
    }
    assertEquals(await textOf("one/.git/shallow"), second);
    assertEquals(Object.hasOwn(files, "all/.git/shallow"), false);
    assertEquals(await textOf("branch/.git/HEAD"), "ref: refs/heads/side");
    assertEquals([await textOf("tag/.git/HEAD"), await textOf("commit/.git/HEAD")], [first, first]);
    assertMatch(await textOf("one/.git/config"), new RegExp(`url = ${url}\n`));
  });
});
