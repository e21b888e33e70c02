/** The types of git by SSH, against OpenSSH and a bare repository. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { withTempDir } from "../../support/temp_dir.ts";
import { runTasks, storedText } from "../../support/flows/run_flow.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { hasFileServers, type SshServer, withSshServer } from "../../support/servers/file_servers.ts";
import { type BareRepository, hasGit, withBareRepository } from "../../support/servers/git_server.ts";
import { Harness } from "../../support/harness.ts";

/** Skipped where the programs are missing. */
const ignore = !hasFileServers() || !await hasGit();
const TYPE = "io.kestra.plugin.git";

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

/** Runs ssh-keygen on a new file; returns what it holds then. */
async function keygen(content: string | undefined, ...options: string[]): Promise<string> {
  let key = "";
  await withTempDir(async (folder) => {
    const path = `${folder}/key`;
    if (content !== undefined) await Deno.writeTextFile(path, content, { mode: 0o600 });
    const { success } = await new Deno.Command("ssh-keygen", { args: ["-q", "-f", path, ...options] })
      .output();
    assertEquals(success, true);
    key = await Deno.readTextFile(path);
  });
  return key;
}

/** The lines of tasks, one level deeper. */
function within(tasks: readonly string[]): string {
  return tasks.map((each) => `  ${each}`).join("");
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
` + within([
        task("one", "Clone", { ...own, directory: "one" }),
        task("all", "Clone", { ...own, directory: "all", depth: 0 }),
        task("branch", "Clone", { ...own, directory: "branch", branch: "side" }),
        task("tag", "Clone", { ...own, directory: "tag", tag: "v1" }),
        task("commit", "Clone", { ...own, directory: "commit", commit: first }),
      ]),
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

const DASHBOARD = "id: numbers\ntitle: Numbers\ncharts: []\n";

Deno.test({ name: "the types of git push by SSH, and sync what they have pushed", ignore }, async () => {
  await withPlace({}, async ({ url, path, privateKey, git }) => {
    await using app = await Harness.start();
    const form = new FormData();
    form.append("fileContent", new Blob(["print(2)"]), "x");
    await app.request("POST", "/namespaces/demo/files?path=/a.py", { body: form });
    await app.request("POST", "/dashboards", { body: DASHBOARD });
    const own = { url, privateKey, branch: "main", commitMessage: "Add" };
    const pushed = await runTasks(
      app,
      task("flows", "PushFlows", { ...own, sourceNamespace: "demo", authorName: "Ada" }) +
        task("files", "PushNamespaceFiles", { ...own, namespace: "demo" }) +
        task("dashboards", "PushDashboards", own) +
        `- {id: store, type: io.kestra.plugin.core.storage.Write, content: stored}\n` +
        task("outputs", "PushExecutionFiles", { ...own, filesMap: { "b.txt": "{{ outputs.store.uri }}" } }) +
        `- id: w
  type: io.kestra.plugin.core.flow.WorkingDirectory
  tasks:
` + within([
          task("clone", "Clone", { url, privateKey }),
          task("push", "Push", {
            privateKey,
            branch: "next",
            inputFiles: { "new.txt": "new" },
            addFilesPattern: ["new.txt"],
            flows: { enabled: false },
            commitMessage: "Add",
          }),
        ]),
    );
    assertEquals([pushed.state, pushed.errors], ["SUCCESS", []]);
    const { commitId, commitURL } = pushed.outputs.push ?? {};
    assertEquals(await git("rev-parse", "next"), commitId);
    assertEquals(commitURL, `https://localhost${path.replace(".git", "")}/commit/${commitId}`);
    assertEquals((await git("log", "--format=%an %s", "next")).split("\n").at(-1), "Ada Add");
    assertEquals((await git("ls-tree", "-r", "--name-only", "next")).split("\n"), [
      "_dashboards/numbers.yml",
      "_files/a.py",
      "_flows/run.yml",
      "_outputs/b.txt",
      "new.txt",
    ]);
    const access = { url, privateKey, branch: "main", dryRun: true };
    const synced = await runTasks(
      app,
      task("sync", "Sync", access) +
        task("flows", "SyncFlows", { ...access, targetNamespace: "team" }) +
        task("flow", "SyncFlow", { ...access, targetNamespace: "team", flowPath: "_flows/run.yml" }) +
        task("files", "SyncNamespaceFiles", { ...access, namespace: "team" }) +
        task("dashboards", "SyncDashboards", access) +
        task("namespace", "NamespaceSync", { ...access, namespace: "demo" }) +
        task("tenant", "TenantSync", { ...access, sourceOfTruth: "GIT", whenMissingInSource: "KEEP" }),
    );
    assertEquals([synced.state, synced.errors], ["SUCCESS", []]);
    assertEquals(synced.logs.includes("ADDED: _files/a.py"), true);
    assertEquals([synced.outputs.flow?.flowId, synced.outputs.flow?.syncState], ["run", "ADDED"]);
  });
});

/** Kinds and forms of keys that ssh-keygen writes, and how they begin. */
const KEYS: readonly (readonly [kind: string, form: string, name: string])[] = [
  ["ed25519", "RFC4716", "OPENSSH PRIVATE KEY"],
  ["rsa", "PEM", "RSA PRIVATE KEY"],
  ["rsa", "PKCS8", "ENCRYPTED PRIVATE KEY"],
  ["ecdsa", "PEM", "EC PRIVATE KEY"],
];

Deno.test({ name: "the types of git take keys with a passphrase, OpenSSH and PEM", ignore }, async () => {
  await withPlace({ "a.txt": "a" }, async ({ url, folder, host }) => {
    await using app = await Harness.start();
    const passphrase = "open sesame";
    for (const [kind, form, name] of KEYS) {
      const plain = await keygen(undefined, "-t", kind, "-m", form, "-N", "");
      await Deno.writeTextFile(`${folder}/../user.pub`, await publicKeyOf(plain));
      const privateKey = await keygen(plain, "-p", "-m", form, "-P", "", "-N", passphrase);
      assertEquals(/BEGIN ([\w ]+)/.exec(privateKey)?.[1], name);
      const own = { url, branch: "main", targetNamespace: "demo" };
      for (const given of [{ privateKey: plain, passphrase: null }, { privateKey, passphrase }]) {
        const { state, errors } = await runTasks(app, task("t", "SyncFlows", { ...own, ...given }));
        assertEquals([kind, form, state, errors], [kind, form, "SUCCESS", []]);
      }
      for (const passphrase of [null, "wrong-hidden"]) {
        const { errors } = await runTasks(app, task("t", "SyncFlows", { ...own, privateKey, passphrase }));
        assertMatch(
          errors[0] ?? "",
          new RegExp(`^Cannot fetch from "${host}": Cannot parse privateKey: .*passphrase`),
        );
        assertEquals(errors.join().includes("hidden"), false);
      }
    }
  });
});

Deno.test({ name: "the types of git take ECDSA keys in the form of OpenSSH", ignore }, async () => {
  await withPlace({ "a.txt": "a" }, async ({ url, folder }) => {
    await using app = await Harness.start();
    // Of every second key OpenSSH writes the number with a zero before it.
    for (const name of ["zero_256", "short_256", "zero_384", "short_384"]) {
      const privateKey = await Deno.readTextFile(`tests/fixtures/ssh_keys/ecdsa_${name}`);
      await Deno.writeTextFile(`${folder}/../user.pub`, await publicKeyOf(privateKey));
      const own = { url, privateKey, branch: "main", targetNamespace: "demo" };
      const { state, errors } = await runTasks(app, task("t", "SyncFlows", own));
      assertEquals([name, state, errors], [name, "SUCCESS", []]);
    }
  });
});

/** The public half of a key, as a line. */
async function publicKeyOf(privateKey: string): Promise<string> {
  let line = "";
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/key`, privateKey, { mode: 0o600 });
    const { stdout } = await new Deno.Command("ssh-keygen", { args: ["-y", "-f", `${folder}/key`] }).output();
    line = new TextDecoder().decode(stdout);
  });
  return line;
}

/** Properties of SyncFlows that differ, and the error. */
const FAILURES: readonly (readonly [properties: JsonObject, error: RegExp])[] = [
  [{ branch: "none" }, /^Cannot fetch from "HOST": there is no branch or tag "none"$/],
  [{ url: "ssh://root@HOST/no.git" }, /^Cannot fetch from "HOST": fatal: '\/no.git' does not appear to be/],
  [{ hostKeyFingerprint: "SHA256:AAAA" }, /^Cannot fetch from "HOST": .*[Hh]ost.*denied/],
  [{ privateKey: "hidden" }, /^Cannot fetch from "HOST": Cannot parse privateKey: Unsupported key format$/],
  [
    { privateKey: null, password: "hidden" },
    /^Cannot fetch from "HOST": All configured authentication methods failed$/,
  ],
  [{ privateKey: null }, /^Cannot reach the repository: ssh needs privateKey, or password$/],
  [
    { url: "ssh://root:hidden@169.254.169.254/a.git" },
    /^Cannot connect to "169.254.169.254:22": the address "169.254.169.254" may not be reached/,
  ],
  [{ url: "git@169.254.169.254:a.git" }, /^Cannot connect to "169.254.169.254:22": .* may not be reached/],
];

Deno.test(
  { name: "a task of git fails by SSH with host, operation and words of the server", ignore },
  async () => {
    await withPlace({ "a.txt": "a" }, async ({ url, privateKey, host }) => {
      await using app = await Harness.start();
      const other = await keygen(undefined, "-t", "ed25519", "-N", "");
      const wrongKey = [
        { privateKey: other },
        /^Cannot fetch from "HOST": All configured authentication methods failed$/,
      ] as const;
      for (const [given, error] of [...FAILURES, wrongKey]) {
        const own = { url, privateKey, branch: "main", targetNamespace: "demo", ...given };
        const { errors, state, logs } = await runTasks(
          app,
          task("t", "SyncFlows", own).replaceAll("HOST", host),
        );
        assertEquals([given, state], [given, "FAILED"]);
        assertMatch(errors[0]?.replaceAll(host, "HOST") ?? "", error);
        assertEquals(/hidden|BEGIN/.test(logs.join()), false);
      }
    });
  },
);

/** What a server runs instead of git, and the error. */
const FOREIGN_PROGRAMS: readonly (readonly [command: string, error: RegExp])[] = [
  [
    "echo this account is closed",
    /^.*: the server does not speak the protocol of git: this account is closed$/,
  ],
  ["printf '001bERR the repository moved'", /^.*: the repository moved$/],
  ["exit 3", /^.*: git-upload-pack ended with exit code 3$/],
];

Deno.test({ name: "Clone by SSH fails with the words of a server without git", ignore }, async () => {
  await withPlace({ "a.txt": "a" }, async ({ url, privateKey, folder }) => {
    await using app = await Harness.start();
    const publicKey = await publicKeyOf(privateKey);
    for (const [command, error] of FOREIGN_PROGRAMS) {
      await Deno.writeTextFile(`${folder}/../user.pub`, `command="${command}" ${publicKey}`);
      const own = { url, privateKey, branch: "main", targetNamespace: "demo" };
      const { errors } = await runTasks(app, task("t", "SyncFlows", own));
      assertMatch(errors[0] ?? "", error);
    }
  });
});

Deno.test({ name: "a push by SSH fails with the words of a hook that refuses it", ignore }, async () => {
  await withPlace({ "a.txt": "a" }, async ({ url, privateKey, path, host }) => {
    await writeHook(path, "exit 1");
    await using app = await Harness.start();
    const own = { url, privateKey, branch: "main", sourceNamespace: "demo" };
    const { errors } = await runTasks(app, task("t", "PushFlows", own));
    assertMatch(errors[0] ?? "", new RegExp(`^Cannot push to "${host}": .*pre-receive hook declined`, "s"));
  });
});

Deno.test({ name: "a kill ends a task of git at once that waits for a server of SSH", ignore }, async () => {
  await withPlace({ "a.txt": "a" }, async ({ url, privateKey, path }) => {
    // It ends with the folder.
    await writeHook(path, "touch begun; while test -e begun; do sleep 0.1; done");
    await using app = await Harness.start();
    await app.save(
      `id: k\nnamespace: demo\ntasks:\n${
        task("t", "PushFlows", { url, privateKey, branch: "main", sourceNamespace: "demo" })
      }`,
    );
    const { id } = await app.start("k");
    await until(() => Deno.stat(`${path}/begun`).then(() => true, () => false));
    await (await app.request("DELETE", `/executions/${id}/kill`)).body?.cancel();
    await until(async () => (await app.execution(id)).state.current === "KILLED");
    await Deno.remove(`${path}/begun`);
  });
});

/** Sets what runs before a push is accepted. */
async function writeHook(repository: string, script: string): Promise<void> {
  await Deno.writeTextFile(`${repository}/hooks/pre-receive`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}
