import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { RunnableTaskType } from "../../src/model/tasks/task_catalog.ts";
import { Harness } from "../support/harness.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { CORE, flowOf, logOf, resultsOf, runTasks } from "./core_flows.ts";

const ITEMS = '{"k":"a","n":1}\\n{"k":"b","n":2}\\n\\n{"k":"a","n":3}\\n';

/** Tasks, the last of which returns file contents or outputs. */
const RESULTS: readonly (readonly [name: string, tasks: readonly string[], value: string])[] = [
  [
    "Write: the content, with its ending",
    [
      "w storage.Write {content: 'a {{ 1 + 1 }}', extension: json}",
      "v debug.Return {format: '{{ read(outputs.w.uri) }}|{{ outputs.w.uri | split(\"[.]\") | last }}'}",
    ],
    "a 2|json",
  ],
  [
    "LocalFiles: a directory of its own outside of a WorkingDirectory",
    [
      "w storage.Write {content: stored}",
      "l storage.LocalFiles {inputs: {test/a.txt: '{{ 1 + 1 }}', 'test/sub/b.txt': '{{ outputs.w.uri }}', c.txt: C}, outputs: ['test/**']}",
      "m storage.LocalFiles {outputs: ['**']}",
      "v debug.Return {format: '{% for f in outputs.l.uris %}{{ f.key }}={{ read(f.value) }};{% endfor %}{{ outputs.m }}'}",
    ],
    'test/a.txt=2;test/sub/b.txt=stored;{"uris":{}}',
  ],
  [
    "LocalFiles: null creates an empty file, and leaves one that is there",
    [
      `w flow.WorkingDirectory {inputFiles: {a.txt: A, b/c.txt: null}, tasks: [{id: l, type: ${CORE}storage.LocalFiles, inputs: {/a.txt: null, d.txt: null}, outputs: ['**']}]}`,
      "v debug.Return {format: '{% for f in outputs.l.uris %}{{ f.key }}={{ read(f.value) }};{% endfor %}'}",
    ],
    "a.txt=A;b/c.txt=;d.txt=;",
  ],
  [
    "Split: by pattern",
    [
      'w storage.Write {content: "[WARN] a\\n[INFO] b\\nnone\\n[WARN] c [INFO]\\n[INFO] d", extension: log}',
      "s storage.Split {from: '{{ outputs.w.uri }}', regexPattern: '\\[(\\w+)\\]', rows: 1}",
      "v debug.Return {format: '{% for u in outputs.s.uris %}{{ read(u) }}{{ u | split(\"[.]\") | last }};{% endfor %}'}",
    ],
    "[WARN] a\n[WARN] c [INFO]\nlog;[INFO] b\n[INFO] d\nlog;",
  ],
  [
    "Concat: a separator after each file",
    [
      "a storage.Write {content: A}",
      "b storage.Write {content: B}",
      "c storage.Concat {files: ['{{ outputs.a.uri }}', '{{ outputs.b.uri }}'], separator: '-', extension: .txt}",
      "v debug.Return {format: '{{ read(outputs.c.uri) }}'}",
    ],
    "A-B-",
  ],
  [
    "Concat: files as JSON text",
    [
      "a storage.Write {content: A}",
      'c storage.Concat {files: \'["{{ outputs.a.uri }}", "{{ outputs.a.uri }}"]\'}',
      "v debug.Return {format: '{{ read(outputs.c.uri) }}'}",
    ],
    "AA",
  ],
  [
    "Write: an object and a list as content are their JSON",
    [
      "w storage.Write {content: {n: 1, t: '{{ \"a\\\"b\" }}', none: null, at: ['{{ 1 + 1 }}']}}",
      "l storage.Write {content: [1, 2.5, x]}",
      "v debug.Return {format: '{{ read(outputs.w.uri) }}{{ read(outputs.l.uri) }}'}",
    ],
    '{"n":1,"t":"a\\"b","none":null,"at":["2"]}[1,2.5,"x"]',
  ],
  [
    "Return: an object and a list as format are their JSON",
    [
      "r debug.Return {format: {a: '{{ 1 + 1 }}'}}",
      "v debug.Return {format: '{{ outputs.r.value }}'}",
    ],
    '{"a":"2"}',
  ],
  [
    "Concat: no files",
    [
      "c storage.Concat {files: []}",
      "s storage.Size {uri: '{{ outputs.c.uri }}'}",
      "d storage.Concat {files: '{{ [] }}', separator: '-'}",
      "v debug.Return {format: '{{ outputs.s.size }}[{{ read(outputs.d.uri) }}]'}",
    ],
    "0[]",
  ],
  [
    "Size: bytes",
    [
      "w storage.Write {content: äb}",
      "s storage.Size {uri: '{{ outputs.w.uri }}'}",
      "v debug.Return {format: '{{ outputs.s.size }}'}",
    ],
    "3",
  ],
  [
    "Delete: the second call finds no file",
    [
      "w storage.Write {content: a}",
      "d storage.Delete {uri: '{{ outputs.w.uri }}'}",
      "e storage.Delete {uri: '{{ outputs.w.uri }}'}",
      "v debug.Return {format: '{{ outputs.d.deleted }} {{ outputs.e.deleted }} {{ fileExists(outputs.w.uri) }}'}",
    ],
    "true false false",
  ],
  [
    "Reverse: lines with and without a final separator",
    [
      'w storage.Write {content: "1\\n22\\n\\n333"}',
      "r storage.Reverse {from: '{{ outputs.w.uri }}'}",
      "v debug.Return {format: '{{ read(outputs.r.uri) }}'}",
    ],
    "333\n\n22\n1\n",
  ],
  [
    "Reverse: a file that begins with an empty line",
    [
      'w storage.Write {content: "\\n\\n1\\n"}',
      "r storage.Reverse {from: '{{ outputs.w.uri }}'}",
      'x storage.Write {content: "<><>1<>2"}',
      "s storage.Reverse {from: '{{ outputs.x.uri }}', separator: '<>'}",
      "v debug.Return {format: '{{ read(outputs.r.uri) }}{{ read(outputs.s.uri) }}'}",
    ],
    "1\n\n\n2<>1<><><>",
  ],
  [
    "Reverse: a last line that is shorter than the separator",
    [
      'w storage.Write {content: "a\\r\\nb\\r\\nc"}',
      'r storage.Reverse {from: "{{ outputs.w.uri }}", separator: "\\r\\n"}',
      "v debug.Return {format: '{{ read(outputs.r.uri) }}'}",
    ],
    "c\r\nb\r\na\r\n",
  ],
  [
    "Reverse: an empty separator and charset mean the defaults",
    [
      'w storage.Write {content: "1\\n2"}',
      "r storage.Reverse {from: '{{ outputs.w.uri }}', separator: \"{{ '' }}\", charset: \"{{ '' }}\"}",
      "v debug.Return {format: '{{ read(outputs.r.uri) }}'}",
    ],
    "2\n1\n",
  ],
  [
    "Reverse: another separator",
    [
      'w storage.Write {content: "1<>2<3<>"}',
      "r storage.Reverse {from: '{{ outputs.w.uri }}', separator: '<>'}",
      "v debug.Return {format: '{{ read(outputs.r.uri) }}'}",
    ],
    "2<3<>1<>",
  ],
  [
    "DeduplicateItems: the last one of each key",
    [
      `w storage.Write {content: "${ITEMS.replaceAll('"', '\\"')}"}`,
      "d storage.DeduplicateItems {from: '{{ outputs.w.uri }}', expr: '{{ k }}'}",
      "v debug.Return {format: '{{ read(outputs.d.uri) }}{{ outputs.d.numKeys }}/{{ outputs.d.processedItemsTotal }}/{{ outputs.d.droppedItemsTotal }}'}",
    ],
    '{"k":"b","n":2}\n{"k":"a","n":3}\n2/3/1',
  ],
  [
    "FilterItems: INCLUDE",
    [
      `w storage.Write {content: "${ITEMS.replaceAll('"', '\\"')}"}`,
      "f storage.FilterItems {from: '{{ outputs.w.uri }}', filterCondition: '{{ n > 1 }}'}",
      "v debug.Return {format: '{{ read(outputs.f.uri) }}{{ outputs.f.processedItemsTotal }}/{{ outputs.f.droppedItemsTotal }}'}",
    ],
    '{"k":"b","n":2}\n{"k":"a","n":3}\n3/1',
  ],
  [
    "FilterItems: EXCLUDE, and errorOrNullBehavior",
    [
      `w storage.Write {content: "${ITEMS.replaceAll('"', '\\"')}{}\\n"}`,
      "f storage.FilterItems {from: '{{ outputs.w.uri }}', filterCondition: '{{ n > 1 }}', filterType: EXCLUDE, errorOrNullBehavior: INCLUDE}",
      "v debug.Return {format: '{{ read(outputs.f.uri) }}'}",
    ],
    '{"k":"a","n":1}\n{}\n',
  ],
  [
    "FilterItems: a null member is defined",
    [
      `w storage.Write {content: "${
        '{"n":null}\n{"n":"a"}\n'.replaceAll('"', '\\"').replaceAll("\n", "\\n")
      }"}`,
      "f storage.FilterItems {from: '{{ outputs.w.uri }}', filterCondition: '{{ n is null }}'}",
      "v debug.Return {format: '{{ read(outputs.f.uri) }}'}",
    ],
    '{"n":null}\n',
  ],
  [
    "FilterItems: an empty text is false",
    [
      `w storage.Write {content: "${
        '{"n":""}\n{"n":"a"}\n{"n":0}\n'.replaceAll('"', '\\"').replaceAll("\n", "\\n")
      }"}`,
      "f storage.FilterItems {from: '{{ outputs.w.uri }}', filterCondition: ' {{ n }} '}",
      "v debug.Return {format: '{{ read(outputs.f.uri) }}{{ outputs.f.droppedItemsTotal }}'}",
    ],
    '{"n":"a"}\n2',
  ],
  [
    "FilterItems: options as expressions",
    [
      `w storage.Write {content: "${ITEMS.replaceAll('"', '\\"')}{}\\n"}`,
      "f storage.FilterItems {from: '{{ outputs.w.uri }}', filterCondition: '{{ n > 1 }}', filterType: \"{{ 'exclude' }}\", errorOrNullBehavior: \"{{ 'INCLUDE' }}\"}",
      "v debug.Return {format: '{{ read(outputs.f.uri) }}'}",
    ],
    '{"k":"a","n":1}\n{}\n',
  ],
  [
    "Split: by rows",
    [
      'w storage.Write {content: "1\\n2\\n3\\n4\\n5", extension: .csv}',
      "s storage.Split {from: '{{ outputs.w.uri }}', rows: 2}",
      "v debug.Return {format: '{% for u in outputs.s.uris %}[{{ read(u) }}]{% endfor %}{{ outputs.s.uris[0] | split(\"[.]\") | last }}'}",
    ],
    "[1\n2\n][3\n4\n][5\n]csv",
  ],
  [
    "Split: by bytes, full with the line that reaches them",
    [
      'w storage.Write {content: "12\\n34\\n56\\n"}',
      "s storage.Split {from: '{{ outputs.w.uri }}', bytes: 4B}",
      "v debug.Return {format: '{% for u in outputs.s.uris %}[{{ read(u) }}]{% endfor %}'}",
    ],
    "[12\n34\n][56\n]",
  ],
  [
    "Split: by partitions, in turn; none is empty",
    [
      'w storage.Write {content: "1;2;3;4;5;"}',
      "s storage.Split {from: '{{ outputs.w.uri }}', partitions: 3, separator: ';'}",
      "t storage.Split {from: '{{ outputs.w.uri }}', partitions: 40, separator: ';'}",
      "v debug.Return {format: '{% for u in outputs.s.uris %}[{{ read(u) }}]{% endfor %}{{ outputs.t.uris | length }}'}",
    ],
    "[1;4;][2;5;][3;]5",
  ],
  [
    "PurgeCurrentExecutionFiles: deletes all files",
    [
      "w storage.Write {content: a}",
      "p storage.PurgeCurrentExecutionFiles",
      "v debug.Return {format: '{{ outputs.p.uris == [outputs.w.uri] }} {{ fileExists(outputs.w.uri) }}'}",
    ],
    "true false",
  ],
];

for (const [name, tasks, value] of RESULTS) {
  Deno.test(`storage.${name}`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, tasks);
    assertEquals(execution.state.current, "SUCCESS", (await logOf(app, execution.id)).join("\n"));
    assertEquals(execution.taskRunList.at(-1)?.outputs.value, value);
  });
}

/** Failing tasks and their log message. */
const FAILURES: readonly (readonly [task: string, message: string])[] = [
  ["s storage.Size {uri: 'kestra:///demo/flow/executions/AVbcEv32000y2k4Z4ZfIlw/x'}", "execution"],
  ["s storage.Size {uri: 'kestra:///demo/_files/none.txt'}", "there is no such file"],
  ["s storage.Size {uri: 'file:///etc/passwd'}", "is not the address of a stored file"],
  ["d storage.Delete {uri: 'kestra:///demo/_files/none', errorOnMissing: true}", "there is no such file"],
  [
    "s storage.Split {from: 'kestra:///demo/_files/none'}",
    "give one of bytes, partitions, rows and regexPattern",
  ],
  ["s storage.Split {from: 'kestra:///demo/_files/none', regexPattern: 'a+'}", "it must have a group"],
  ["s storage.Split {from: 'kestra:///demo/_files/none', bytes: big}", 'Invalid bytes "big"'],
  ...["Split {rows: 1, ", "Reverse {"].map((task) =>
    [
      `s storage.${task}from: 'kestra:///demo/_files/n', separator: ${"ä".repeat(513)}}`,
      "Invalid separator: it has more than 1024 bytes",
    ] as const
  ),
  ["r storage.Reverse {from: 'kestra:///demo/_files/n', charset: UTF-16}", 'Unsupported charset "UTF-16"'],
  [
    "f storage.FilterItems {from: 'kestra:///demo/_files/n', filterCondition: 'true', filterType: '{{ flow.id }}'}",
    'Invalid filterType "flow": it must be one of INCLUDE, EXCLUDE',
  ],
];

for (const [task, message] of FAILURES) {
  Deno.test(`${task.split(" ")[1]} fails: ${message}`, async () => {
    await using app = await Harness.start();
    const execution = await runTasks(app, [task]);
    assertEquals(execution.state.current, "FAILED");
    assertStringIncludes((await logOf(app, execution.id)).join("\n"), message);
  });
}

Deno.test("storage.Size of a file of an unrelated execution is refused", async () => {
  await using app = await Harness.start();
  await app.save(flowOf("other", ["w storage.Write {content: a}"]));
  const { id } = await app.start("other", {}, "?wait=true");
  const uri = String((await app.execution(id)).taskRunList[0]?.outputs.uri);
  const execution = await runTasks(app, [`s storage.Size {uri: '${uri}'}`]);
  assertMatch((await logOf(app, execution.id)).join("\n"), /neither started this one nor was started by it/);
});

Deno.test("storage.Size of a file of a subflow, and of the execution that started it", async () => {
  await using app = await Harness.start();
  await app.save(
    flowOf(
      "child",
      ["given storage.Size {uri: '{{ inputs.f }}'}", "w storage.Write {content: abc}"],
      "inputs: [{id: f, type: STRING}]\noutputs: [{id: uri, type: STRING, value: '{{ outputs.w.uri }}'}]\n",
    ),
  );
  const execution = await runTasks(app, [
    "w storage.Write {content: ab}",
    "s flow.Subflow {namespace: demo, flowId: child, inputs: {f: '{{ outputs.w.uri }}'}}",
    "t storage.Size {uri: '{{ outputs.s.outputs.uri }}'}",
    "v debug.Return {format: '{{ read(outputs.s.outputs.uri) }}'}",
  ]);
  assertEquals(resultsOf(execution).t, 'SUCCESS {"size":3}');
  assertEquals(resultsOf(execution).v, 'SUCCESS {"value":"abc"}');
});

const LARGE_LINES = 40_000;
const FILES_TYPE = `${CORE}storage.`;

/** Writes a file of several megabytes, or many files. */
function writer(count: number): RunnableTaskType {
  return {
    form: "runnable",
    pure: false,
    type: "harness.Write",
    aliases: [],
    description: "Writes files.",
    properties: {},
    async run(_properties, context) {
      const uris: string[] = [];
      for (let file = 0; file < count; file++) {
        const lines = function* () {
          const encoder = new TextEncoder();
          const rows = count === 1 ? LARGE_LINES : 1;
          for (let row = 0; row < rows; row++) yield encoder.encode(`${String(file + row).padStart(99)}\n`);
        };
        uris.push((await context.ports.storage.write(context, "f.txt", ReadableStream.from(lines()))).uri);
      }
      return { state: "SUCCESS", outputs: { uris } };
    },
  };
}

Deno.test("storage tasks stream large files, and deleting the execution deletes all of its files", async () => {
  await using app = await Harness.start({ extraTasks: [writer(1)] });
  await app.save(`id: flow
namespace: demo
tasks:
  - {id: w, type: io.kestra.plugin.harness.Write}
  - {id: r, type: ${FILES_TYPE}Reverse, from: "{{ outputs.w.uris[0] }}"}
  - {id: s, type: ${FILES_TYPE}Split, from: "{{ outputs.r.uri }}", partitions: 20}
  - {id: c, type: ${FILES_TYPE}Concat, files: "{{ outputs.s.uris }}"}
  - {id: z, type: ${FILES_TYPE}Size, uri: "{{ outputs.c.uri }}"}
`);
  const execution = await app.start("flow", {}, "?wait=true");
  const done = await app.execution(execution.id);
  assertEquals(done.state.current, "SUCCESS", (await logOf(app, done.id)).join("\n"));
  assertEquals(resultsOf(done).z, `SUCCESS {"size":${LARGE_LINES * 100}}`);
  assertEquals([app.store.count(["bi"]), app.store.count(["fi"])], [0, 0]);
  await app.request("DELETE", `/executions/${done.id}`);
  await settle();
  assertEquals([app.store.count(["main", "ef"]), app.store.count(["main", "b", done.id])], [0, 0]);
});

Deno.test("an attempt stores thousands of files with a commit of bounded size", async () => {
  await using app = await Harness.start({ extraTasks: [writer(2_000)] });
  await app.save("id: flow\nnamespace: demo\ntasks: [{id: w, type: io.kestra.plugin.harness.Write}]\n");
  const execution = await app.start("flow", {}, "?wait=true");
  assertEquals((await app.execution(execution.id)).state.current, "SUCCESS");
  assertEquals([app.store.count(["main", "ef"]), app.store.count(["fi"])], [2_000, 0]);
});

/** Abnormal ends of an attempt that has written 200 files. */
const BROKEN_ENDS: readonly (readonly [name: string, end: "throws" | "times out" | "crashes"])[] = [
  ["by an error", "throws"],
  ["by its timeout", "times out"],
  ["by a crash of the server", "crashes"],
];

for (const [name, end] of BROKEN_ENDS) {
  Deno.test(`an attempt that is ended ${name} leaves no file`, async () => {
    let isFirst = true;
    const effect: NonNullable<Parameters<typeof Harness.start>[0]>["effect"] = async (
      _properties,
      context,
    ) => {
      if (!isFirst) return { state: "SUCCESS" };
      isFirst = false;
      for (let file = 0; file < 200; file++) {
        const content = ReadableStream.from([new Uint8Array(file === 0 ? 200_000 : 10)]);
        await context.ports.storage.write(context, "f.bin", content);
      }
      if (end === "throws") throw new Error("broken");
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      return { state: "KILLED" };
    };
    await using app = await Harness.start({ effect });
    await app.save(
      "id: flow\nnamespace: demo\ntasks: [{id: e, type: io.svc.plugin.harness.Effect, timeout: PT10S}]\n",
    );
    const { id } = await app.start("flow");
    for (let turn = 0; turn < 100; turn++) await settle();
    if (end === "crashes") assert(app.store.count(["main", "ef"]) > 0);
    await app.advance(1);
    await using later = end === "crashes" ? await app.crash({ effect }) : undefined;
    await (later ?? app).advance(20_000);
    for (let turn = 0; turn < 50; turn++) await settle();
    const { store } = later ?? app;
    assertEquals(
      ["ef", "b"].map((space) => store.count(["main", space])).concat(
        store.count(["fi"]),
        store.count(["bi"]),
      ),
      [0, 0, 0, 0],
    );
    const state = (await (later ?? app).execution(id)).state.current;
    assertEquals(state, end === "crashes" ? "SUCCESS" : "FAILED");
  });
}

/** Properties of a PurgeStorage, its outputs `scanned, purged, deleted`, and whether the files of the flows `old` and `x` stay. */
const STORAGE_PURGES: readonly (readonly [members: string, counts: string, left: string])[] = [
  ["endDate: NOW", "3 2 0", "old x"],
  ["endDate: NOW, dryRun: false", "3 2 3", ""],
  ["endDate: NOW, dryRun: false, namespace: demo, flowId: old", "1 1 2", "x"],
  ["endDate: NOW, dryRun: false, namespace: demo", "3 2 3", ""],
  ["endDate: NOW, dryRun: false, namespace: else", "0 0 0", "old x"],
  ["endDate: '2020-01-01T00:00:00Z', dryRun: false", "0 0 0", "old x"],
  ["endDate: NOW, startDate: NOW, dryRun: false", "0 0 0", "old x"],
];

for (const [members, counts, left] of STORAGE_PURGES) {
  Deno.test(`storage.PurgeStorage {${members}} counts ${counts}`, async () => {
    await using app = await Harness.start();
    const ended = [
      await app.run(flowOf("old", ["w storage.Write {content: a}", "v storage.Write {content: b}"])),
      await app.run(flowOf("x", ["w storage.Write {content: c}"])),
      await app.run(flowOf("none", ["l log.Log {message: no file}"])),
    ];
    await app.advance(1_000);
    const properties = members.replaceAll("NOW", '"{{ now() }}"');
    const execution = await runTasks(app, [
      "w storage.Write {content: kept}",
      `p storage.PurgeStorage {${properties}}`,
      "v debug.Return {format: '{{ read(outputs.w.uri) }}'}",
    ]);
    const [scannedCount, purgedCount, deletedFilesCount] = counts.split(" ").map(Number);
    const { p, v } = resultsOf(execution);
    assertEquals(p, `SUCCESS ${JSON.stringify({ scannedCount, purgedCount, deletedFilesCount })}`);
    assertEquals(v, 'SUCCESS {"value":"kept"}');
    const found: string[] = [];
    for (const { id, flowId, taskRunList } of ended) {
      assertEquals((await app.execution(id)).state.current, "SUCCESS");
      const { uri } = taskRunList[0]?.outputs ?? {};
      if (typeof uri !== "string") continue;
      const path = `/executions/${id}/file?path=${encodeURIComponent(uri)}`;
      const { status } = await app.request("GET", path);
      if (status === 200) found.push(String(flowId));
    }
    assertEquals(found.join(" "), left);
  });
}

Deno.test("storage.PurgeStorage of a flow needs its namespace", async () => {
  await using app = await Harness.start();
  const execution = await runTasks(app, ["p storage.PurgeStorage {flowId: old, endDate: '{{ now() }}'}"]);
  assertEquals(await logOf(app, execution.id), [
    "ERROR Cannot purge by flowId: the namespace is missing",
  ]);
});
