/** The types of dbt with a fake dbt, which prints how it is called and writes the files that dbt writes. */
import { assertEquals, assertMatch } from "@std/assert";
import { type JsonObject, stringifyJson } from "../../../../src/base/json.ts";
import { Harness } from "../../../support/harness.ts";
import { type EndedScript, runScripts } from "../../../support/flows/script_flows.ts";
import { withTempDir, writeProgram } from "../../../support/temp_dir.ts";

/** `RESULTS` and `MANIFEST` are what it writes, `LINES` is what it prints, `SHOW` names a file that it prints. */
const FAKE = `#!/bin/sh
printf 'dbt'
for each; do printf ' [%s]' "\${each#$PWD/}"; done
echo
if [ -n "$LINES_OUT" ]; then printf '%s\\n' "$LINES_OUT"; fi
if [ -n "$SHOW" ]; then cat "$SHOW"; echo; fi
target=\${PROJECT:-.}/target
mkdir -p "$target"
if [ -n "$RESULTS" ]; then printf '%s' "$RESULTS" > "$target/run_results.json"; fi
if [ -n "$MANIFEST" ]; then printf '%s' "$MANIFEST" > "$target/manifest.json"; fi
exit "\${CODE:-0}"
`;

const RESULTS = {
  results: [
    {
      unique_id: "model.shop.orders",
      status: "success",
      execution_time: 0.5,
      adapter_response: { rows_affected: 3, bytes_processed: 100, _message: "OK" },
      message: "SELECT 3",
      failures: null,
    },
    { unique_id: "model.shop.items", status: "success", adapter_response: { rows_affected: 4 } },
    {
      unique_id: "test.shop.unique",
      status: "fail",
      execution_time: 0.25,
      message: "Got 2 results",
      failures: 2,
    },
    { unique_id: "test.shop.some", status: "warn", adapter_response: { rows_affected: -1 } },
  ],
};
const NODES = [
  { id: "model.shop.orders", status: "success", seconds: 0.5, message: "SELECT 3", rows: 3 },
  { id: "model.shop.items", status: "success", rows: 4 },
  { id: "test.shop.unique", status: "fail", seconds: 0.25, message: "Got 2 results", failures: 2 },
  { id: "test.shop.some", status: "warn" },
];
const NODE_LINES = [
  "INFO model.shop.orders: success in 0.50 s: SELECT 3",
  "INFO model.shop.items: success",
  "ERROR test.shop.unique: fail in 0.25 s (failures: 2): Got 2 results",
  "WARN test.shop.some: warn",
];

interface Dbt {
  /** Runs a type of dbt with the fake one on its PATH. */
  run(type: string, properties: JsonObject): Promise<EndedScript>;
  readonly app: Harness;
  /** Content of a stored file of a run. */
  content(ended: EndedScript, name: string): Promise<string>;
}

async function withDbt(use: (dbt: Dbt) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    await writeProgram(`${folder}/dbt`, FAKE);
    await use({
      app,
      run(type, properties) {
        const env = { PATH: `${folder}:/usr/bin:/bin`, ...properties.env as JsonObject };
        const task = { id: "c", type: `io.kestra.plugin.dbt.cli.${type}`, ...properties, env };
        return runScripts(app, `  - ${JSON.stringify(task)}\n`);
      },
      async content({ id, outputs }, name) {
        const uri = (outputs.outputFiles as Record<string, string>)[name] ?? "";
        return await (await app.request("GET", `/executions/${id}/file?path=${encodeURIComponent(uri)}`))
          .text();
      },
    });
  });
}

/** Properties of DbtCLI, and the calls of dbt. */
const CALLS: readonly (readonly [properties: JsonObject, calls: readonly string[]])[] = [
  [{ commands: ["dbt deps", "dbt build"] }, [
    "dbt [deps] [--log-format] [json]",
    "dbt [build] [--log-format] [json]",
  ]],
  [{ commands: "dbt build", projectDir: "a/b" }, ["dbt [build] [--project-dir] [a/b] [--log-format] [json]"]],
  [{ commands: ["dbt build"], projectDir: "{{ workingDir }}/p q" }, [
    "dbt [build] [--project-dir] [p q] [--log-format] [json]",
  ]],
  [{ commands: ["dbt build --project-dir x"], projectDir: "a" }, [
    "dbt [build] [--project-dir] [x] [--log-format] [json]",
  ]],
  [{ commands: ["dbt run --log-format text"] }, ["dbt [run] [--log-format] [text]"]],
  [{ commands: ["dbt run"], logFormat: "DEBUG" }, ["dbt [run] [--log-format] [debug]"]],
  [{ commands: ["dbt run"], logFormat: "NONE" }, ["dbt [run]"]],
  [{ commands: ["dbt deps && dbt run"], logFormat: "TEXT" }, [
    "dbt [deps]",
    "dbt [run] [--log-format] [text]",
  ]],
  [{ commands: ["echo dbt run"] }, ["dbt run"]],
  [{ commands: ["dbt run"], logFormat: "NONE", profiles: "shop: {}", env: { SHOW: "profiles.yml" } }, [
    "dbt [run]",
    "shop: {}",
  ]],
  [
    {
      commands: ["dbt run"],
      logFormat: "NONE",
      profiles: "new",
      inputFiles: { "profiles.yml": "old" },
      env: { SHOW: "profiles.yml" },
    },
    ["dbt [run]", "new"],
  ],
];

/** Properties of an older type, and the call of dbt. */
const SINGLE_CALLS: readonly (readonly [type: string, properties: JsonObject, call: string])[] = [
  ["Build", {}, "dbt [--log-format] [json] [build]"],
  ["Compile", { projectDir: "p" }, "dbt [--log-format] [json] [compile] [--project-dir] [p]"],
  [
    "Deps",
    { debug: true, failFast: true, warnError: true },
    "dbt [--log-format] [json] [--debug] [--fail-fast] [--warn-error] [deps]",
  ],
  ["Freshness", {}, "dbt [--log-format] [json] [source] [freshness]"],
  ["List", { dbtPath: "dbt", select: ["a", "b c"] }, "dbt [--log-format] [json] [list] [--select] [a] [b c]"],
  [
    "Run",
    { thread: 4, fullRefresh: true, target: "t" },
    "dbt [--log-format] [json] [run] [--threads] [4] [--full-refresh] [--target] [t]",
  ],
  ["Seed", { profiles: "x: {}" }, "dbt [--log-format] [json] [seed] [--profiles-dir] [.profile]"],
  ["Snapshot", { selector: "s" }, "dbt [--log-format] [json] [snapshot] [--selector] [s]"],
  ["Test", { exclude: "e" }, "dbt [--log-format] [json] [test] [--exclude] [e]"],
];

Deno.test("the types of dbt call it with the project, the log format and their options", async () => {
  await withDbt(async ({ run }) => {
    for (const [properties, calls] of CALLS) {
      assertEquals((await run("DbtCLI", properties)).lines, calls.map((line) => `INFO ${line}`));
    }
    for (const [type, properties, call] of SINGLE_CALLS) {
      assertEquals((await run(type, properties)).lines, [`INFO ${call}`]);
    }
  });
});

Deno.test("DbtCLI reports nodes and stores both files, also after a failure", async () => {
  await withDbt(async ({ run, app, content }) => {
    for (const [code, state] of [[0, "SUCCESS"], [1, "FAILED"]] as const) {
      const ended = await run("DbtCLI", {
        commands: ["dbt build"],
        projectDir: "p",
        env: { PROJECT: "p", RESULTS: JSON.stringify(RESULTS), MANIFEST: '{"nodes":{}}', CODE: code },
      });
      const { execution, outputs, lines } = ended;
      assertEquals([execution.state.current, outputs.exitCode], [state, code]);
      // Numbers of responses keep whether they are whole.
      assertEquals(JSON.parse(stringifyJson(outputs.nodes)), NODES);
      assertEquals(lines.slice(1, 5), NODE_LINES);
      assertEquals(Object.keys(outputs.outputFiles as object), ["manifest.json", "run_results.json"]);
      assertEquals(await content(ended, "manifest.json"), '{"nodes":{}}');
      assertEquals(JSON.parse(await content(ended, "run_results.json")), RESULTS);
      const metrics = await app.json("GET", `/metrics/${ended.id}`) as {
        results: { name: string; value: number }[];
      };
      assertEquals(metrics.results.map(({ name, value }) => [name, Number(value)]).sort(), [
        ["bytes.processed", 100],
        ["rows.affected", 7],
      ]);
    }
  });
});

/** What the file of results has, further properties, and what becomes of it. */
const RESULT_FILES:
  readonly (readonly [results: string, properties: JsonObject, nodes: unknown, line?: string])[] = [
    [JSON.stringify(RESULTS), { parseRunResults: false }, undefined],
    ['{"results": [', {}, [], 'WARN Cannot read "run_results.json": it is not JSON'],
    ["{}", {}, []],
  ];

Deno.test("DbtCLI does not fail for a file of results that it cannot read", async () => {
  await withDbt(async ({ run }) => {
    for (const [results, properties, nodes, line] of RESULT_FILES) {
      const env = { RESULTS: results };
      const { execution, outputs, lines } = await run("DbtCLI", {
        commands: ["dbt run"],
        ...properties,
        env,
      });
      assertEquals([execution.state.current, outputs.nodes, lines[1]], ["SUCCESS", nodes, line]);
    }
  });
});

Deno.test("DbtCLI does not follow links to files outside the directory", async () => {
  await withDbt(async ({ run }) => {
    await withTempDir(async (outside) => {
      await Deno.writeTextFile(`${outside}/run_results.json`, JSON.stringify(RESULTS));
      for (
        const link of [`ln -s ${outside} target`, `mkdir target; ln -s ${outside}/run_results.json target/`]
      ) {
        const { outputs } = await run("DbtCLI", { commands: [link] });
        assertEquals([outputs.nodes, outputs.outputFiles], [undefined, {}]);
      }
    });
  });
});

/** Lines that dbt prints, the line of the log, and the state. */
const LOG_LINES: readonly (readonly [line: string, logged: string | undefined, state: string])[] = [
  ['{"info": {"level": "info", "msg": "1 of 2 OK"}, "data": {}}', "INFO 1 of 2 OK", "SUCCESS"],
  ['{"info": {"level": "warn", "msg": "\\u001b[33mold\\u001b[0m"}}', "WARN old", "WARNING"],
  ['{"info": {"level": "error", "msg": "bad"}}', "ERROR bad", "SUCCESS"],
  ['{"level": "info", "msg": "of an older dbt"}', "INFO of an older dbt", "SUCCESS"],
  ['{"info": {"level": "info", "msg": ""}}', undefined, "SUCCESS"],
  ['{"other": 1}', 'INFO {"other": 1}', "SUCCESS"],
  ["{no JSON", "INFO {no JSON", "SUCCESS"],
];

Deno.test("lines of dbt in JSON have its level; a warning ends the task with WARNING", async () => {
  await withDbt(async ({ run, app }) => {
    for (const [line, logged, state] of LOG_LINES) {
      const { execution, lines } = await run("DbtCLI", { commands: ["dbt run"], env: { LINES_OUT: line } });
      assertEquals([execution.state.current, lines[1]], [state, logged]);
    }
    const stats = { info: { level: "info", msg: "Done" }, data: { stats: { pass: 2, error: 1, "a b": 3 } } };
    const { id } = await run("DbtCLI", { commands: ["dbt run"], env: { LINES_OUT: JSON.stringify(stats) } });
    const metrics = await app.json("GET", `/metrics/${id}`) as { results: { name: string; value: number }[] };
    assertEquals(metrics.results.map(({ name, value }) => [name, Number(value)]).sort(), [["error", 1], [
      "pass",
      2,
    ]]);
  });
});

Deno.test("stderr of dbt is no warning unless the task says so", async () => {
  await withDbt(async ({ run }) => {
    const commands = ["echo deprecated >&2"];
    assertEquals((await run("DbtCLI", { commands })).execution.state.current, "SUCCESS");
    const strict = await run("DbtCLI", { commands, warningOnStdErr: true });
    assertEquals(strict.execution.state.current, "WARNING");
  });
});

Deno.test("DbtCLI stores a manifest in a KV pair and loads it, also one that is larger than a pair", async () => {
  await withDbt(async ({ run }) => {
    const small = '{"nodes":{"a":1}}';
    const large = `{"nodes":"${"x".repeat(2_000_000)}"}`;
    const missing = await run("DbtCLI", { commands: ["true"], loadManifest: { key: "m" } });
    assertEquals(missing.lines, ['WARN No manifest is loaded: there is no key "m" in namespace "demo"']);
    const make =
      `printf '{"nodes":"' > target/manifest.json; head -c 2000000 /dev/zero | tr '\\0' x >> target/manifest.json`;
    for (
      const [manifest, commands] of [
        [small, [`mkdir -p target; printf '%s' '${small}' > target/manifest.json`]],
        [large, ["mkdir -p target", make, `printf '"}' >> target/manifest.json`]],
      ] as const
    ) {
      const stored = await run("DbtCLI", {
        commands: [...commands],
        storeManifest: { key: "m", namespace: "demo" },
      });
      assertEquals([stored.execution.state.current, stored.lines], ["SUCCESS", []]);
      const loaded = await run("DbtCLI", {
        commands: ["wc -c < p/target/manifest.json"],
        projectDir: "p",
        loadManifest: { key: "m", namespace: "{{ flow.namespace }}" },
      });
      assertEquals(loaded.lines, [`INFO ${manifest.length}`]);
    }
  });
});

Deno.test("Setup makes a virtual environment with the packages and writes the profiles", async () => {
  await withTempDir(async (folder) => {
    await using app = await Harness.start();
    const pip = `#!/bin/sh\\necho "pip $*"\\n`;
    await writeProgram(
      `${folder}/python`,
      `#!/bin/sh\necho "python $1 $2 $3"\nmkdir -p bin; printf '${pip}' > bin/python; chmod +x bin/python\n`,
    );
    const task = {
      ...{ id: "c", type: "io.kestra.plugin.dbt.cli.Setup", requirements: ["dbt-duckdb", "a>=1"] },
      profiles: { shop: { target: "dev" } },
      env: { PATH: `${folder}:/usr/bin:/bin` },
      pythonPath: `${folder}/python`,
      outputFiles: [".profile/*"],
    };
    const { lines, outputs, execution } = await runScripts(app, `  - ${JSON.stringify(task)}\n`);
    assertEquals([execution.state.current, lines], ["SUCCESS", [
      "INFO pip -m pip install --quiet dbt-duckdb a>=1",
    ]]);
    assertMatch(JSON.stringify(outputs.outputFiles), /^\{"\.profile\/profiles\.yml":/);
  });
});
