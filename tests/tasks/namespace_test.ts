import { assertEquals, assertStringIncludes } from "@std/assert";
import { Harness } from "../support/harness.ts";
import { CORE, logOf, resultsOf, runTasks } from "./core_flows.ts";

async function put(app: Harness, path: string, content: string, namespace = "demo"): Promise<void> {
  const body = new FormData();
  body.append("fileContent", new Blob([content]), path);
  await app.json("POST", `/namespaces/${namespace}/files?path=${encodeURIComponent(path)}`, { body });
}

/** Tasks and their result: paths of the namespace, or the value of the last task. */
const RESULTS: readonly (readonly [name: string, tasks: readonly string[], value: string])[] = [
  [
    "UploadFiles: a map of storage URIs into a folder",
    [
      "w storage.Write {content: hello}",
      "u namespace.UploadFiles {namespace: demo, files: {new.txt: '{{ outputs.w.uri }}'}, destination: /up}",
      "v debug.Return {format: '{{ read(\"up/new.txt\") }} {{ outputs.u.files }}'}",
    ],
    'hello {"new.txt":"kestra:///demo/_files/up/new.txt"}',
  ],
  [
    "UploadFiles: filesMap, and a file that exists is kept with SKIP",
    [
      "w storage.Write {content: hello}",
      "u namespace.UploadFiles {namespace: demo, filesMap: {a.txt: '{{ outputs.w.uri }}'}, conflict: SKIP}",
      "v debug.Return {format: '{{ read(\"a.txt\") }}'}",
    ],
    "A",
  ],
  [
    "UploadFiles: OVERWRITE",
    [
      "w storage.Write {content: hello}",
      'u namespace.UploadFiles {namespace: demo, filesMap: \'{"a.txt": "{{ outputs.w.uri }}"}\'}',
      "v debug.Return {format: '{{ read(\"a.txt\") }}'}",
    ],
    "hello",
  ],
  [
    "UploadFiles: a list of URIs keeps the names",
    [
      "d namespace.DownloadFiles {namespace: demo, files: /a.txt}",
      "u namespace.UploadFiles {namespace: other, files: ['kestra:///demo/_files/dir/b.txt', 'nsfile:///a.txt', 'nsfile://demo/dir/deep/c.txt'], destination: up}",
      "v debug.Return {format: '{% for f in outputs.u.files %}{{ f.key }}={{ read(f.value) }};{% endfor %}'}",
    ],
    "b.txt=B;a.txt=A;c.txt=C;",
  ],
  [
    "DownloadFiles: a name is found in any folder",
    [
      "d namespace.DownloadFiles {namespace: demo, files: ['deep/c.txt', 'regex:.*/a\\.txt']}",
      "v debug.Return {format: '{{ outputs.d.files | keys }}'}",
    ],
    '["/a.txt","/dir/deep/c.txt"]',
  ],
  [
    "DownloadFiles: by globs",
    [
      "d namespace.DownloadFiles {namespace: demo, files: ['dir/**.txt', 'a.*']}",
      "v debug.Return {format: '{% for f in outputs.d.files %}{{ f.key }}={{ read(f.value) }};{% endfor %}'}",
    ],
    "/a.txt=A;/dir/b.txt=B;/dir/deep/c.txt=C;",
  ],
  [
    "DownloadFiles: the destination is in the names of the copies, not in the keys",
    [
      "d namespace.DownloadFiles {namespace: demo, files: '**.txt', destination: '/x/'}",
      'v debug.Return {format: \'{% for f in outputs.d.files %}{{ f.key }}={{ read(f.value) }} {{ f.value | replace({"-": " "}) | split(" ") | last }};{% endfor %}\'}',
    ],
    "/a.txt=A x_a.txt;/dir/b.txt=B x_b.txt;/dir/deep/c.txt=C x_c.txt;",
  ],
  [
    "UploadFiles: an empty list",
    [
      "u namespace.UploadFiles {namespace: demo, files: []}",
      "v debug.Return {format: '{{ outputs.u.files }}'}",
    ],
    "{}",
  ],
  [
    "DeleteFiles: by glob, an emptied folder stays",
    [
      "d namespace.DeleteFiles {namespace: demo, files: 'dir/deep/*'}",
      "v debug.Return {format: '{{ outputs.d.files | keys }} {{ fileExists(\"dir/deep/c.txt\") }}'}",
    ],
    '["dir/deep/c.txt"] false',
  ],
];

for (const [name, tasks, value] of RESULTS) {
  Deno.test(`namespace.${name}`, async () => {
    await using app = await Harness.start();
    for (const [path, content] of [["a.txt", "A"], ["dir/b.txt", "B"], ["dir/deep/c.txt", "C"]] as const) {
      await put(app, path, content);
    }
    const execution = await runTasks(app, tasks);
    assertEquals(execution.state.current, "SUCCESS", (await logOf(app, execution.id)).join("\n"));
    assertEquals(execution.taskRunList.at(-1)?.outputs.value, value);
  });
}

/** Whether the folder of a deleted file remains. */
const FOLDERS: readonly (readonly [members: string, names: string])[] = [
  ["", "deep"],
  [", deleteParentFolder: true", ""],
];

for (const [members, names] of FOLDERS) {
  Deno.test(`namespace.DeleteFiles {${members.slice(2)}} leaves the folder "${names}"`, async () => {
    await using app = await Harness.start();
    for (const path of ["dir/b.txt", "dir/deep/c.txt"]) await put(app, path, "x");
    await runTasks(app, [`d namespace.DeleteFiles {namespace: demo, files: 'dir/deep/c.txt'${members}}`]);
    const entries = await app.json("GET", "/namespaces/demo/files/directory?path=/dir") as unknown as {
      fileName: string;
      type: string;
    }[];
    assertEquals(
      entries.filter(({ type }) => type === "Directory").map(({ fileName }) => fileName).join(),
      names,
    );
  });
}

/** Properties of a PurgeFiles, and the files that remain of those in `demo`, `demo.low` and `else`. */
const PURGES: readonly (readonly [members: string, size: number, left: readonly string[]])[] = [
  ["", 0, ["demo/a.sql", "demo/dir/b.txt", "demo.low/a.sql", "else/a.sql"]],
  ["behavior: {type: version, keepAmount: 1}", 0, [
    "demo/a.sql",
    "demo/dir/b.txt",
    "demo.low/a.sql",
    "else/a.sql",
  ]],
  ["behavior: {type: version, before: '2100-01-01T00:00:00Z'}", 0, [
    "demo/a.sql",
    "demo/dir/b.txt",
    "demo.low/a.sql",
    "else/a.sql",
  ]],
  ["namespaces: [demo], behavior: {type: version, keepAmount: 0}", 3, ["else/a.sql"]],
  ["namespaces: [demo], includeChildNamespaces: false, behavior: {type: version}", 2, [
    "demo.low/a.sql",
    "else/a.sql",
  ]],
  ["namespacePattern: '*e*', filePattern: '**/*.sql', behavior: {type: version}", 3, ["demo/dir/b.txt"]],
  ["filePattern: '*b.t?t', behavior: {type: version, keepAmount: 0}", 1, [
    "demo/a.sql",
    "demo.low/a.sql",
    "else/a.sql",
  ]],
  ["namespaces: [demo], filePattern: '*', behavior: {type: version, keepAmount: 0}", 3, ["else/a.sql"]],
  ["filePattern: b.txt, behavior: {type: version, keepAmount: '{{ 0 }}'}", 1, [
    "demo/a.sql",
    "demo.low/a.sql",
    "else/a.sql",
  ]],
];

for (const [members, size, left] of PURGES) {
  Deno.test(`namespace.PurgeFiles {${members}} deletes ${size} files`, async () => {
    await using app = await Harness.start();
    const files = ["demo/a.sql", "demo/dir/b.txt", "demo.low/a.sql", "else/a.sql"];
    for (const file of files) {
      const [namespace, ...path] = file.split("/");
      await put(app, path.join("/"), "x", namespace);
    }
    const execution = await runTasks(app, [`p namespace.PurgeFiles {${members}}`]);
    assertEquals(
      resultsOf(execution).p,
      `SUCCESS {"size":${size}}`,
      (await logOf(app, execution.id)).join("\n"),
    );
    const found: string[] = [];
    for (const namespace of ["demo", "demo.low", "else"]) {
      const paths = await app.json("GET", `/namespaces/${namespace}/files/search?q=`) as unknown as string[];
      found.push(...paths.map((path) => `${namespace}${path}`));
    }
    assertEquals(found, [...left]);
  });
}

/** Properties of a PurgeFiles, and what it deletes of a file with three revisions and of one with a single revision. */
const REVISION_PURGES: readonly (readonly [members: string, size: number, left: string])[] = [
  ["", 2, "3 | 1"],
  ["behavior: {type: version, keepAmount: 2}", 1, "2,3 | 1"],
  ["behavior: {type: version, keepAmount: 5}", 0, "1,2,3 | 1"],
  ["behavior: {type: version, before: '2100-01-01T00:00:00Z'}", 2, "3 | 1"],
  ["behavior: {type: version, before: '2000-01-01T00:00:00Z'}", 0, "1,2,3 | 1"],
  ["filePattern: one.txt", 0, "1,2,3 | 1"],
  ["filePattern: three.txt, behavior: {type: version, keepAmount: 0}", 3, "none | 1"],
];

for (const [members, size, left] of REVISION_PURGES) {
  Deno.test(`namespace.PurgeFiles {${members}} deletes ${size} of four revisions`, async () => {
    await using app = await Harness.start();
    for (const content of ["1", "2", "3"]) await put(app, "three.txt", content);
    await put(app, "one.txt", "1");
    const execution = await runTasks(app, [`p namespace.PurgeFiles {${members}}`]);
    assertEquals(resultsOf(execution).p, `SUCCESS {"size":${size}}`);
    const found: string[] = [];
    for (const path of ["three.txt", "one.txt"]) {
      const response = await app.request("GET", `/namespaces/demo/files/revisions?path=${path}`);
      const listed: { revision: number }[] = response.ok ? await response.json() : [];
      if (!response.ok) await response.body?.cancel();
      found.push(listed.map(({ revision }) => revision).join() || "none");
    }
    assertEquals(found.join(" | "), left);
  });
}

/** Failing tasks and their log message. */
const FAILURES: readonly (readonly [task: string, message: string])[] = [
  ["u namespace.UploadFiles {namespace: demo}", "files or filesMap is required"],
  ["u namespace.UploadFiles {namespace: demo, files: null, filesMap: null}", "files or filesMap is required"],
  [
    "u namespace.UploadFiles {namespace: demo, filesMap: {_flows/x.yml: 'nsfile:///a.txt'}}",
    'Forbidden path: "_flows/x.yml"',
  ],
  ["u namespace.UploadFiles {namespace: demo, files: ['*.txt']}", "outside of a core.flow.WorkingDirectory"],
  [
    "u namespace.UploadFiles {namespace: demo, filesMap: {a.txt: 'kestra:///demo/_files/a.txt'}, conflict: ERROR}",
    'Cannot upload "a.txt": namespace "demo" has such a file already',
  ],
  [
    "u namespace.UploadFiles {namespace: demo, filesMap: {'../x': 'kestra:///demo/_files/a.txt'}}",
    'contains ".."',
  ],
  [
    "u namespace.UploadFiles {namespace: demo, filesMap: {b.txt: 'kestra:///demo/_files/a.txt'}, conflict: '{{ flow.id }}'}",
    'Invalid conflict "flow": it must be one of OVERWRITE, ERROR, SKIP',
  ],
  ["d namespace.DownloadFiles {namespace: 'De Mo', files: '*'}", "De Mo"],
  [
    "p namespace.PurgeFiles {namespaces: [demo], namespacePattern: 'd*'}",
    "Cannot purge files: give either namespaces or namespacePattern",
  ],
  [
    "p namespace.PurgeFiles {behavior: \"{{ {'type': 'key'} }}\"}",
    'Invalid type "key": it must be one of version',
  ],
];

for (const [task, message] of FAILURES) {
  Deno.test(`${task.split(" ")[1]} fails: ${message}`, async () => {
    await using app = await Harness.start();
    await put(app, "a.txt", "A");
    const execution = await runTasks(app, [task]);
    assertEquals(resultsOf(execution)[task.split(" ")[0] ?? ""], "FAILED");
    assertStringIncludes((await logOf(app, execution.id)).join("\n"), message);
  });
}

/** Uploads of which one is refused. */
const REFUSED_UPLOADS: readonly (readonly [members: string, message: string])[] = [
  ["files: '**'", 'Forbidden path: "_flows/x.yml"'],
  ["files: {a.txt: 'nsfile:///old.txt', ../x: 'nsfile:///old.txt'}", 'contains ".."'],
  [
    "files: {a.txt: 'nsfile:///old.txt', old.txt: 'nsfile:///old.txt'}, conflict: ERROR",
    'Cannot upload "old.txt": namespace "demo" has such a file already',
  ],
];

for (const [members, message] of REFUSED_UPLOADS) {
  Deno.test(`namespace.UploadFiles {${members}} is refused before the first file is written`, async () => {
    await using app = await Harness.start();
    await put(app, "old.txt", "A");
    const { id } = await runTasks(app, [
      "w flow.WorkingDirectory {inputFiles: {A.txt: 1, _flows/x.yml: 2, z.txt: 3}, tasks: [" +
      `{id: u, type: ${CORE}namespace.UploadFiles, namespace: demo, ${members}}]}`,
    ]);
    assertStringIncludes((await logOf(app, id)).join("\n"), message);
    const entries = await app.json("GET", "/namespaces/demo/files/directory?path=/") as unknown as {
      fileName: string;
    }[];
    assertEquals(entries.map(({ fileName }) => fileName), ["old.txt"]);
  });
}

/** Namespace files that a WorkingDirectory copies, and its log. */
const COPIES: readonly (readonly [members: string, names: string, log: string])[] = [
  ["", "a.txt dir/b.txt dir/deep/c.txt", "INFO Loaded 3 namespace files from 'demo'"],
  [
    "include: [c.txt, 'regex:.*/b.*']",
    "dir/b.txt dir/deep/c.txt",
    "INFO Loaded 2 namespace files from 'demo'",
  ],
  ["exclude: [/dir/**]", "a.txt", "INFO Loaded 1 namespace files from 'demo'"],
  [
    "exclude: [deep/**], namespaces: [demo, none]",
    "a.txt dir/b.txt",
    "INFO Loaded 2 namespace files from 'demo, none'",
  ],
];

for (const [members, names, log] of COPIES) {
  Deno.test(`namespaceFiles {${members}} copies ${names}`, async () => {
    await using app = await Harness.start();
    for (const path of ["a.txt", "dir/b.txt", "dir/deep/c.txt"]) await put(app, path, "x");
    const execution = await runTasks(app, [
      `w flow.WorkingDirectory {namespaceFiles: {${members}}, tasks: [{id: l, type: ${CORE}storage.LocalFiles, outputs: ['**']}]}`,
      "v debug.Return {format: '{{ outputs.l.uris | keys | join(\" \") }}'}",
    ]);
    assertEquals(execution.taskRunList.at(-1)?.outputs.value, names);
    assertEquals((await logOf(app, execution.id))[0], log);
  });
}

Deno.test("namespace.DownloadFiles and DeleteFiles count their files", async () => {
  await using app = await Harness.start();
  for (const path of ["a.txt", "dir/b.txt"]) await put(app, path, "x");
  const { id } = await runTasks(app, [
    "d namespace.DownloadFiles {namespace: demo, files: '**'}",
    "e namespace.DeleteFiles {namespace: demo, files: b.txt}",
  ]);
  const { results } = await app.json("GET", `/metrics/${id}`) as unknown as {
    results: { name: string; value: unknown }[];
  };
  assertEquals(results.map(({ name, value }) => `${name} ${value}`).sort(), [
    "deleted 1.0",
    "downloaded 2.0",
  ]);
});
