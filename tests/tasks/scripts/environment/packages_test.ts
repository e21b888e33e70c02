/** The commands `pip` and `uv` of a task, with programs of the test in the place of uv, and a package index of the test. */
import { assertEquals, assertMatch } from "@std/assert";
import { Harness, type HarnessOptions } from "../../../support/harness.ts";
import { moduleWheel, PackageIndex, programWheel } from "../../../support/servers/package_index.ts";
import { runTasks, type TaskRuns } from "../../../support/flows/task_runs.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

const SYSTEM_PATH = "/usr/bin:/bin";
/** Prints its arguments without the interpreter, a notice and, for the package "fails", an error. */
const UV = `#!/bin/sh
args=$(echo "$*" | sed 's| --python [^ ]*python3*||')
echo "uv $args"
echo "Resolved 1 package" >&2
case "$*" in *fails*) echo "error: no such package" >&2; echo "because" >&2; exit 2 ;; esac
`;
const NOTICE = "INFO Resolved 1 package";

interface CommandOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly type?: string;
}

function commandTask(
  commands: readonly string[],
  { folder, env = {}, type = "python" }: CommandOptions,
): string {
  const variables = { PATH: `${folder}:${SYSTEM_PATH}`, HOME: folder, PIP_CONFIG_FILE: "/dev/null", ...env };
  return `  - id: a
    type: io.kestra.plugin.scripts.${type}.Commands
    env: ${JSON.stringify(variables)}
    commands: ${JSON.stringify(commands)}
`;
}

async function withUv(use: (folder: string) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    await writeProgram(`${folder}/uv`, UV);
    await use(folder);
  });
}

/** Command and what uv is called with; `undefined`: it is not called. */
const COMMANDS: readonly (readonly [command: string, uv: string | undefined])[] = [
  ["pip install six", "pip install six"],
  ["pip3 install six==1.0 'idna>=3'", "pip install six==1.0 idna>=3"],
  ["python -m pip install six", "pip install six"],
  ["python3 -m pip install --upgrade --user six", "pip install --upgrade six"],
  ["pip install -q --no-cache-dir --break-system-packages six", "pip install --quiet --no-cache six"],
  ["pip install --upgrade pip setuptools", "pip install --upgrade setuptools"],
  ["pip install --upgrade pip", undefined],
  [
    "pip install -r requirements.txt -c limits.txt",
    "pip install --requirements requirements.txt --constraints limits.txt",
  ],
  ["pip install -rrequirements.txt", "pip install --requirements requirements.txt"],
  [
    "pip install --extra-index-url=https://a.example/simple six",
    "pip install --extra-index-url https://a.example/simple six",
  ],
  ["pip install --trusted-host a.example --timeout 5 six", "pip install --allow-insecure-host a.example six"],
  ["pip install -i https://a.example/simple six", "pip install --index-url https://a.example/simple six"],
  ["pip install -e .", "pip install --editable ."],
  ["pip uninstall -y six", "pip uninstall six"],
  ["pip list --local --format=json", "pip list --format json"],
  ["uv pip install --system six", "pip install six"],
  ["uv venv", "venv"],
  ["uv run main.py", "--quiet run main.py"],
];

for (const [command, uv] of COMMANDS) {
  Deno.test(`packages.py calls uv for: ${command}`, async () => {
    await withUv(async (folder) => {
      await using app = await Harness.start();
      const { state, lines } = await runTasks(app, commandTask([command], { folder }));
      const calls = lines.filter((line) => line.startsWith("INFO uv "));
      assertEquals(calls, uv === undefined ? [] : [`INFO uv ${uv}`]);
      // The program that uv runs writes to the error stream itself, and the output of a list is data.
      assertEquals(state, /^(?:uv run|pip list)/.test(command) ? "WARNING" : "SUCCESS");
    });
  });
}

Deno.test("packages.py: notices are no warnings, errors are errors, data stays data", async () => {
  await withUv(async (folder) => {
    await using app = await Harness.start();
    const installed = await runTasks(app, commandTask(["pip install six"], { folder }));
    assertEquals([installed.state, ...installed.lines], ["SUCCESS", "INFO uv pip install six", NOTICE]);
    const failed = await runTasks(app, commandTask(["pip install fails"], { folder }));
    assertEquals([failed.state, ...failed.lines].slice(0, 1), ["FAILED"]);
    assertEquals(failed.lines.filter((line) => line.startsWith("ERROR")), [
      ...["ERROR error: no such package", "ERROR because", "ERROR Command failed with exit code 2"],
    ]);
    const list = await runTasks(
      app,
      commandTask(["pip freeze > list.txt 2>/dev/null", "cat list.txt"], { folder }),
    );
    assertEquals(list.lines, ["INFO uv pip freeze"]);
  });
});

Deno.test("packages.py gives uv the index of pip, and each tenant a cache", async () => {
  await withTempDir(async (folder) => {
    const names = ["UV_INDEX_URL", "UV_FIND_LINKS", "UV_LINK_MODE", "UV_CACHE_DIR", "UV_SYSTEM_PYTHON"];
    const uv = `#!/bin/sh\n${names.map((name) => `echo "${name}=$${name}"`).join("\n")}\n`;
    await writeProgram(`${folder}/uv`, uv);
    await Deno.writeTextFile(`${folder}/pip.conf`, "[global]\nindex-url = https://a.example/simple\n");
    await using app = await Harness.start();
    const cacheDir = (lines: readonly string[]) =>
      lines.find((line) => line.startsWith("INFO UV_CACHE_DIR="));
    const env = { PIP_CONFIG_FILE: `${folder}/pip.conf`, UV_SYSTEM_PYTHON: "1", PIP_FIND_LINKS: folder };
    const first = await runTasks(app, commandTask(["pip install six"], { folder, env }));
    assertEquals(first.lines.filter((line) => line !== cacheDir(first.lines)), [
      "INFO UV_INDEX_URL=https://a.example/simple",
      `INFO UV_FIND_LINKS=${folder}`,
      "INFO UV_LINK_MODE=copy",
      "INFO UV_SYSTEM_PYTHON=",
    ]);
    const second = await runTasks(app, commandTask(["pip install six"], { folder, env }));
    assertEquals(cacheDir(second.lines), cacheDir(first.lines));
    const given = { ...env, PIP_INDEX_URL: "https://b.example/simple" };
    const third = await runTasks(app, commandTask(["pip install six"], { folder, env: given }));
    assertEquals(third.lines[0], "INFO UV_INDEX_URL=https://b.example/simple");
  });
});

/** Runs a task on a machine without uv, with the index of the test. */
async function runWithIndex(
  index: PackageIndex,
  commands: readonly string[],
  options: HarnessOptions = {},
): Promise<TaskRuns> {
  let runs: TaskRuns | undefined;
  await withTempDir(async (folder) => {
    await using app = await Harness.start(options);
    const env = { PIP_INDEX_URL: index.url, PIP_FIND_LINKS: "" };
    runs = await runTasks(app, commandTask(commands, { folder, env }));
  });
  if (!runs) throw new Error("nothing ran");
  return runs;
}

for (const format of ["html", "json"] as const) {
  Deno.test(`packages.py fetches uv once, from an index in ${format}`, async () => {
    const old = programWheel("uv", "0.9.1", "#!/bin/sh\necho old\n");
    await using index = new PackageIndex([programWheel("uv", "0.10.2", UV), old], { format });
    const { state, lines } = await runWithIndex(index, ["pip install six", "uv pip install idna"]);
    assertEquals([state, ...lines], [
      "SUCCESS",
      "INFO Fetched uv-0.10.2-py3-none-any.whl from 127.0.0.1",
      ...["INFO uv pip install six", NOTICE, "INFO uv pip install idna", NOTICE],
    ]);
    assertEquals(index.requests, ["/simple/uv/", "/files/uv-0.10.2-py3-none-any.whl"]);
  });
}

/** Indexes whose uv is not used, and the reason in the message. */
const REFUSED: readonly (readonly [
  name: string,
  sha256: string | null,
  options: HarnessOptions,
  reason: RegExp,
])[] = [
  ["another hash than stated", "0".repeat(64), {}, /does not have the SHA-256 that the index states/],
  ["no hash", null, {}, /states no SHA-256/],
  ["--offline", "0".repeat(64), { isOffline: true }, /the server was started with --offline/],
];

for (const [name, sha256, options, reason] of REFUSED) {
  Deno.test(`packages.py refuses to fetch uv: ${name}`, async () => {
    await using index = new PackageIndex([programWheel("uv", "1.0.0", UV)], { sha256 });
    const { state, lines } = await runWithIndex(index, ["uv pip install six"], options);
    assertEquals(state, "FAILED");
    assertMatch(lines[0] ?? "", /^ERROR error: uv is missing on this machine and could not be fetched: /);
    assertMatch(lines[0] ?? "", reason);
    assertMatch(lines[0] ?? "", /install it on the machine, or set the address of a package index/);
    if (options.isOffline) assertEquals(index.requests, []);
  });
}

Deno.test("packages.py says what is missing where neither the machine nor the index has it", async () => {
  await using index = new PackageIndex([]);
  const { state, lines } = await runWithIndex(index, ["uv sync"]);
  assertEquals(state, "FAILED");
  assertMatch(lines[0] ?? "", /simple\/uv\/ cannot be read: Not Found/);
});

Deno.test("packages.py passes over a stub of a version manager, and prints no notice into data", async () => {
  await using index = new PackageIndex([programWheel("uv", "1.0.0", UV)]);
  await withTempDir(async (folder) => {
    await writeProgram(`${folder}/uv`, "#!/bin/sh\necho 'uv: command not found' >&2\nexit 127\n");
    await using app = await Harness.start();
    const commands = ["pip freeze > list.txt", "cat list.txt", "pip install six"];
    const { state, lines } = await runTasks(
      app,
      commandTask(commands, { folder, env: { PIP_INDEX_URL: index.url, PIP_FIND_LINKS: "" } }),
    );
    assertEquals(lines, [
      "ERROR Resolved 1 package",
      "INFO uv pip freeze",
      "INFO uv pip install six",
      NOTICE,
    ]);
    assertEquals(state, "WARNING");
  });
});

Deno.test("packages.py lets uv install a version of Python in the cache of the tenant", async () => {
  await withTempDir(async (folder) => {
    const uv = `#!/bin/sh
case "$*" in
  *install*) mkdir -p "$UV_PYTHON_INSTALL_DIR" && ln -s "$(command -v python3)" "$UV_PYTHON_INSTALL_DIR/python" ;;
  "python find"*) [ -e "$UV_PYTHON_INSTALL_DIR/python" ] && echo "$UV_PYTHON_INSTALL_DIR/python" ;;
esac
`;
    await writeProgram(`${folder}/uv`, uv);
    const probe = `if [ "$1" = -c ]; then
  case "$3" in "") version=3.11.2 ;; *) version=$3.1 ;; esac
  case "$0" in *script-cache*|*cache-*) ;; *) [ -z "$3" ] || exit 3 ;; esac
  echo '{"path": "'"$0"'", "version": "'"$version"'"}'
  exit 0
fi
case "$1" in
  *packages.py) exec ${await realPython()} "$@" ;;
  *) echo "runs in \${SLUICE_CACHE##*/}" ;;
esac
`;
    await writeProgram(`${folder}/python3`, `#!/bin/sh\n${probe}`);
    await using app = await Harness.start();
    const task = commandTask(["python --version"], { folder, env: { PYENV_ROOT: folder } });
    const { state, lines } = await runTasks(app, `${task}    pythonVersion: "3.98"\n`);
    assertEquals(state, "SUCCESS");
    assertMatch(lines.join("\n"), /^INFO runs in (?:main|cache-[0-9a-f]{32})$/);
  });
});

/** Path of the interpreter itself. */
async function realPython(): Promise<string> {
  const args = ["-c", "import sys; print(sys.executable)"];
  return new TextDecoder().decode((await new Deno.Command("python3", { args }).output()).stdout).trim();
}

const HAS_PIP = await hasPip();

async function hasPip(): Promise<boolean> {
  const command = new Deno.Command("python3", {
    args: ["-m", "pip", "--version"],
    stdout: "null",
    stderr: "null",
  });
  const isThere = await command.output().then(({ success }) => success, () => false);
  if (!isThere) {
    await Deno.stderr.write(new TextEncoder().encode("A test of pip is skipped: there is no pip\n"));
  }
  return isThere;
}

Deno.test({
  name:
    "packages.py calls the pip of the machine where uv cannot be had: what it installs is of this task alone",
  ignore: !HAS_PIP,
  async fn() {
    await using index = new PackageIndex([moduleWheel("probe_package", "1.2.3")]);
    await withTempDir(async (folder) => {
      await using app = await Harness.start();
      const env = {
        PATH: Deno.env.get("PATH") ?? "",
        HOME: Deno.env.get("HOME") ?? "",
        PIP_INDEX_URL: index.url,
      };
      const show = 'python -c "import probe_package; print(probe_package.__file__)"';
      // `pip download` is a command that uv does not have.
      const install = ["pip download --quiet probe-package", "pip install --quiet probe_package*.whl", show];
      const first = await runTasks(app, commandTask(install, { folder, env }));
      assertMatch(
        first.lines.at(-1) ?? "",
        /^INFO .*-1-packages\/lib\/python3\.\d+\/site-packages\/probe_package\.py$/,
      );
      assertEquals(first.state, "SUCCESS");
      const second = await runTasks(app, commandTask([show], { folder, env }));
      assertMatch(second.lines.join("\n"), /No module named 'probe_package'/);
    });
  },
});

Deno.test("packages.py serves shell tasks that mention it", async () => {
  await withUv(async (folder) => {
    await using app = await Harness.start();
    const { lines } = await runTasks(app, commandTask(["pip install six"], { folder, type: "shell" }));
    assertEquals(lines, ["INFO uv pip install six", NOTICE]);
  });
});
