/** Script tasks within flows, with the real sh, python3, node and deno of the machine. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { type ExecutionResponse, Harness, type HarnessOptions } from "../support/harness.ts";
import { ownSeconds, sleepers, until } from "../support/processes/machine_processes.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** An ended execution with its log. */
interface Ended {
  readonly execution: ExecutionResponse;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** `LEVEL message`, in order. */
  readonly lines: readonly string[];
}

async function ended(app: Harness, id: unknown): Promise<Ended> {
  const execution = await app.execution(String(id));
  const logs = await app.json("GET", `/logs/${id}?minLevel=INFO`) as { level: string; message: string }[];
  const lines = logs.map(({ level, message }) => `${level} ${message}`);
  return { execution, outputs: execution.taskRunList.at(-1)?.outputs ?? {}, lines };
}

async function run(tasks: string, options: HarnessOptions = {}): Promise<Ended> {
  await using app = await Harness.start(options);
  await app.save(`id: s\nnamespace: demo\ntasks:\n${tasks}`);
  const { id } = await app.start("s", {}, "?wait=true");
  return await ended(app, id);
}

function shell(commands: readonly string[], further = ""): string {
  const list = commands.map((command) => `\n  - ${JSON.stringify(command)}`).join("");
  return `- id: c\n  type: io.kestra.plugin.scripts.shell.Commands\n  commands:${list}\n${further}`;
}

function script(language: string, text: string, further = ""): string {
  const lines = text.split("\n").map((line) => `    ${line}`).join("\n");
  return `- id: c\n  type: io.kestra.plugin.scripts.${language}.Script\n  script: |\n${lines}\n${further}`;
}

interface StateCase {
  readonly name: string;
  readonly tasks: string;
  readonly state: string;
  readonly exitCode?: number;
  /** The complete log. */
  readonly lines?: readonly string[];
}

const STATES: readonly StateCase[] = [
  {
    name: "commands",
    tasks: shell(["echo a", "echo b"]),
    state: "SUCCESS",
    exitCode: 0,
    lines: ["INFO a", "INFO b"],
  },
  {
    name: "a command that fails: the next one does not run",
    tasks: shell(["exit_with() { return $1; }; exit_with 5", "echo b"]),
    state: "FAILED",
    exitCode: 5,
    lines: ["ERROR Command failed with exit code 5"],
  },
  {
    name: "failFast: false: the last one decides",
    tasks: shell(["false", "echo b"], "  failFast: false"),
    state: "SUCCESS",
    exitCode: 0,
    lines: ["INFO b"],
  },
  {
    name: "lines on the error stream",
    tasks: shell(["echo e >&2"]),
    state: "WARNING",
    exitCode: 0,
    lines: ["ERROR e"],
  },
  {
    name: "warningOnStdErr: false",
    tasks: shell(["echo e >&2"], "  warningOnStdErr: false"),
    state: "SUCCESS",
    exitCode: 0,
  },
  { name: "an unknown program", tasks: shell(["no-such-program-here"]), state: "FAILED", exitCode: 127 },
  { name: "a signal", tasks: shell(["kill -TERM $$"]), state: "FAILED", exitCode: 143 },
  {
    name: "beforeCommands",
    tasks: shell(["echo $A"], "  beforeCommands: [A=1]"),
    state: "SUCCESS",
    lines: ["INFO 1"],
  },
  {
    name: "a single text",
    tasks: "- {id: c, type: io.kestra.plugin.scripts.shell.Commands, commands: 'echo one'}",
    state: "SUCCESS",
    lines: ["INFO one"],
  },
  {
    name: "commands as JSON",
    tasks: `- {id: c, type: io.kestra.plugin.scripts.shell.Commands, commands: '["echo 1", "echo 2"]'}`,
    state: "SUCCESS",
    lines: ["INFO 1", "INFO 2"],
  },
  {
    name: "an interpreter",
    tasks: shell(["import sys; print(sys.argv)"], "  interpreter: [python3, -c]"),
    state: "SUCCESS",
    lines: ["INFO ['-c']"],
  },
  {
    name: "an interpreter as a text",
    tasks: shell(["echo $BASH"], "  interpreter: /bin/bash"),
    state: "SUCCESS",
    lines: ["INFO /bin/bash"],
  },
  {
    name: "an interpreter with interpreterArgs",
    tasks: shell(["[[ $- == *u* ]] && echo so"], "  interpreter: /bin/bash\n  interpreterArgs: [-u, -c]"),
    state: "SUCCESS",
    lines: ["INFO so"],
  },
  {
    name: "a missing interpreter",
    tasks: shell(["x"], "  interpreter: [/no/such, -c]"),
    state: "FAILED",
    exitCode: 127,
  },
  {
    name: "env",
    tasks: shell(["echo $A $B $C"], "  env: {A: 'x y', B: 2, C: '{{ flow.id }}'}"),
    state: "SUCCESS",
    lines: ["INFO x y 2 s"],
  },
  {
    name: "env as JSON",
    tasks: shell(["echo $A"], `  env: '{"A": "1"}'`),
    state: "SUCCESS",
    lines: ["INFO 1"],
  },
  { name: "an invalid variable name", tasks: shell(["true"], "  env: {'A=B': 1}"), state: "FAILED" },
  {
    name: "a shell script",
    tasks: script("shell", "for i in 1 2; do\n  echo $i\ndone"),
    state: "SUCCESS",
    lines: ["INFO 1", "INFO 2"],
  },
  {
    name: "a Python script",
    tasks: script("python", "import sys\nprint('out')\nsys.exit(3)"),
    state: "FAILED",
    exitCode: 3,
    lines: ["INFO out", "ERROR Command failed with exit code 3"],
  },
  {
    name: "Python commands",
    tasks: shell(["python3 -c 'print(1)'"]).replace("shell", "python"),
    state: "SUCCESS",
    lines: ["INFO 1"],
  },
  {
    name: "Node.js commands",
    tasks: shell(["node -p 1"]).replace("shell", "node"),
    state: "SUCCESS",
    lines: ["INFO 1"],
  },
  {
    name: "Deno commands",
    tasks: shell(["deno eval -p 1"]).replace("shell", "deno"),
    state: "SUCCESS",
    lines: ["INFO 1"],
  },
  {
    name: "a Node.js script",
    tasks: script("node", "console.log(1 + 1, require('node:path').sep)"),
    state: "SUCCESS",
    lines: ["INFO 2 /"],
  },
  {
    name: "a Deno script",
    tasks: script("deno", "const n: number = 4;\nconsole.log(n)"),
    state: "SUCCESS",
    lines: ["INFO 4"],
  },
  {
    name: "a text that is too long for an argument",
    tasks: shell([`: ${"x".repeat(300_000)}`, "echo long"]),
    state: "SUCCESS",
    lines: ["INFO long"],
  },
  {
    name: "a last line without an end",
    tasks: shell(["printf 'a\\r\\nb'"]),
    state: "SUCCESS",
    lines: ["INFO a", "INFO b"],
  },
  {
    name: "no standard input",
    tasks: shell(["cat; echo over"]),
    state: "SUCCESS",
    lines: ["INFO over"],
  },
  {
    name: "a script that deletes everything in a shared directory",
    tasks: `- id: w
  type: io.kestra.plugin.core.flow.WorkingDirectory
  tasks:
  - {id: c, type: io.kestra.plugin.scripts.shell.Commands, commands: ['rm -rf .output-* .sluice-*', 'echo a']}`,
    state: "SUCCESS",
    exitCode: 0,
    lines: ["INFO a"],
  },
  {
    name: "a variable longer than the limit of the system",
    tasks: shell(["true"], `  env: {A: ${"x".repeat(200_000)}}`),
    state: "FAILED",
    lines: [
      "ERROR Cannot run commands: arguments and variables are too long for this machine; pass large values in `inputFiles`",
    ],
  },
  { name: "allowFailure", tasks: shell(["exit 2"], "  allowFailure: true"), state: "WARNING", exitCode: 2 },
];

for (const { name, tasks, state, exitCode, lines } of STATES) {
  Deno.test(`scripts: ${name} ends ${state}`, async () => {
    const outcome = await run(tasks);
    if (lines) assertEquals(outcome.lines, lines);
    assertEquals(outcome.execution.state.current, state);
    if (exitCode !== undefined) assertEquals(outcome.outputs.exitCode, exitCode);
  });
}

Deno.test("scripts: output files are stored also when the commands fail", async () => {
  const further =
    `  inputFiles: {in/a.txt: hello, b.json: '{"x": 1}'}\n  outputFiles: ["*.txt", "in/**", "no/*"]\n`;
  const { outputs, execution } = await run(shell(["cat in/a.txt b.json > out.txt", "exit 1"], further));
  assertEquals(execution.state.current, "FAILED");
  assertEquals(Object.keys(outputs.outputFiles as object), ["in/a.txt", "out.txt"]);
});

Deno.test("scripts: stored files in commands become local copies", async () => {
  const first = shell(["echo stored > f.txt"], "  outputFiles: [f.txt]").replace("id: c", "id: a");
  const uri = "{{ outputs.a.outputFiles['f.txt'] }}";
  const second = shell([`cat "${uri}" ${uri}; ls`], "  outputFiles: ['**']");
  const { lines, outputs } = await run(`${first}\n${second}`);
  assertEquals(lines.slice(0, 2), ["INFO stored", "INFO stored"]);
  assertEquals(outputs.outputFiles, {});
});

Deno.test("scripts: a missing stored file fails the task with a message", async () => {
  const { lines, execution } = await run(shell(["cat kestra:///demo/_files/no.txt"]));
  assertEquals(execution.state.current, "FAILED");
  assertEquals(lines, ['ERROR Cannot read "kestra:///demo/_files/no.txt": there is no such file']);
});

const BAD_NAMES = ["../a.txt", "/../a", "a/../../b"];

for (const name of BAD_NAMES) {
  Deno.test(`scripts: inputFiles cannot be written to ${name}`, async () => {
    const { execution } = await run(shell(["echo ran"], `  inputFiles: {${JSON.stringify(name)}: x}`));
    assertEquals(execution.state.current, "FAILED");
  });
}

Deno.test("scripts: links that lead out of the directory are not stored", async () => {
  const further = "  outputFiles: ['**']";
  const { outputs } = await run(shell(["ln -s /etc/passwd p", "ln -s /etc e", "echo x > real"], further));
  assertEquals(Object.keys(outputs.outputFiles as object), ["real"]);
});

Deno.test("scripts: workingDir is the current directory, outputDir is stored with outputDirectory", async () => {
  const commands = [
    'test "$PWD" = "{{ workingDir }}" && test "$WORKING_DIR" = "$PWD"',
    'test "{{ outputDir }}" = "$OUTPUT_DIR"',
    "echo kept > {{ outputDir }}/k.txt",
    "pwd",
  ];
  const { outputs, lines } = await run(shell(commands, "  outputDirectory: true"));
  assertEquals(Object.keys(outputs.outputFiles as object), ["k.txt"]);
  const gone = await Deno.stat((lines[0] ?? "").slice(5)).then(() => false, () => true);
  assert(gone, "the directory is still there");
});

const OUTPUT_DIRECTORIES: readonly (readonly [further: string, isKept: boolean])[] = [
  ["", false],
  ["  runner: PROCESS", true],
  ["  runner: PROCESS\n  outputDirectory: false", false],
];

for (const [further, isKept] of OUTPUT_DIRECTORIES) {
  Deno.test(`scripts: outputDir is ${isKept ? "" : "not "}kept with ${JSON.stringify(further)}`, async () => {
    const { outputs } = await run(shell(["echo x > {{ outputDir }}/k.txt"], further));
    assertEquals(Object.keys(outputs.outputFiles as object), isKept ? ["k.txt"] : []);
  });
}

/** A server that runs a script which prints its variables. A process of its own: tests share one, and its environment. */
const SHOWING = `
import { Harness } from "${import.meta.resolve("../support/harness.ts")}";
await using app = await Harness.start();
await app.save(${JSON.stringify(`id: s\nnamespace: demo\ntasks:\n${shell(["env"])}`)});
const { id } = await app.start("s", {}, "?wait=true");
for (const { level, message } of await app.json("GET", "/logs/" + id)) console.log(level, message);`;

Deno.test("scripts: their environment contains no secret of the server", async () => {
  const given = { SLUICE_BASIC_AUTH: "u:p", SECRET_X: "eA==", AWS_SECRET_ACCESS_KEY: "k", LC_TEST: "shown" };
  await withTempDir(async (folder) => {
    await Deno.writeTextFile(`${folder}/server.ts`, SHOWING);
    const config = fileURLToPath(import.meta.resolve("../../deno.json"));
    const args = ["run", "-A", "--no-check", "--config", config, `${folder}/server.ts`];
    const { stdout } = await new Deno.Command(Deno.execPath(), { args, env: given }).output();
    const text = new TextDecoder().decode(stdout);
    for (const name of ["SLUICE_BASIC_AUTH", "SECRET_X", "AWS_SECRET_ACCESS_KEY"]) {
      assert(!text.includes(name), name);
    }
    assertStringIncludes(text, "INFO LC_TEST=shown");
  });
});

/** Ways to print a secret, and the resulting lines. */
const MASKED: readonly (readonly [name: string, tasks: string, lines: readonly string[]])[] = [
  ["on a line", shell(["echo value {{ secret('PIN') }}"]), ["INFO value **masked*"]],
  [
    "in two writes",
    script(
      "python",
      "import sys, time\nfor part in ['value sword', 'fish and', ' more\\n']:\n  sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.05)\n#{{ secret('PIN') }}",
    ),
    ["INFO value **masked* and more"],
  ],
  ["on the error stream", shell(["echo {{ secret('PIN') }} >&2"]), ["ERROR **masked*"]],
  [
    "in a control line",
    shell(['echo \'::{"logs": [{"level": "WARN", "message": "{{ secret(\'PIN\') }}"}]}::\'']),
    ["WARN **masked*"],
  ],
];

for (const [name, tasks, expected] of MASKED) {
  Deno.test(`scripts: a secret that they print ${name} is masked`, async () => {
    const { lines } = await run(tasks, { secrets: new Map([["PIN", btoa("swordfish")]]) });
    assertEquals(lines, expected);
  });
}

const RUNNERS:
  readonly (readonly [properties: string, message: RegExp | undefined, options?: HarnessOptions])[] = [
    ["taskRunner: {type: io.kestra.plugin.core.runner.Process}", undefined],
    ["taskRunner: {type: io.svc.plugin.core.runner.Process}", undefined],
    ["runner: PROCESS", undefined],
    ["runner: PROCESS", undefined, { scripts: "process", host: "0.0.0.0" }],
    [
      "containerImage: ubuntu",
      /^ERROR Cannot run commands: scripts are switched off, because the server was started with --scripts off; start the server with --scripts process/,
      { scripts: "off" },
    ],
    [
      "containerImage: ubuntu",
      /because other machines reach this server, so scripts must be enabled explicitly; start the server with --scripts process/,
      { host: "0.0.0.0" },
    ],
    [
      "taskRunner: {type: io.kestra.plugin.core.runner.Process}",
      /^ERROR Cannot run commands as processes of this machine: the server was started with --scripts container/,
      { scripts: "container" },
    ],
  ];

for (const [properties, message, options] of RUNNERS) {
  Deno.test(`scripts: ${properties} of ${JSON.stringify(options ?? {})}`, async () => {
    const { execution, lines } = await run(shell(["echo ran"], `  ${properties}`), options);
    if (message) assertMatch(lines[0] ?? "", message);
    else assertEquals(lines, ["INFO ran"]);
    assertEquals(execution.state.current, message ? "FAILED" : "SUCCESS");
  });
}

Deno.test("scripts: a second tenant disables them, unless the server allows them explicitly", async () => {
  await using app = await Harness.start();
  await app.json("POST", "/api/v1/tenants", {
    body: JSON.stringify({ id: "other", name: "Other" }),
    headers: { "content-type": "application/json" },
  });
  await app.save(`id: s\nnamespace: demo\ntasks:\n${shell(["echo ran"])}`);
  const { id } = await app.start("s", {}, "?wait=true");
  assertMatch((await ended(app, id)).lines[0] ?? "", /because this server has several tenants/);
});

Deno.test("scripts: a kill ends the process and its descendants, also those that ignore signals", async () => {
  await using app = await Harness.start();
  const [a, b, c, d] = [ownSeconds(), ownSeconds(), ownSeconds(), ownSeconds()];
  const commands = [
    "trap '' TERM",
    `(trap '' TERM; sleep ${a}) & setsid sleep ${b} &`,
    "echo up",
    `sleep ${c}; sleep ${d}`,
  ];
  await app.save(`id: s\nnamespace: demo\ntasks:\n${shell(commands)}`);
  const { id } = await app.start("s");
  await until(async () => (await sleepers(a, b, c)).length === 3);
  await app.json("DELETE", `/executions/${id}/kill`);
  await app.advance(10_000);
  await until(async () => {
    await app.advance(1_000);
    return (await app.execution(id)).state.current === "KILLED";
  });
  await until(async () => {
    await app.advance(1_000);
    return (await sleepers(a, b, c, d)).length === 0;
  });
});

/** Kills an execution whose script sleeps so long and runs `last` upon the signal; returns its id. */
async function killOnceUp(app: Harness, last: string, seconds: string): Promise<string> {
  const commands = [`trap '${last}; exit 1' TERM`, "echo up", `sleep ${seconds} & wait`];
  await app.save(`id: s\nnamespace: demo\ntasks:\n${shell(commands)}`);
  const { id } = await app.start("s");
  await until(async () => (await sleepers(seconds)).length > 0);
  await app.json("DELETE", `/executions/${id}/kill`);
  return String(id);
}

Deno.test("scripts: output after a kill is limited to the size of one commit", async () => {
  await using app = await Harness.start();
  const writing = await Deno.makeTempFile();
  const seconds = ownSeconds();
  const id = await killOnceUp(app, `yes a | head -n 40000; rm ${writing}`, seconds);
  // The clock stands still: the script must write everything before the time of the forced kill is over.
  await until(async () => (await sleepers(seconds)).length === 0 && !await isThere(writing));
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  const { lines } = await ended(app, id);
  assertEquals(lines.slice(0, 2), ["INFO up", "INFO a"]);
  assertMatch(lines.at(-1) ?? "", /^WARN Further lines are dropped: .* at most 20000 characters$/);
  assert(lines.length < 300);
});

Deno.test("scripts: a secret in a long line after a kill is masked, wherever it is", async () => {
  const secret = "0123456789".repeat(20);
  await using app = await Harness.start({ secrets: new Map([["PIN", btoa(secret)]]) });
  const seconds = ownSeconds();
  const id = await killOnceUp(
    app,
    `head -c 10100 /dev/zero | tr "\\0" x; echo {{ secret("PIN") }}`,
    seconds,
  );
  await until(async () => (await app.execution(id)).state.current === "KILLED");
  const { lines } = await ended(app, id);
  assertMatch(lines.join(""), /^INFO upINFO x+\*\*masked\*/);
  assertEquals(lines.filter((line) => /\d/.test(line)), []);
});

Deno.test("scripts: a secret in a line of more than 1 MiB is masked, wherever it is", async () => {
  const secret = "0123456789".repeat(20);
  await using app = await Harness.start({ secrets: new Map([["PIN", btoa(secret)]]) });
  const x = (count: number) => `head -c ${count} /dev/zero | tr "\\0" x`;
  const commands = [`${x(65_450)}; printf %s {{ secret("PIN") }}; ${x(1_100_000)}`];
  await app.save(`id: s\nnamespace: demo\ntasks:\n${shell(commands)}`);
  const { id } = await app.start("s", {}, "?wait=true");
  const { lines } = await ended(app, id);
  assertMatch(lines.at(-1) ?? "", /^INFO x+\*\*masked\*+ … \(cut, 1165650 bytes\)$/);
});

Deno.test("scripts: a timeout ends the process and fails the attempt", async () => {
  await using app = await Harness.start();
  const seconds = ownSeconds();
  await app.save(
    `id: s\nnamespace: demo\ntasks:\n${shell([`echo up; sleep ${seconds}`], "  timeout: PT5S")}`,
  );
  const { id } = await app.start("s");
  await until(async () => (await sleepers(seconds)).length > 0);
  await app.advance(5_000);
  await until(async () => (await app.execution(id)).state.current !== "RUNNING");
  const { execution, lines } = await ended(app, id);
  assertEquals(execution.state.current, "FAILED");
  assertEquals(lines, ["INFO up", "ERROR Timeout after PT5S"]);
  await until(async () => (await sleepers(seconds)).length === 0);
});

Deno.test("scripts: the timeout of a WorkingDirectory ends the process in it", async () => {
  await using app = await Harness.start();
  const seconds = ownSeconds();
  const inner = shell([`echo up; sleep ${seconds} & sleep ${seconds}; true`]).trim().replaceAll(
    "\n",
    "\n    ",
  );
  const sharing =
    `- id: wd\n  type: io.kestra.plugin.core.flow.WorkingDirectory\n  timeout: PT5S\n  tasks:\n    `;
  await app.save(`id: s\nnamespace: demo\ntasks:\n${sharing}${inner}\n`);
  const { id } = await app.start("s");
  await until(async () => (await sleepers(seconds)).length > 1);
  await app.advance(5_000);
  await until(async () => (await app.execution(id)).state.current !== "RUNNING");
  const { execution, lines } = await ended(app, id);
  assertEquals(execution.state.current, "FAILED");
  assertEquals(lines, [
    "INFO up",
    "ERROR Timeout after PT5S",
    'WARN Interrupted: the time of the task "wd" is over',
  ]);
  await until(async () => (await sleepers(seconds)).length === 0);
});

Deno.test("scripts: a shutdown of the server ends the process", async () => {
  const app = await Harness.start();
  const seconds = ownSeconds();
  await app.save(`id: s\nnamespace: demo\ntasks:\n${shell([`sleep ${seconds}`])}`);
  await app.start("s");
  await until(async () => (await sleepers(seconds)).length > 0);
  await app[Symbol.asyncDispose]();
  await until(async () => (await sleepers(seconds)).length === 0);
});

Deno.test("scripts: lines are stored while the script runs", async () => {
  await using app = await Harness.start();
  const seconds = ownSeconds();
  await app.save(`id: s\nnamespace: demo\ntasks:\n${shell(["echo early", `sleep ${seconds}`])}`);
  const { id } = await app.start("s");
  await until(async () => (await sleepers(seconds)).length > 0);
  await until(async () => {
    await app.advance(500);
    return (await ended(app, id)).lines.includes("INFO early");
  });
  assertEquals((await app.execution(id)).state.current, "RUNNING");
});

Deno.test("scripts: many lines stay in order, long ones are cut and marked", async () => {
  const { lines, execution } = await run(
    script("python", "for i in range(5000): print(i)\nprint('x' * 3000000)\nprint('end')"),
  );
  assertEquals(execution.state.current, "SUCCESS");
  assertEquals(lines.slice(0, 5000), Array.from({ length: 5000 }, (_, i) => `INFO ${i}`));
  const long = lines.slice(5000, -1);
  assertEquals(long.slice(0, -1), Array.from({ length: 6 }, () => `INFO ${"x".repeat(10_240)}`));
  assertMatch(long[6] ?? "", /^INFO x{4000,} … \(cut, 3000000 bytes\)$/);
  assertEquals(lines.at(-1), "INFO end");
});

async function isThere(path: string): Promise<boolean> {
  const [found] = await Promise.allSettled([Deno.lstat(path)]);
  return found.status === "fulfilled";
}

Deno.test("scripts: a script that logs more than its limit ends FAILED with a line that names the option", async () => {
  const { execution, lines } = await run(shell(["yes | head -n 100000"]), {
    scriptLimits: { outputBytes: 1_000 },
  });
  assertEquals(execution.state.current, "FAILED");
  assertEquals(lines.slice(-2), [
    "ERROR Cannot continue: the script logs more than the 1000 bytes of --script-output",
    "ERROR Command failed with exit code 137",
  ]);
});

Deno.test("scripts: output files beyond their limit are not stored, and the log names the option", async () => {
  const { execution, lines, outputs } = await run(
    shell(["head -c 600 /dev/zero > a", "head -c 600 /dev/zero > b"], "  outputFiles: ['*']"),
    { scriptLimits: { fileBytes: 1_000 } },
  );
  assertEquals(execution.state.current, "FAILED");
  assertEquals(lines, [
    "ERROR Cannot store the output files: they have 1200 bytes, and --script-files allows 1000",
  ]);
  assertEquals(outputs, {});
});
