/** Control lines of scripts within flows. */
import { assertEquals, assertMatch } from "@std/assert";
import { ENCRYPTED_TYPE } from "../../../src/model/flows/input_value.ts";
import { Harness } from "../../support/harness.ts";
import { runScripts, runScriptsOn, scriptTask } from "../../support/flows/script_flows.ts";
import { masked } from "../../support/masked.ts";

function shell(commands: readonly string[]): string {
  return scriptTask("shell.Commands", [`commands: ${JSON.stringify(commands)}`]);
}

const CONTROL_LINES:
  readonly (readonly [name: string, commands: readonly string[], vars: unknown, lines: readonly string[]])[] =
    [
      [
        "outputs, the later one winning",
        [`echo '::{"outputs": {"a": 1, "b": 2}}::'`, `echo ' ::{"outputs": {"a": [true]}}:: '`],
        { a: [true], b: 2 },
        [],
      ],
      [
        "names of Object.prototype",
        [`echo '::{"outputs": {"__proto__": 1, "constructor": 2}}::'`],
        JSON.parse('{"__proto__": 1, "constructor": 2}'),
        [],
      ],
      ["logs", [`echo '::{"logs": [{"level": "WARN", "message": "w"}, {"message": "i"}]}::'`], {}, [
        "WARN w",
        "INFO i",
      ]],
      ["a line that is not all of it", [`echo 'x ::{"outputs": {"a": 1}}::'`], {}, [
        'INFO x ::{"outputs": {"a": 1}}::',
      ]],
      ["broken JSON", ["echo '::{broken}::'"], {}, [
        "WARN Cannot read a control line: Expected property name or '}' in JSON at position 1 (line 1 column 2)",
      ]],
      ["outputs that are none", [`echo '::{"outputs": 1}::'`], {}, [
        'WARN Cannot read a control line: "outputs" must be an object',
      ]],
      ["encrypted outputs that are none", [`echo '::{"encryptedOutputs": ["x"]}::'`], {}, [
        'WARN Cannot read a control line: "encryptedOutputs" must be an object',
      ]],
      ["outputs on the error stream", [`echo '::{"outputs": {"a": 1}}::' >&2`], { a: 1 }, []],
      [
        "an invalid metric, which hides nothing else of the line",
        [
          `echo '::{"metrics": [{"name": "m", "value": "x"}], "logs": [{"message": "i"}]}::'`,
        ],
        {},
        ['WARN Invalid value "x" of metric "m": it must be a number', "INFO i"],
      ],
    ];

for (const [name, commands, vars, lines] of CONTROL_LINES) {
  Deno.test(`control lines with ${name}`, async () => {
    const outcome = await runScriptsOn({}, shell(commands));
    assertEquals(outcome.outputs.vars, vars);
    assertEquals(outcome.lines, lines);
  });
}

/** Control lines on the error stream, the state of the task and its log. */
const ERROR_STREAM: readonly (readonly [line: string, state: string, lines: readonly string[]])[] = [
  ['::{"logs": [{"level": "INFO", "message": "i"}]}::', "SUCCESS", ["INFO i"]],
  ['::{"logs": [{"level": "WARNING", "message": "w"}]}::', "WARNING", ["WARN w"]],
  ['::{"logs": [{"level": "ERROR", "message": "e"}]}::', "WARNING", ["ERROR e"]],
  ['::{"metrics": [{"name": "m", "type": "counter", "value": 1}]}::', "SUCCESS", []],
  ['::{"outputs": 1}::', "WARNING", ['WARN Cannot read a control line: "outputs" must be an object']],
];

for (const [line, state, lines] of ERROR_STREAM) {
  Deno.test(`control line ${line} on the error stream ends ${state}`, async () => {
    const outcome = await runScriptsOn({}, shell([`echo '${line}' >&2`]));
    assertEquals([outcome.execution.state.current, outcome.lines], [state, lines]);
  });
}

Deno.test("control lines: log lines of WARN on the standard stream do not change the state", async () => {
  const { execution, lines } = await runScriptsOn(
    {},
    shell([`echo '::{"logs": [{"level": "WARN", "message": "w"}]}::'`]),
  );
  assertEquals([execution.state.current, lines], ["SUCCESS", ["WARN w"]]);
});

/** Prints a line of 1.2 MB between these texts. */
function longLine(before: string, after: string): string {
  return `printf '${before}'; head -c 1200000 /dev/zero | tr '\\0' x; echo '${after}'`;
}

Deno.test("control lines: one above 1 MiB fails the task, any other line of that length is cut", async () => {
  const long = await runScriptsOn({}, shell([longLine('::{"outputs": {"a": "', '"}}::')]));
  assertEquals([long.execution.state.current, long.lines], ["FAILED", [
    "ERROR The script reports 1200026 bytes in one line; write large results to a file",
  ]]);
  const other = await runScriptsOn({}, shell([longLine('x ::{"outputs": {"a": "', '"}}::')]));
  assertEquals(other.execution.state.current, "SUCCESS");
  assertMatch(other.lines[0] ?? "", /^INFO x ::\{"outputs": \{"a": "x+$/);
  assertMatch(other.lines.at(-1) ?? "", /^INFO x+ … \(cut, 1200028 bytes\)$/);
});

Deno.test("control lines: encrypted outputs are stored encrypted, decrypted for tasks, masked in logs", async () => {
  const log = "io.kestra.plugin.core.log.Log";
  const line =
    '::{"outputs": {"a": "open"}, "encryptedOutputs": {"b": "my secret value", "n": {"x": 12345678}}}::';
  const { execution, lines } = await runScriptsOn(
    {},
    `${
      shell([`echo '${line}'`])
    }  - {id: l, type: ${log}, message: "{{ outputs.c.vars.a }} {{ outputs.c.vars.b }}"}
  - {id: t, type: ${log}, message: "{{ outputs.c.vars.b == 'my secret value' }} {{ fromJson(outputs.c.vars.n).x + 1 }}"}`,
  );
  assertEquals([execution.state.current, lines], ["SUCCESS", [
    `INFO open ${masked(15)}`,
    "INFO true 12345679",
  ]]);
  const vars = execution.taskRunList[0]?.outputs.vars as Record<string, { type?: string }>;
  assertEquals([vars.a, vars.b?.type, vars.n?.type], ["open", ENCRYPTED_TYPE, ENCRYPTED_TYPE]);
  assertEquals(JSON.stringify(execution).includes("my secret value"), false);
});

Deno.test("control lines: they report metrics, timers in seconds or as durations", async () => {
  await using app = await Harness.start();
  const metrics =
    '[{"name": "c", "type": "counter", "value": 3, "tags": {"t": "x", "o": {"a": [1]}}}, {"name": "d", "type": "timer", "value": 1.5}, {"name": "e", "type": "timer", "value": "PT2S"}]';
  const { id } = await runScripts(app, shell([`echo '::{"metrics": ${metrics}}::'`]));
  const { results } = await app.json("GET", `/metrics/${id}`) as {
    results: { name: string; value: number; tags?: unknown }[];
  };
  assertEquals(results.map((metric) => [metric.name, Number(metric.value)]), [["c", 3], ["d", 1500], [
    "e",
    2000,
  ]]);
  assertEquals(results[0]?.tags, { t: "x", o: '{"a":[1]}' });
});
