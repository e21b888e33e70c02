/** The types of git, against `git http-backend`. */
import { assertEquals, assertMatch } from "@std/assert";
import type { JsonObject } from "../../../src/base/json.ts";
import { MAX_OBJECT_BYTES } from "../../../src/integrations/git/pack_sizes.ts";
import {
  GIT_TOKEN,
  GIT_USER,
  type GitServer,
  hasGit,
  withGitServer,
} from "../../support/servers/git_server.ts";
import { type ExecutionResponse, Harness } from "../../support/harness.ts";

const ignore = !await hasGit();

const flowSource = (id: string, namespace: string, message = "hi") =>
  `id: ${id}\nnamespace: ${namespace}\ntasks:\n- id: a\n  type: io.svc.plugin.core.log.Log\n  message: ${message}\n`;

interface Ended {
  readonly execution: ExecutionResponse;
  readonly outputs: JsonObject;
  readonly errors: readonly string[];
  readonly logs: readonly string[];
}

/** Runs a task of git in the flow `g` of the namespace `demo`. */
async function run(app: Harness, { url }: Pick<GitServer, "url">, task: string): Promise<Ended> {
  const access = `url: "${url}", username: ${GIT_USER}, password: ${GIT_TOKEN}`;
  await app.request("DELETE", "/flows/demo/g");
  await app.save(`id: g\nnamespace: demo\ntasks:\n- {id: t, ${access}, type: io.svc.plugin.git.${task}}`);
  const { id } = await app.start("g", {}, "?wait=true");
  const execution = await app.execution(id);
  const logs = await app.json("GET", `/logs/${id}`) as unknown as { level: string; message: string }[];
  return {
    execution,
    outputs: (execution.taskRunList[0]?.outputs ?? {}) as JsonObject,
    errors: logs.filter(({ level }) => level === "ERROR").map(({ message }) => message),
    logs: logs.map(({ message }) => message),
  };
}

/** The lines of a file that an execution stored. */
async function linesOf(app: Harness, { execution, outputs, errors }: Ended, name: string) {
  assertEquals([execution.state.current, errors], ["SUCCESS", []]);
  const path = encodeURIComponent(String(outputs[name]));
  const response = await app.request("GET", `/executions/${execution.id}/file?path=${path}`);
  return (await response.text()).trim().split("\n").filter(Boolean).map((line) =>
    JSON.parse(line) as JsonObject
  );
}

async function sourceOf(app: Harness, namespace: string, id: string): Promise<string | undefined> {
  const response = await app.request("GET", `/flows/${namespace}/${id}?source=true`);
  const body = await response.json();
  return response.ok ? body.source : undefined;
}

async function fileOf(app: Harness, namespace: string, path: string): Promise<string | undefined> {
  const response = await app.request("GET", `/namespaces/${namespace}/files?path=${path}`);
  const text = await response.text();
  return response.ok ? text : undefined;
}

const REPOSITORY = {
  "_flows/one.yml": flowSource("one", "elsewhere"),
  "_flows/below/two.yaml": flowSource("two", "elsewhere"),
  "_flows/readme.md": "no flow",
  "_files/a.py": "print(1)\n",
  "_files/deep/b.txt": "b",
  "_files/link": "-> /etc/hostname",
};

Deno.test({ name: "SyncFlows saves the flows of a folder into the namespace", ignore }, async () => {
  await withGitServer(REPOSITORY, async (server) => {
    await using app = await Harness.start();
    await app.save(flowSource("old", "team"));
    const dry = await run(app, server, "SyncFlows, targetNamespace: team, delete: true, dryRun: true");
    const expected = [
      { gitPath: "_flows/one.yml", syncState: "ADDED", flowId: "one", namespace: "team", revision: 1 },
      { gitPath: null, syncState: "DELETED", flowId: "old", namespace: "team", revision: 1 },
    ];
    assertEquals(await linesOf(app, dry, "flows"), expected);
    assertEquals(await sourceOf(app, "team", "one"), undefined);
    const first = await run(app, server, "SyncFlows, targetNamespace: team, delete: true");
    assertEquals(await linesOf(app, first, "flows"), expected);
    assertEquals(await sourceOf(app, "team", "one"), flowSource("one", "team"));
    assertEquals(await sourceOf(app, "team", "old"), undefined);
    const again = await run(app, server, "SyncFlows, targetNamespace: team, includeChildNamespaces: true");
    assertEquals(
      (await linesOf(app, again, "flows")).map(({ flowId, namespace, syncState }) => [
        flowId,
        namespace,
        syncState,
      ]).sort(),
      [["one", "team", "UNCHANGED"], ["two", "team.below", "ADDED"]],
    );
  });
});

Deno.test({ name: "a repository with an object that is too large is refused", ignore }, async () => {
  const files = {
    "_flows/one.yml": flowSource("one", "team"),
    "zeros.bin": "\0".repeat(MAX_OBJECT_BYTES + 1),
  };
  await withGitServer(files, async (server) => {
    await using app = await Harness.start();
    const { errors } = await run(app, server, "SyncFlows, targetNamespace: team");
    assertEquals(errors, [
      `Cannot fetch from "${server.host}": the repository has an object of more than ${MAX_OBJECT_BYTES} bytes`,
    ]);
    assertEquals(await sourceOf(app, "team", "one"), undefined);
  });
});

Deno.test({ name: "SyncFlow saves one flow", ignore }, async () => {
  await withGitServer(REPOSITORY, async (server) => {
    await using app = await Harness.start();
    const { outputs } = await run(
      app,
      server,
      "SyncFlow, targetNamespace: team, flowPath: _flows/below/two.yaml",
    );
    assertEquals(outputs, { flowId: "two", namespace: "team", revision: 1, syncState: "ADDED" });
    const missing = await run(app, server, "SyncFlow, targetNamespace: team, flowPath: none.yml");
    assertEquals(missing.errors, ['Cannot save the flow "none.yml": the branch has no such file']);
  });
});

Deno.test(
  { name: "SyncFlows saves nothing if one flow is invalid, unless it may skip it", ignore },
  async () => {
    const files = { "a/bad.yml": "id: bad\nnamespace: x\n", "a/good.yml": flowSource("good", "x") };
    await withGitServer(files, async (server) => {
      await using app = await Harness.start();
      const { execution, errors } = await run(
        app,
        server,
        "SyncFlows, targetNamespace: team, gitDirectory: a",
      );
      assertEquals(execution.state.current, "FAILED");
      assertMatch(errors[0] ?? "", /^Cannot save the flow "a\/bad\.yml": .*tasks/);
      assertEquals(await sourceOf(app, "team", "good"), undefined);
      const skipped = await run(
        app,
        server,
        "SyncFlows, targetNamespace: team, gitDirectory: a, ignoreInvalidFlows: true",
      );
      assertMatch(skipped.logs.join("\n"), /Cannot save the flow "a\/bad\.yml"/);
      assertEquals(await sourceOf(app, "team", "good"), flowSource("good", "team"));
    });
  },
);

Deno.test(
  { name: "SyncNamespaceFiles saves files, skips links and deletes what is gone", ignore },
  async () => {
    await withGitServer(REPOSITORY, async (server) => {
      await using app = await Harness.start();
      for (const path of ["/a.py", "/old.txt"]) {
        const form = new FormData();
        form.append("fileContent", new Blob(["old"]), "x");
        await app.request("POST", `/namespaces/team/files?path=${path}`, { body: form });
      }
      const first = await run(app, server, "SyncNamespaceFiles, namespace: team, delete: true");
      assertEquals(await linesOf(app, first, "files"), [
        { gitPath: "_files/a.py", kestraPath: "/a.py", syncState: "OVERWRITTEN" },
        { gitPath: "_files/deep/b.txt", kestraPath: "/deep/b.txt", syncState: "ADDED" },
        { gitPath: null, kestraPath: "/old.txt", syncState: "DELETED" },
      ]);
      assertEquals(await fileOf(app, "team", "/a.py"), "print(1)\n");
      assertEquals([await fileOf(app, "team", "/link"), await fileOf(app, "team", "/old.txt")], [
        undefined,
        undefined,
      ]);
      const again = await run(app, server, "SyncNamespaceFiles, namespace: team, dryRun: true");
      assertEquals((await linesOf(app, again, "files")).map(({ syncState }) => syncState), [
        "UNCHANGED",
        "UNCHANGED",
      ]);
    });
  },
);

Deno.test({ name: "PushFlows commits the flows of a namespace to a new branch, once", ignore }, async () => {
  await withGitServer(REPOSITORY, async (server) => {
    await using app = await Harness.start();
    await app.save(flowSource("one", "team", "new"));
    await app.save(flowSource("three", "team.below.deep"));
    const task = "PushFlows, branch: next, sourceNamespace: team, targetNamespace: prod, " +
      "includeChildNamespaces: true, commitMessage: Change, authorName: Ada, authorEmail: a@example.com";
    const dry = await run(app, server, `${task}, dryRun: true`);
    assertEquals((await linesOf(app, dry, "flows")).map(({ file, changeType }) => `${changeType} ${file}`), [
      "CHANGED _flows/one.yml",
      "ADDED _flows/below/deep/three.yml",
      "DELETED _flows/below/two.yaml",
    ]);
    assertEquals(dry.outputs.commitId ?? null, null);
    const first = await run(app, server, task);
    assertEquals(first.errors, []);
    const { commitId, commitURL } = first.outputs;
    assertEquals(
      await server.git("log", "-1", "--format=%H %an %ae %s", "next"),
      `${commitId} Ada a@example.com Change`,
    );
    assertEquals(commitURL, `${server.url.replace(".git", "")}/commit/${commitId}`);
    assertEquals(await server.git("show", "next:_flows/one.yml"), flowSource("one", "prod", "new").trim());
    assertEquals((await server.git("ls-tree", "-r", "--name-only", "next")).split("\n"), [
      "_files/a.py",
      "_files/deep/b.txt",
      "_files/link",
      "_flows/below/deep/three.yml",
      "_flows/one.yml",
      "_flows/readme.md",
    ]);
    const again = await run(app, server, task);
    assertEquals([await linesOf(app, again, "flows"), again.outputs.commitId ?? null], [[], null]);
  });
});

Deno.test({ name: "PushNamespaceFiles commits files to an empty repository", ignore }, async () => {
  await withGitServer({}, async (server) => {
    await using app = await Harness.start();
    const form = new FormData();
    form.append("fileContent", new Blob(["print(2)"]), "x");
    await app.request("POST", `/namespaces/team/files?path=/src/a.py`, { body: form });
    const { errors } = await run(app, server, 'PushNamespaceFiles, namespace: team, files: ["src/*.py"]');
    assertEquals(errors, []);
    assertEquals(await server.git("show", "main:_files/src/a.py"), "print(2)");
    const none = await run(
      app,
      server,
      'PushNamespaceFiles, namespace: team, files: "*.x", errorOnMissing: true',
    );
    assertEquals(none.errors, ['Nothing to push: no file of the namespace "team" matches']);
  });
});

Deno.test(
  { name: "Sync makes flows and files of the namespace those of the repository", ignore },
  async () => {
    const files = { "_flows/one.yml": flowSource("one", "demo"), "a.txt": "a" };
    await withGitServer(files, async (server) => {
      await using app = await Harness.start();
      await app.save(flowSource("old", "demo"));
      const { execution, logs } = await run(
        app,
        server,
        "Sync, branch: main, namespaceFilesDirectory: files",
      );
      assertEquals(execution.state.current, "SUCCESS");
      assertEquals(logs.filter((line) => /^[A-Z]+: /.test(line)), [
        "ADDED: _flows/one.yml",
        "DELETED: old",
        "ADDED: a.txt",
      ]);
      assertEquals(await fileOf(app, "demo", "/files/a.txt"), "a");
      assertMatch(await sourceOf(app, "demo", "g") ?? "", /git\.Sync/);
    });
  },
);

Deno.test(
  { name: "Clone writes the files of a branch for tasks of the same WorkingDirectory", ignore },
  async () => {
    await withGitServer(REPOSITORY, async ({ url, git }) => {
      await using app = await Harness.start();
      const access = `url: "${url}", username: ${GIT_USER}, password: ${GIT_TOKEN}`;
      await app.save(`id: c
namespace: demo
tasks:
- id: w
  type: io.svc.plugin.core.flow.WorkingDirectory
  tasks:
  - {id: clone, type: io.svc.plugin.git.Clone, ${access}, directory: deep/repository}
  - {id: files, type: io.svc.plugin.core.storage.LocalFiles, outputs: ["**/*.py"]}
  - {id: again, type: io.svc.plugin.git.Clone, ${access}, directory: deep/repository, allowFailure: true}
  - {id: commit, type: io.svc.plugin.git.Clone, ${access}, directory: other, commit: "${await git(
        "rev-parse",
        "main",
      )}"}
`);
      const { id } = await app.start("c", {}, "?wait=true");
      const { taskRunList } = await app.execution(id);
      const states = taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`);
      assertEquals(states, [
        "w WARNING",
        "clone SUCCESS",
        "files SUCCESS",
        "again WARNING",
        "commit SUCCESS",
      ]);
      assertEquals(Object.keys((taskRunList[2]?.outputs.uris ?? {}) as JsonObject), [
        "deep/repository/_files/a.py",
      ]);
    });
  },
);

Deno.test({ name: "Clone writes a file of the repository that has the name of a pack", ignore }, async () => {
  await withGitServer({ "data.pack": "x", "objects/pack/pack-1.pack": "y" }, async ({ url }) => {
    await using app = await Harness.start();
    const access = `url: "${url}", username: ${GIT_USER}, password: ${GIT_TOKEN}`;
    await app.save(`id: c
namespace: demo
tasks:
- id: w
  type: io.svc.plugin.core.flow.WorkingDirectory
  tasks:
  - {id: clone, type: io.svc.plugin.git.Clone, ${access}}
  - {id: files, type: io.svc.plugin.core.storage.LocalFiles, outputs: ["**/*.pack"]}
`);
    const { id } = await app.start("c", {}, "?wait=true");
    const { taskRunList } = await app.execution(id);
    const names = Object.keys((taskRunList[2]?.outputs.uris ?? {}) as JsonObject);
    assertEquals(names.filter((name) => !name.startsWith(".git/")).sort(), [
      "data.pack",
      "objects/pack/pack-1.pack",
    ]);
  });
});

const DASHBOARD = "title: Numbers\ncharts: []\n";

Deno.test({ name: "SyncDashboards saves dashboards, PushDashboards commits them", ignore }, async () => {
  await withGitServer({ "_dashboards/numbers.yml": `---\n${DASHBOARD}` }, async (server) => {
    await using app = await Harness.start();
    const synced = () => run(app, server, "SyncDashboards, delete: true");
    const states = async () =>
      (await linesOf(app, await synced(), "dashboards")).map((line) => [line.dashboardId, line.syncState]);
    assertEquals(await states(), [["numbers", "ADDED"]]);
    await app.request("POST", "/dashboards", { body: "id: other\ntitle: Other\ncharts: []\n" });
    const pushed = await run(app, server, "PushDashboards, branch: next, commitMessage: Change");
    assertEquals(
      (await linesOf(app, pushed, "dashboards")).map(({ file, changeType }) => `${changeType} ${file}`),
      ["CHANGED _dashboards/numbers.yml", "ADDED _dashboards/other.yml"],
    );
    assertEquals(
      await server.git("show", "next:_dashboards/numbers.yml"),
      `---\nid: numbers\n${DASHBOARD}`.trim(),
    );
    assertEquals(await states(), [["numbers", "UNCHANGED"], ["other", "DELETED"]]);
  });
});

/** Branch `main` of the repositories of the tests of NamespaceSync. */
const NAMESPACES = {
  "kestra/team/flows/one.yml": flowSource("one", "team"),
  "kestra/team/files/a.txt": "a",
  "kestra/other/flows/two.yml": flowSource("two", "other"),
  "kestra/_global/dashboards/numbers.yaml": `id: numbers\n${DASHBOARD}`,
  "readme.md": "stays",
};

Deno.test({ name: "NamespaceSync with the truth in git saves what it has", ignore }, async () => {
  await withGitServer(NAMESPACES, async (server) => {
    await using app = await Harness.start();
    await app.save(flowSource("old", "team"));
    const task = "NamespaceSync, branch: main, namespace: team, gitDirectory: kestra, sourceOfTruth: GIT";
    const missing = await run(app, server, `${task}, whenMissingInSource: FAIL`);
    assertEquals(missing.errors, ['Cannot sync "team.old": this server has it, and the repository does not']);
    assertEquals(await sourceOf(app, "team", "one"), undefined);
    const kept = await run(app, server, `${task}, protectedNamespaces: [team]`);
    const added = [
      { file: "kestra/team/flows/one.yml", key: "team.one", kind: "FLOW", action: "ADDED" },
      { file: "kestra/team/files/a.txt", key: "team:a.txt", kind: "FILE", action: "ADDED" },
    ];
    assertEquals(await linesOf(app, kept, "diff"), added);
    assertEquals(await sourceOf(app, "team", "one"), flowSource("one", "team"));
    const deleted = await run(app, server, task);
    assertEquals(await linesOf(app, deleted, "diff"), [
      { file: null, key: "team.old", kind: "FLOW", action: "DELETED_KES" },
    ]);
    assertEquals(await sourceOf(app, "team", "old"), undefined);
  });
});

Deno.test({ name: "NamespaceSync with the truth here commits what the server has", ignore }, async () => {
  await withGitServer(NAMESPACES, async (server) => {
    await using app = await Harness.start();
    await app.save(flowSource("one", "team", "new"));
    const task = "NamespaceSync, branch: main, namespace: team, gitDirectory: kestra";
    const failed = await run(app, server, `${task}, whenMissingInSource: FAIL`);
    assertEquals(failed.errors, [
      'Cannot sync "kestra/team/files/a.txt": the repository has it, and this server does not',
    ]);
    const kept = await run(app, server, `${task}, whenMissingInSource: KEEP`);
    assertEquals((await linesOf(app, kept, "diff")).map(({ file }) => file), ["kestra/team/flows/one.yml"]);
    assertEquals(
      await server.git("show", "main:kestra/team/flows/one.yml"),
      flowSource("one", "team", "new").trim(),
    );
    const deleted = await run(app, server, task);
    assertEquals(
      (await linesOf(app, deleted, "diff")).map(({ changeType, file }) => `${changeType} ${file}`),
      [
        "DELETED kestra/team/files/a.txt",
      ],
    );
    assertMatch(
      await server.git("ls-tree", "-r", "--name-only", "main"),
      /other\/flows\/two\.yml[^]*readme\.md/,
    );
  });
});

Deno.test({ name: "TenantSync syncs all namespaces and dashboards in both directions", ignore }, async () => {
  await withGitServer(
    { ...NAMESPACES, "kestra/team/flows/bad.yml": "id: bad\n" },
    async (server) => {
      await using app = await Harness.start();
      const task = "TenantSync, branch: main, gitDirectory: kestra, whenMissingInSource: KEEP";
      const invalid = await run(app, server, `${task}, sourceOfTruth: GIT`);
      assertMatch(invalid.errors[0] ?? "", /^Cannot save the flow "kestra\/team\/flows\/bad\.yml"/);
      assertEquals(await sourceOf(app, "other", "two"), undefined);
      const applied = await run(app, server, `${task}, sourceOfTruth: GIT, onInvalidSyntax: WARN`);
      assertEquals((await linesOf(app, applied, "diff")).map(({ key, action }) => `${action} ${key}`), [
        "ADDED other.two",
        "ADDED team.one",
        "ADDED team:a.txt",
        "ADDED numbers",
      ]);
      assertEquals(applied.logs.filter((line) => /bad\.yml/.test(line)).length, 1);
      await app.request("PUT", "/flows/other/two", { body: flowSource("two", "other", "new") });
      const pushed = await run(app, server, task);
      assertEquals(
        (await linesOf(app, pushed, "diff")).map(({ changeType, file }) => `${changeType} ${file}`),
        [
          "ADDED kestra/demo/flows/g.yaml",
          "CHANGED kestra/other/flows/two.yml",
        ],
      );
    },
  );
});

Deno.test(
  { name: "Push commits files of the clone in the WorkingDirectory, without links", ignore },
  async () => {
    await withGitServer(REPOSITORY, async ({ url, git }) => {
      await using app = await Harness.start();
      const access = `username: ${GIT_USER}, password: ${GIT_TOKEN}`;
      await app.save(`id: p
namespace: demo
tasks:
- id: w
  type: io.svc.plugin.core.flow.WorkingDirectory
  tasks:
  - {id: clone, type: io.svc.plugin.git.Clone, url: "${url}", ${access}}
  - id: push
    type: io.svc.plugin.git.Push
    username: ${GIT_USER}
    password: ${GIT_TOKEN}
    branch: next
    author: {name: Ada, email: a@example.com}
    inputFiles: {new/b.txt: b, other/c.txt: c}
    addFilesPattern: [new, _flows]
    commitMessage: Add
- {id: alone, type: io.svc.plugin.git.Push, ${access}, branch: next, commitMessage: No, allowFailure: true}
`);
      const { id } = await app.start("p", {}, "?wait=true");
      const { taskRunList } = await app.execution(id);
      const states = taskRunList.map(({ taskId, state }) => `${taskId} ${state.current}`);
      assertEquals(states, ["w SUCCESS", "clone SUCCESS", "push SUCCESS", "alone WARNING"]);
      assertEquals(
        await git("log", "-1", "--format=%H %an %ae %s", "next"),
        `${taskRunList[2]?.outputs.commitId} Ada a@example.com Add`,
      );
      assertEquals((await git("diff", "--name-status", "main", "next")).split("\n"), [
        "A\t_flows/demo.p.yml",
        "A\tnew/b.txt",
      ]);
    });
  },
);

Deno.test({ name: "Push with a url makes the branch exactly these files", ignore }, async () => {
  await withGitServer(REPOSITORY, async (server) => {
    await using app = await Harness.start();
    await app.save(flowSource("below", "demo.x"));
    const form = new FormData();
    form.append("fileContent", new Blob(["print(2)"]), "x");
    await app.request("POST", "/namespaces/demo/files?path=/src/a.py", { body: form });
    const task = 'Push, branch: main, commitMessage: All, namespaceFiles: {include: ["src/*"]}, ' +
      'flows: {childNamespaces: false, gitDirectory: flows}, inputFiles: {a.txt: "a"}';
    const pushed = await run(app, server, task);
    assertEquals(pushed.errors, []);
    const names = await server.git("ls-tree", "-r", "--name-only", "main");
    // The link of the repository is no file.
    assertEquals(names.split("\n"), ["_files/link", "a.txt", "flows/demo.g.yml", "src/a.py"]);
    const again = await run(app, server, task);
    assertEquals([again.errors, again.outputs.commitId ?? null], [[], null]);
  });
});

Deno.test({ name: "PushExecutionFiles commits files that tasks have stored", ignore }, async () => {
  await withGitServer({}, async (server) => {
    await using app = await Harness.start();
    const none = await run(app, server, "PushExecutionFiles");
    assertEquals([none.execution.state.current, none.outputs], ["SUCCESS", {}]);
    const access = `url: "${server.url}", username: ${GIT_USER}, password: ${GIT_TOKEN}`;
    await app.save(`id: e
namespace: demo
tasks:
- {id: f, type: io.svc.plugin.core.storage.Write, content: stored}
- id: w
  type: io.svc.plugin.core.flow.WorkingDirectory
  inputFiles: {a.csv: "1", b.txt: "2"}
  outputFiles: ["*"]
  tasks: [{id: l, type: io.svc.plugin.core.log.Log, message: x}]
- {id: globs, type: io.svc.plugin.git.PushExecutionFiles, ${access}, files: "*.csv"}
- {id: map, type: io.svc.plugin.git.PushExecutionFiles, ${access}, gitDirectory: m, filesMap: {f.txt: "{{ outputs.f.uri }}"}}
`);
    const { id } = await app.start("e", {}, "?wait=true");
    assertEquals((await app.execution(id)).state.current, "SUCCESS");
    assertEquals((await server.git("ls-tree", "-r", "--name-only", "main")).split("\n"), [
      "_outputs/a.csv",
      "m/f.txt",
    ]);
    assertEquals(await server.git("show", "main:m/f.txt"), "stored");
    assertEquals(await server.git("log", "-1", "--format=%s", "main"), `Add files from execution ${id}`);
  });
});

/** A task, how its repository is changed, and the error. */
const FAILURES: readonly (readonly [task: string, error: RegExp])[] = [
  [
    "SyncFlows, targetNamespace: a, branch: none",
    /^Cannot fetch from "HOST": there is no branch or tag "none"$/,
  ],
  [
    "SyncFlows, targetNamespace: a, password: wrong",
    /^Cannot fetch from "HOST": the response was 401: Invalid token$/,
  ],
  [
    'SyncFlows, targetNamespace: a, url: "http://wrong:secret@HOST/no.git"',
    /^Cannot fetch from "HOST": .*404/,
  ],
  [
    'SyncFlows, targetNamespace: a, url: "/srv/hidden.git"',
    /^Cannot reach the repository: url must begin with https:\/\//,
  ],
  ["Clone, directory: ../up", /^.*"\.\.\/up"/],
  ['Clone, commit: "0123456789012345678901234567890123456789"', /^Cannot check out "0123/],
];

for (const [task, error] of FAILURES) {
  Deno.test({ name: `a task of git fails with host and operation: ${task}`, ignore }, async () => {
    await withGitServer({ "a.txt": "a" }, async (server) => {
      await using app = await Harness.start();
      const given = { url: server.url };
      const source = task.replaceAll("HOST", server.host);
      const access = ["url", "username", "password"].filter((name) => !source.includes(`${name}:`));
      const values: Record<string, string> = { url: given.url, username: GIT_USER, password: GIT_TOKEN };
      const own = access.map((name) => `${name}: "${values[name]}"`).join(", ");
      await app.save(`id: g\nnamespace: demo\ntasks:\n- {id: t, ${own}, type: io.svc.plugin.git.${source}}`);
      const { id } = await app.start("g", {}, "?wait=true");
      const logs = await app.json("GET", `/logs/${id}`) as unknown as { level: string; message: string }[];
      const errors = logs.filter(({ level }) => level === "ERROR").map(({ message }) => message);
      assertMatch(errors[0]?.replaceAll(server.host, "HOST") ?? "", error);
      assertEquals(/hidden|secret|wrong/.test(errors.join()), false);
    });
  });
}
