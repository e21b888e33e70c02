/** The environment of Python and Node.js tasks, with the interpreters of the machine. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Harness } from "../../../support/harness.ts";
import { runTasks } from "../../../support/flows/task_runs.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

function script(text: string, further = "", language = "python", id = "a"): string {
  const lines = text.split("\n").map((line) => `      ${line}`).join("\n");
  return `  - id: ${id}
    type: io.kestra.plugin.scripts.${language}.Script
    script: |
${lines}
${further && `    ${further}\n`}`;
}

/** Installs a module without an installer. */
function install(name: string, text: string): string {
  return [
    "import os, sysconfig",
    `with open(os.path.join(sysconfig.get_path("purelib"), "${name}.py"), "w") as file:`,
    `  file.write(${JSON.stringify(text)})`,
  ].join("\n");
}

Deno.test("ScriptEnvironment: each task installs packages for itself, not for the machine or another task", async () => {
  await using app = await Harness.start();
  const first = await runTasks(
    app,
    script(
      `${install("probe", "x = 1")}\nimport probe, sys\nprint(probe.__file__, sys.prefix != sys.base_prefix)`,
    ),
  );
  assertEquals(first.state, "SUCCESS");
  assertMatch(first.lines[0] ?? "", /^INFO .*-1-packages\/lib\/python3\.\d+\/site-packages\/probe\.py True$/);
  const second = await runTasks(app, script("import probe"));
  assertEquals(second.state, "FAILED");
  assertStringIncludes(second.lines.join("\n"), "No module named 'probe'");
});

Deno.test("ScriptEnvironment: tasks of one WorkingDirectory have different environments, and leave nothing there", async () => {
  await using app = await Harness.start();
  const inner = [
    script(install("probe", "x = 1"), "", "python", "one"),
    script(
      "import os\ntry:\n  import probe\nexcept ImportError:\n  print(os.listdir('.'))",
      "",
      "python",
      "two",
    ),
  ].join("").replaceAll(/^/gm, "    ").trimEnd();
  const { state, lines } = await runTasks(
    app,
    `  - id: w\n    type: io.kestra.plugin.core.flow.WorkingDirectory\n    tasks:\n${inner}\n`,
  );
  assertEquals(state, "SUCCESS");
  assertMatch(
    lines[0] ?? "",
    /^INFO \['\.output-[^']*', '\.sluice-[^']*'\]$|^INFO \['\.sluice-[^']*', '\.output-[^']*'\]$/,
  );
});

Deno.test("ScriptEnvironment: python, python3, pip and pip3 are commands of the environment", async () => {
  await using app = await Harness.start();
  const commands = ["python", "python3", "pip", "pip3"].map((name) => `command -v ${name}`);
  const { state, lines } = await runTasks(
    app,
    `  - {id: a, type: io.kestra.plugin.scripts.python.Commands, commands: ${JSON.stringify(commands)}}`,
  );
  assertEquals(state, "SUCCESS");
  assertEquals(
    lines.map((line) => line.replace(/^INFO .*\/([^/]+\/bin\/)/, "$1").replace(/^.*-packages/, "packages")),
    [
      ...["packages/bin/python", "packages/bin/python3", "shared-1/bin/pip", "shared-1/bin/pip3"],
    ],
  );
});

Deno.test("ScriptEnvironment: packages of a virtual environment on the PATH remain importable", async () => {
  await withTempDir(async (folder) => {
    const made = await new Deno.Command("python3", {
      args: ["-m", "venv", "--without-pip", `${folder}/venv`],
    }).output();
    assert(made.success);
    await using app = await Harness.start();
    const path = `env: {PATH: "${folder}/venv/bin:${Deno.env.get("PATH")}"}`;
    const libraries = [...Deno.readDirSync(`${folder}/venv/lib`)].map(({ name }) => name);
    await Deno.writeTextFile(`${folder}/venv/lib/${libraries[0]}/site-packages/of_venv.py`, "");
    const { lines } = await runTasks(
      app,
      script("import of_venv, sys\nprint(of_venv.__file__, sys.prefix)", path),
    );
    assertMatch(lines[0] ?? "", new RegExp(`^INFO ${folder}/venv/lib/.*/of_venv\\.py .*-1-packages$`));
  });
});

Deno.test("ScriptEnvironment: a shell task without Python or Node.js gets none", async () => {
  await using app = await Harness.start();
  const commands = JSON.stringify([
    'test -z "$VIRTUAL_ENV$SLUICE_PYTHON$NODE_PATH$npm_config_prefix"',
    "echo $PATH",
  ]);
  const { state, lines } = await runTasks(
    app,
    `  - {id: a, type: io.kestra.plugin.scripts.shell.Commands, env: {PATH: "/usr/bin:/bin"}, commands: ${commands}}`,
  );
  assertEquals([state, ...lines], ["SUCCESS", "INFO /usr/bin:/bin"]);
});

const KESTRA = `from kestra import Kestra
Kestra.outputs({"a": 1, "text": "x"})
Kestra.send({"outputs": {"sent": True}})
Kestra.counter("rows", 2, {"table": "t"})
Kestra.timer("fixed", 1.5)
print(Kestra.timer("measured", lambda: "done"))
Kestra.gauge("level", 3)
logger = Kestra.logger()
assert logger is Kestra.logger()
logger.debug("d"); logger.info("i"); logger.warning("w"); logger.error("e")`;

Deno.test("kestra.py reports outputs, metrics and log lines", async () => {
  await using app = await Harness.start();
  const { id, state, lines, outputs } = await runTasks(app, script(KESTRA));
  assertEquals(outputs.vars, { a: 1, text: "x", sent: true });
  const unordered = ["INFO done", "DEBUG d", "INFO i", "WARN w", "ERROR e"];
  assertEquals(lines.filter((line) => unordered.includes(line)).toSorted(), unordered.toSorted());
  assertEquals(state, "WARNING");
  const { results } = await (await app.request("GET", `/metrics/${id}`)).json() as {
    results: { name: string; type: string; value: number; tags: unknown }[];
  };
  const metrics = results.map(({ name, type, value, tags }) => ({ name, type, value, tags }));
  assertEquals(metrics[0], { name: "rows", type: "counter", value: 2, tags: { table: "t" } });
  assertEquals([metrics[1]?.name, metrics[1]?.type, metrics[1]?.value], ["fixed", "timer", 1500]);
  assertEquals([metrics[2]?.name, (metrics[2]?.value ?? 0) < 10_000], ["measured", true]);
});

Deno.test("kestra.py yields to a module that the task installs, and to one of the machine", async () => {
  await using app = await Harness.start();
  const show = "import kestra\nprint(kestra.__file__, getattr(kestra, 'own', None))";
  const installed = await runTasks(app, script(`${install("kestra", "own = 1")}\n${show}`));
  assertMatch(installed.lines[0] ?? "", /-1-packages\/lib\/.*\/kestra\.py 1$/);
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/kestra.py`, "own = 2");
    const given = await runTasks(app, script(show, `env: {PYTHONPATH: "${folder}"}`));
    assertEquals(given.lines, [`INFO ${folder}/kestra.py 2`]);
  });
});

const FLOW_CLIENT = `from kestra import Flow
done = Flow(poll_interval=0).execute("demo", "child", {"name": "x", "flag": True})
print(done.status, done.log.strip().split(" ")[-1])
started = Flow(wait_for_completion=False).execute("demo", "child", {"name": "y"})
print(started.status, len(started.execution_id) > 5)
print(Flow().check_status(done.execution_id).json()["flowId"])
try:
  Flow().execute("demo", "missing")
except RuntimeError as error:
  print("status 404" in str(error))`;

Deno.test("kestra.py starts flows of the server", async () => {
  await using app = await Harness.start();
  const onListen = () => {};
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen }, async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const body = await request.arrayBuffer();
    const type = headers.get("content-type");
    return await app.request(method, pathname + search, {
      headers: type === null ? {} : { "content-type": type },
      body: body.byteLength === 0 ? undefined : body,
    });
  });
  await app.save(
    "id: child\nnamespace: demo\ninputs: [{id: name, type: STRING}, {id: flag, type: BOOL, defaults: false}]\n" +
      "tasks: [{id: l, type: io.kestra.plugin.core.log.Log, message: '{{ inputs.name }}-{{ inputs.flag }}'}]",
  );
  const env = `env: {KESTRA_HOSTNAME: "http://127.0.0.1:${server.addr.port}"}`;
  const { state, lines } = await runTasks(app, script(FLOW_CLIENT, env));
  assertEquals([state, ...lines], [
    ...["SUCCESS", "INFO SUCCESS x-true", "INFO STARTED True", "INFO child", "INFO True"],
  ]);
});

const LIBS = `const Kestra = require("@kestra-io/libs");
Kestra.outputs({ a: 1 });
Kestra.counter("rows", 2, { table: "t" });
Kestra.timer("measured", (end) => end());
Kestra.logger().warn("w");
console.log(Kestra === Kestra.default);`;

Deno.test("libs.cjs reports outputs, metrics and log lines of Node.js", async () => {
  await using app = await Harness.start();
  const { id, state, lines, outputs } = await runTasks(app, script(LIBS, "", "node"));
  assertEquals([state, ...lines.toSorted()], ["WARNING", "INFO true", "WARN w"]);
  assertEquals(outputs.vars, { a: 1 });
  const { total } = await app.json("GET", `/metrics/${id}`) as { total: number };
  assertEquals(total, 2);
});

Deno.test("ScriptEnvironment: npm is quiet, and global packages are of the task alone", async () => {
  await withTempDir(async (folder) => {
    const names = ["npm_config_loglevel", "npm_config_update_notifier", "npm_config_prefix"];
    await writeProgram(`${folder}/npm`, `#!/bin/sh\n${names.map((name) => `echo "$${name}"`).join("\n")}\n`);
    await using app = await Harness.start();
    const { lines } = await runTasks(
      app,
      `  - id: a
    type: io.kestra.plugin.scripts.node.Commands
    env: {PATH: "${folder}:/usr/bin:/bin"}
    commands: [npm install -g something]
`,
    );
    assertEquals(lines.slice(0, 2), ["INFO error", "INFO false"]);
    assertMatch(lines[2] ?? "", /-1-packages$/);
  });
});

Deno.test("libs_loader.mjs lets an ES module import the package", async () => {
  await using app = await Harness.start();
  const text = 'import Kestra from "@kestra-io/libs";\nKestra.outputs({ a: 1 });';
  const commands = `  - id: a
    type: io.kestra.plugin.scripts.node.Script
    script: |
      // ${text.split("\n")[0]}
      const { writeFileSync } = require("node:fs");
      const { execFileSync } = require("node:child_process");
      writeFileSync("main.mjs", ${JSON.stringify(text)});
      process.stdout.write(execFileSync("node", ["main.mjs"]));
`;
  const { state, outputs } = await runTasks(app, commands);
  assertEquals([state, outputs.vars], ["SUCCESS", { a: 1 }]);
});

/** A fake `node` of that version. */
function nodeOf(version: string): string {
  return `#!/bin/sh\n[ "$1" = --version ] && { echo v${version}; exit; }\necho "${version} runs"\n`;
}

/** Image, and the log of the task; `FOLDER` has Node.js 20.1.0, its nvm also 22.3.0. */
const NODE_IMAGES: readonly (readonly [image: string, ...lines: string[]])[] = [
  ["node:20", "INFO 20.1.0 runs"],
  ["node:20-alpine", "INFO 20.1.0 runs"],
  ["node:22", "INFO 22.3.0 runs"],
  ["node:lts", "INFO 20.1.0 runs"],
  [
    "node:2",
    'WARN Cannot run with Node.js "2" of the image "node:2": it is not on the PATH of the script, so "node" runs (v20.1.0); ' +
    "install that version, add its folder to PATH in `env`, or let the task run in a container that has it",
    "INFO 20.1.0 runs",
  ],
];

for (const [image, ...expected] of NODE_IMAGES) {
  Deno.test(`ScriptEnvironment: a task that names ${image} runs its version of Node.js, else the log has a warning`, async () => {
    await withTempDir(async (folder) => {
      await Deno.mkdir(`${folder}/.nvm/versions/node/v22.3.0/bin`, { recursive: true });
      await writeProgram(`${folder}/node`, nodeOf("20.1.0"));
      await writeProgram(`${folder}/.nvm/versions/node/v22.3.0/bin/node`, nodeOf("22.3.0"));
      await using app = await Harness.start();
      const env = `env: {PATH: "${folder}:/usr/bin:/bin", HOME: "${folder}"}\n    containerImage: ${image}`;
      assertEquals((await runTasks(app, script("x", env, "node"))).lines, expected);
    });
  });
}

Deno.test("ScriptPackages.install() warns once of packages of an image that cannot be installed, and runs the task", async () => {
  await withTempDir(async (folder) => {
    await writeProgram(`${folder}/uv`, `#!/bin/sh\n[ "$1" = --version ] && exit\necho called\nexit 1\n`);
    await using app = await Harness.start();
    const path = `${folder}:${Deno.env.get("PATH")}`;
    const task = script("print('ran')", `env: {PATH: "${path}"}\n    containerImage: kestra-io/kestrapy`);
    const warning =
      'WARN Cannot install the packages "kestra amazon.ion" of the image "kestra-io/kestrapy" on this machine ' +
      "(exit code 1): scripts find only those that the machine has; install them there, set the address of a package index " +
      "in `env`, or let the task run in a container";
    const first = await runTasks(app, task);
    assertEquals([first.state, ...first.lines], ["SUCCESS", "INFO called", warning, "INFO ran"]);
    const second = await runTasks(app, task);
    assertEquals([second.state, ...second.lines], ["SUCCESS", warning, "INFO ran"]);
  });
});
