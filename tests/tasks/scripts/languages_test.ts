/** Further script languages, with fake programs on the PATH that print how they are called. */
import { assertEquals } from "@std/assert";
import { FURTHER_LANGUAGES } from "../../../src/tasks/scripts/languages.ts";
import { Harness } from "../../support/harness.ts";
import { runScripts, runScriptsOn, scriptTask } from "../../support/flows/script_flows.ts";
import { withTempDir, writeProgram } from "../../support/temp_dir.ts";

const SYSTEM_PATH = "/usr/bin:/bin";

/** Prints its name and its arguments, and the content of the last one if that is a file. */
const FAKE = `#!/bin/sh
for last; do :; done
printf '%s' "\${0##*/}"
for each; do each=\${each##*/}; printf ' [%s]' "\${each#.sluice-*.}"; done
echo
if [ -f "$last" ]; then cat "$last"; fi
`;

interface ScriptCase {
  readonly language: string;
  readonly members?: readonly string[];
  /** The program that must run, and its arguments. */
  readonly call: string;
}

const SCRIPTS: readonly ScriptCase[] = [
  { language: "bun", call: "bun [run] [script.ts]" },
  { language: "go", call: "go [run] [script.go]" },
  { language: "groovy", call: "groovy [script.groovy]" },
  { language: "jbang", call: "jbang [--quiet] [script.java]" },
  { language: "jbang", members: ["extension: .kt", "quiet: false"], call: "jbang [script.kt]" },
  { language: "jbang", members: ["extension: jsh"], call: "jbang [--quiet] [script.jsh]" },
  { language: "julia", call: "julia [script.jl]" },
  { language: "lua", call: "lua [script.lua]" },
  { language: "perl", call: "perl [script.pl]" },
  { language: "php", call: "php [script.php]" },
  { language: "r", call: "Rscript [script.R]" },
  { language: "ruby", call: "ruby [script.rb]" },
];

function pathOf(folder: string): string {
  return `env: {PATH: "${folder}:${SYSTEM_PATH}"}`;
}

Deno.test("scripts: each language writes its script to a file and runs its program", async () => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    for (const program of new Set(SCRIPTS.map(({ call }) => call.split(" ")[0]))) {
      await writeProgram(`${folder}/${program}`, FAKE);
    }
    for (const { language, members = [], call } of SCRIPTS) {
      const task = scriptTask(`${language}.Script`, ["script: the text", pathOf(folder), ...members]);
      const { execution, lines } = await runScripts(app, task);
      assertEquals([language, execution.state.current, ...lines], [
        language,
        "SUCCESS",
        `INFO ${call}`,
        "INFO the text",
      ]);
    }
  });
});

Deno.test("scripts: a script imports modules that are beside it in the working directory, and leaves no file there", async () => {
  await using app = await Harness.start();
  const cases = [
    [
      "python",
      "helper.py",
      "x = 5",
      "import helper, os\nprint(helper.x, os.path.basename(os.path.dirname(__file__)) == os.path.basename(os.getcwd()))",
      "INFO 5 True",
    ],
    [
      "deno",
      "helper.ts",
      "export const x = 5;",
      'import { x } from "./helper.ts";\nconsole.log(x);',
      "INFO 5",
    ],
  ];
  for (const [language, file, module, script, line] of cases) {
    const files = `inputFiles: ${JSON.stringify({ [String(file)]: module })}`;
    const members = [files, 'outputFiles: ["**"]', `script: ${JSON.stringify(script)}`];
    const { lines, outputs } = await runScripts(app, scriptTask(`${language}.Script`, members));
    assertEquals([language, ...lines], [language, line]);
    const names = Object.keys(outputs.outputFiles as object).filter((name) =>
      !name.startsWith("__pycache__")
    );
    assertEquals(names, [file]);
  }
});

Deno.test("scripts: the cases of this file cover every further language", () => {
  const covered = new Set([...SCRIPTS.map(({ language }) => language), "powershell"]);
  assertEquals([...covered].sort(), FURTHER_LANGUAGES.map(({ name }) => name));
});

Deno.test("scripts: Commands of each language run in the shell", async () => {
  await using app = await Harness.start();
  for (const { name } of FURTHER_LANGUAGES.filter(({ name }) => name !== "powershell")) {
    const { lines } = await runScripts(app, scriptTask(`${name}.Commands`, ["commands: [echo $((1 + 1))]"]));
    assertEquals([name, ...lines], [name, "INFO 2"]);
  }
});

/** Members of a PowerShell task and the text that pwsh gets. */
const POWERSHELL: readonly (readonly [type: string, members: readonly string[], text: readonly string[]])[] =
  [
    ["Commands", ["commands: [a, b]"], ["$ErrorActionPreference = 'Stop'", "a", "b"]],
    ["Commands", ["commands: [a]", "beforeCommands: [z]"], ["$ErrorActionPreference = 'Stop'", "z", "a"]],
    ["Commands", ["commands: [a]", "failFast: false"], ["a"]],
    ["Script", ["script: x"], ["$ErrorActionPreference = 'Stop'", "& 'script.ps1'"]],
  ];

Deno.test("scripts: PowerShell gets the commands as one text and stops at the first error", async () => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    await writeProgram(`${folder}/pwsh`, `#!/bin/sh\nprintf '%s\\n' "$@" | sed "s:'/.*/:':"\n`);
    for (const [type, members, text] of POWERSHELL) {
      const { lines } = await runScripts(app, scriptTask(`powershell.${type}`, [...members, pathOf(folder)]));
      const options = ["-NoProfile", "-NonInteractive", "-Command"];
      assertEquals(lines, [...options, ...text].map((line) => `INFO ${line}`));
    }
  });
});

Deno.test("scripts: an extension of JBang is no path", async () => {
  const { execution, lines } = await runScriptsOn(
    {},
    scriptTask("jbang.Script", ["script: x", "extension: /../a"]),
  );
  assertEquals([execution.state.current, lines], ["FAILED", [
    'ERROR Invalid extension "/../a": it must be letters and digits, such as .java',
  ]]);
});

const hasPerl =
  new Deno.Command("/bin/sh", { args: ["-c", "command -v perl >/dev/null"] }).outputSync().success;

Deno.test({
  name: "scripts: a Perl script reports outputs and its exit code",
  ignore: !hasPerl,
  async fn() {
    const script = 'script: |\n  use strict;\n  print qq(::{"outputs": {"n": @{[6 * 7]}}}::\\n);\n  exit 3;';
    const { execution, outputs } = await runScriptsOn({}, scriptTask("perl.Script", [script]));
    assertEquals([execution.state.current, outputs.exitCode], ["FAILED", 3]);
    assertEquals(outputs.vars, { n: 42 });
  },
});

Deno.test("scripts: a missing program ends FAILED with a line that says how to get it", async () => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    // A PATH without any program but those of the shell itself.
    const path = `env: {PATH: "${folder}"}`;
    const { execution, lines } = await runScripts(app, scriptTask("r.Script", ["script: x", path]));
    assertEquals([execution.state.current, lines.at(-1)], [
      "FAILED",
      'ERROR Command failed with exit code 127: the program "Rscript" is missing on the PATH of the script; ' +
      'install it (package "r-base" of Debian and Ubuntu), add its folder to PATH in `env`, or let the task run in a ' +
      "container with `containerImage: r-base`",
    ]);
  });
});
