import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Effect, Harness, statesOf } from "../../support/harness.ts";
import { until } from "../../support/processes/machine_processes.ts";
import { CORE, logOf } from "../../tasks/core_flows.ts";

/** A WorkingDirectory `wd` with these members and tasks, and a last task `v` that shows `shown`. */
function flowWith(members: readonly string[], tasks: readonly string[], shown = ""): string {
  const last = shown === "" ? "" : `  - {id: v, type: ${CORE}debug.Return, format: "${shown}"}\n`;
  return `id: flow
namespace: demo
tasks:
  - id: wd
    type: ${CORE}flow.WorkingDirectory
${members.map((member) => `    ${member}\n`).join("")}    tasks:
${tasks.map((task) => `      - ${task}\n`).join("")}${last}`;
}

const LOCAL = `type: ${CORE}storage.LocalFiles`;

/** Flows, and what their last task shows. */
const RUNS: readonly (readonly [name: string, source: string, value: string])[] = [
  [
    "tasks share files",
    flowWith(
      [],
      [`{id: a, ${LOCAL}, inputs: {out/x.txt: "{{ taskrun.id }}"}}`, `{id: b, ${LOCAL}, outputs: ["out/*"]}`],
      "{{ read(outputs.b.uris['out/x.txt']) == tasks.a.state }}{{ outputs.b.uris | length }}",
    ),
    "false1",
  ],
  [
    "inputFiles and outputFiles",
    flowWith(
      ["inputFiles: {a.txt: hello, b/c.json: {x: 1}}", 'outputFiles: ["**.json", "*.txt"]'],
      [`{id: a, ${LOCAL}, inputs: {d.txt: there}}`],
      "{% for f in outputs.wd.outputFiles %}{{ f.key }}={{ read(f.value) }};{% endfor %}",
    ),
    'a.txt=hello;b/c.json={"x":1};d.txt=there;',
  ],
  [
    "a file of another task",
    `id: flow
namespace: demo
tasks:
  - {id: w, type: ${CORE}storage.Write, content: abc}
  - id: wd
    type: ${CORE}flow.WorkingDirectory
    inputFiles: {a.txt: "{{ outputs.w.uri }}"}
    tasks:
      - {id: a, ${LOCAL}, outputs: [a.txt]}
  - {id: v, type: ${CORE}debug.Return, format: "{{ read(outputs.a.uris['a.txt']) }}"}
`,
    "abc",
  ],
  [
    "namespace files",
    flowWith(
      ["namespaceFiles: {enabled: true, include: ['*.txt'], exclude: ['no.txt']}"],
      [`{id: a, ${LOCAL}, outputs: ["**"]}`],
      "{% for f in outputs.a.uris %}{{ f.key }}={{ read(f.value) }};{% endfor %}",
    ),
    "yes.txt=content;",
  ],
];

for (const [name, source, value] of RUNS) {
  Deno.test(`WorkingDirectory: ${name}`, async () => {
    await using app = await Harness.start();
    for (const path of ["yes.txt", "no.txt", "deep/yes.txt"]) {
      const body = new FormData();
      body.append("fileContent", new Blob(["content"]), path);
      await app.json("POST", `/namespaces/demo/files?path=${path}`, { body });
    }
    await app.save(source);
    const { id } = await app.start("flow", {}, "?wait=true");
    const execution = await app.execution(id);
    assertEquals(execution.state.current, "SUCCESS", (await logOf(app, execution.id)).join("\n"));
    assertEquals(execution.taskRunList.at(-1)?.outputs.value, value);
  });
}

/** Names of files that leave the directory, and what is logged. */
const NAMES: readonly (readonly [name: string, message: string])[] = [
  ["../x", 'contains ".."'],
  ["a/../../x", 'contains ".."'],
  ["a\\\\b", "contains a backslash"],
  ["%2e%2e/x", "encoded twice"],
];

for (const [name, message] of NAMES) {
  Deno.test(`WorkingDirectory: a file named "${name}" is refused`, async () => {
    await using app = await Harness.start();
    await app.save(flowWith([`inputFiles: {"${name}": a}`], [`{id: a, ${LOCAL}}`]));
    const { id } = await app.start("flow", {}, "?wait=true");
    const execution = await app.execution(id);
    assertEquals([execution.state.current, execution.taskRunList.length], ["FAILED", 1]);
    assertStringIncludes((await logOf(app, execution.id)).join("\n"), message);
  });
}

Deno.test("WorkingDirectory: a link that leads out is neither written through nor kept", async () => {
  const outside = await Deno.makeTempDir();
  const effect: Effect = async (_properties, { workingDirectory }) => {
    await Deno.symlink(outside, `${workingDirectory}/link`);
    await Deno.writeTextFile(`${outside}/secret.txt`, "secret");
    return { state: "SUCCESS" };
  };
  try {
    await using app = await Harness.start({ effect });
    await app.save(
      flowWith(['outputFiles: ["**"]'], [
        "{id: e, type: io.svc.plugin.harness.Effect}",
        `{id: o, ${LOCAL}, outputs: ["**"]}`,
        `{id: a, ${LOCAL}, allowFailure: true, inputs: {link/x.txt: a}}`,
      ]),
    );
    const { id } = await app.start("flow", {}, "?wait=true");
    const execution = await app.execution(id);
    assertEquals(execution.state.current, "WARNING");
    assertStringIncludes((await logOf(app, execution.id)).join("\n"), "a link leads out of the directory");
    assertEquals(execution.taskRunList.find(({ taskId }) => taskId === "o")?.outputs.uris, {});
  } finally {
    await Deno.remove(outside, { recursive: true });
  }
});

Deno.test("WorkingDirectory: after a crash it begins anew as a whole, and its directory goes with its end", async () => {
  const paths: string[] = [];
  let isFirst = true;
  const effect: Effect = async (_properties, { workingDirectory = "", signal }) => {
    paths.push(workingDirectory);
    if (!isFirst) return { state: "SUCCESS" };
    isFirst = false;
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { state: "KILLED" };
  };
  const app = await Harness.start({ effect });
  await app.save(
    flowWith(['outputFiles: ["*.txt"]'], [
      `{id: a, ${LOCAL}, inputs: {x.txt: a}}`,
      "{id: e, type: io.svc.plugin.harness.Effect}",
    ], "{{ read(outputs.wd.outputFiles['x.txt']) }}"),
  );
  const { id } = await app.start("flow");
  await until(() => paths.length === 1);
  await using later = await app.crash();
  await until(async () => (await later.execution(id)).state.current !== "RUNNING");
  const execution = await later.execution(id);
  assertEquals(execution.state.current, "SUCCESS", (await logOf(later, execution.id)).join("\n"));
  assertEquals(execution.taskRunList.map(({ taskId }) => taskId), ["wd", "a", "e", "v"]);
  assertEquals(
    statesOf(execution.taskRunList[1] as { state: typeof execution.state }),
    "CREATED RUNNING SUCCESS",
  );
  assertEquals(execution.taskRunList.at(-1)?.outputs.value, "a");
  assertEquals(paths.length, 2);
  await until(async () => !await exists(paths[1] ?? ""));
});

Deno.test("WorkingDirectory: after a failure it has its files, and its cache is saved", async () => {
  await using app = await Harness.start();
  const source = flowWith(["cache: {patterns: ['*.txt']}", 'outputFiles: ["*.txt"]'], [
    `{id: o, ${LOCAL}, outputs: ["*.txt"]}`,
    `{id: a, ${LOCAL}, inputs: {a.txt: hello}}`,
    `{id: f, type: ${CORE}execution.Fail}`,
    `{id: b, ${LOCAL}, inputs: {b.txt: hello}}`,
  ]);
  const shown = "{{ outputs.wd.outputFiles | keys }}{{ read(outputs.wd.outputFiles['a.txt']) }}";
  await app.save(`${source}errors:\n  - {id: e, type: ${CORE}debug.Return, format: "${shown}"}\n`);
  const found: unknown[] = [];
  for (let n = 0; n < 2; n++) {
    const { id } = await app.start("flow", {}, "?wait=true");
    const { state, taskRunList } = await app.execution(id);
    assertEquals(state.current, "FAILED");
    assertEquals(taskRunList.map(({ taskId }) => taskId), ["wd", "o", "a", "f", "e"]);
    assertEquals(taskRunList[0]?.state.current, "FAILED");
    assertEquals(taskRunList.at(-1)?.outputs.value, '["a.txt"]hello');
    found.push(Object.keys(taskRunList[1]?.outputs.uris ?? {}));
  }
  assertEquals(found, [[], ["a.txt"]]);
});

Deno.test("WorkingDirectory: a kill stores no files", async () => {
  const effect: Effect = async (_properties, { signal }) => {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return { state: "KILLED" };
  };
  await using app = await Harness.start({ effect });
  await app.save(flowWith(['outputFiles: ["*.txt"]'], [
    `{id: a, ${LOCAL}, inputs: {a.txt: hello}}`,
    "{id: e, type: io.svc.plugin.harness.Effect}",
  ]));
  const { id } = await app.start("flow");
  await until(async () => (await app.execution(id)).taskRunList.length === 3);
  await app.json("DELETE", `/executions/${id}/kill`);
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  assertEquals((await app.execution(id)).taskRunList[0]?.outputs, {});
});

Deno.test("WorkingDirectory: cached files are there again until their time is over", async () => {
  let count = 0;
  const effect: Effect = async (_properties, { workingDirectory }) => {
    const path = `${workingDirectory}/deep/n.txt`;
    if (await exists(path)) return { state: "SUCCESS" };
    await Deno.mkdir(`${workingDirectory}/deep`);
    await Deno.writeTextFile(path, String(++count));
    return { state: "SUCCESS" };
  };
  await using app = await Harness.start({ effect });
  await app.save(
    flowWith(["cache: {patterns: ['deep/**'], ttl: PT1H}", "outputFiles: ['**']"], [
      "{id: e, type: io.svc.plugin.harness.Effect}",
    ], "{{ read(outputs.wd.outputFiles['deep/n.txt']) }}"),
  );
  const values: unknown[] = [];
  for (const waitMs of [0, 1_000, 3_600_000, 0]) {
    await app.advance(waitMs);
    const { id } = await app.start("flow", {}, "?wait=true");
    values.push((await app.execution(id)).taskRunList.at(-1)?.outputs.value);
  }
  assertEquals(values, ["1", "1", "2", "2"]);
});

/** Starts of a flow that shows which cached files it finds: how long after the one before, and the file that it writes. */
const CACHE_RUNS: readonly (readonly [waitMs: number, name: string, found: readonly string[]])[] = [
  [0, "a.txt", []],
  [0, "b.txt", ["a.txt"]],
  [0, "other", ["a.txt", "b.txt"]],
  [3_000_000, "other", ["a.txt", "b.txt"]],
  [600_000, "c.txt", []],
  [3_000_000, "d.txt", ["c.txt"]],
  [3_000_000, "other", ["c.txt", "d.txt"]],
];

Deno.test("WorkingDirectory: a cache is saved again, with a new age, when its files have changed", async () => {
  await using app = await Harness.start();
  await app.save(`${
    flowWith(["cache: {patterns: ['*.txt'], ttl: PT1H}"], [
      `{id: found, ${LOCAL}, outputs: ["*"]}`,
      `{id: write, ${LOCAL}, inputs: {"{{ inputs.name }}": x}}`,
    ])
  }inputs: [{id: name, type: STRING}]\n`);
  const found: unknown[] = [];
  for (const [waitMs, name] of CACHE_RUNS) {
    await app.advance(waitMs);
    const { id } = await app.start("flow", { name }, "?wait=true");
    found.push(Object.keys((await app.execution(id)).taskRunList[1]?.outputs.uris ?? {}));
  }
  assertEquals(found, CACHE_RUNS.map(([, , names]) => names));
});

Deno.test("WorkingDirectory: a cache is saved again when a file has another content, or is gone", async () => {
  const contents = ["one", "three", undefined, undefined];
  const found: unknown[] = [];
  const effect: Effect = async (_properties, { workingDirectory }) => {
    const path = `${workingDirectory}/n.txt`;
    found.push(await Deno.readTextFile(path).catch(() => undefined));
    const content = contents[found.length - 1];
    if (content !== undefined) await Deno.writeTextFile(path, content);
    else await Deno.remove(path).catch(() => undefined);
    return { state: "SUCCESS" };
  };
  await using app = await Harness.start({ effect });
  await app.save(flowWith(["cache: {patterns: ['*.txt']}"], ["{id: e, type: io.svc.plugin.harness.Effect}"]));
  for (const _ of contents) await app.start("flow", {}, "?wait=true");
  assertEquals(found, [undefined, "one", "three", undefined]);
});

async function exists(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
