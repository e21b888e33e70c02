/** Flows of the crash tests that start processes. Each script leaves a line as it begins, as effects do. */
import { CORE, type CrashFlow, type Outputs, returns, value } from "./crash_flow.ts";

/** Stands for the path of the file of lines. */
export const LINES_PLACEHOLDER = "CRASH_LINES_PATH";
/** Stands for what tells the processes of this run from all others, in their environment. */
export const MARK_PLACEHOLDER = "CRASH_RUN_MARK";
/** Environment variable with the mark. */
export const MARK_VARIABLE = "CRASH_RUN";

const ENVIRONMENT = `env: {CRASH_LINES: ${LINES_PLACEHOLDER}, ${MARK_VARIABLE}: ${MARK_PLACEHOLDER}}`;
const LINE = "echo '{{ execution.id }} {{ taskrun.id }} {{ taskrun.attemptsCount + 1 }}' >> \"$CRASH_LINES\"";
/** It would outlive the task, the server and the test. */
const LEFT_BEHIND = "sleep 120 &";
/** From 0.1 to 0.9 seconds. */
const SLEEP = "sleep 0.{{ randomInt(lower=1, upper=9) }}";

/** Flows by id. */
export const SCRIPT_FLOWS = {
  script: {
    tasks: [
      script("script", [LINE, LEFT_BEHIND, SLEEP, prints("name", "{{ inputs.name }}")]),
      returns("after", "{{ outputs.script.vars.name }}!"),
    ],
    waitMs: 1_000,
    outputs: (name) => [printed("name", name), value(`${name}!`)],
  },
  directory: {
    tasks: [
      `{id: dir, type: ${CORE}.flow.WorkingDirectory, tasks: [${
        script("script1", [LINE, "echo '{{ inputs.name }}' >> given.txt", SLEEP])
      }, ${
        script("script2", [
          LINE,
          'echo \'::{"outputs": {"text": "\'$(cat given.txt)\'"}}::\'',
        ])
      }]}`,
    ],
    waitMs: 1_000,
    shared: 2,
    outputs: (name) => [{}, { vars: {}, exitCode: 0, outputFiles: {} }, printed("text", name)],
  },
} satisfies Record<string, CrashFlow>;

function script(id: string, commands: readonly string[]): string {
  return `{id: ${id}, type: io.svc.plugin.scripts.shell.Commands, ${ENVIRONMENT}, ` +
    `commands: ${JSON.stringify(commands)}}`;
}

function prints(name: string, text: string): string {
  return `echo '::{"outputs": {"${name}": "${text}"}}::'`;
}

function printed(name: string, text: string): Outputs {
  return { vars: { [name]: text }, exitCode: 0, outputFiles: {} };
}
