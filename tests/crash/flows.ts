/** The flows that are started while servers are killed, and what their executions must have done in the end. */

/** Namespace of everything that a crash run stores. */
export const NAMESPACE = "crash.test";

/** The flows, by id. */
export const FLOW_IDS = ["pure", "forty", "long", "sleep", "effect"] as const;

/** One of {@link FLOW_IDS}. */
export type FlowId = typeof FLOW_IDS[number];

/** How long `sleep` sleeps. */
export const SLEEP_MS = 300;

const FORTY = 40;
const LONG = 250;

type Outputs = Readonly<Record<string, unknown>>;

interface CrashFlow {
  readonly tasks: readonly string[];
  /** Outputs of the task runs of a successful execution; `attempts` are those of its second task run. */
  readonly outputs: (name: string, attempts: number) => Outputs[];
}

const FLOWS: Readonly<Record<FlowId, CrashFlow>> = {
  pure: { tasks: [returns("hello", "Hello {{ inputs.name }}")], outputs: (name) => [value(`Hello ${name}`)] },
  forty: manyReturns(FORTY),
  long: manyReturns(LONG),
  sleep: {
    tasks: [
      `{id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT${SLEEP_MS / 1000}S}`,
      returns("after", "up {{ inputs.name }}"),
    ],
    outputs: (name) => [{}, value(`up ${name}`)],
  },
  effect: {
    tasks: [
      returns("before", "one {{ inputs.name }}"),
      "{id: act, type: io.svc.plugin.crash.Effect}",
      returns("after", "{{ outputs.act.attempt }} {{ inputs.name }}"),
    ],
    outputs: (name, attempts) => [value(`one ${name}`), { attempt: attempts }, value(`${attempts} ${name}`)],
  },
};

/** Source of a flow. */
export function flowSource(id: FlowId): string {
  const inputs = "inputs:\n  - {id: name, type: STRING}\n";
  const tasks = FLOWS[id].tasks.map((task) => `  - ${task}\n`).join("");
  return `id: ${id}\nnamespace: ${NAMESPACE}\n${inputs}tasks:\n${tasks}`;
}

/** Source of a flow that is updated; each number gives another text. */
export function updatedSource(id: string, n: number): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\ntasks:\n  - ${returns("only", `update ${n}`)}\n`;
}

/** What the task runs of a successful execution have put out, in order. */
export function expectedOutputs(id: FlowId, name: string, attempts: number): Outputs[] {
  return FLOWS[id].outputs(name, attempts);
}

function manyReturns(count: number): CrashFlow {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return {
    tasks: numbers.map((n) => returns(`t${n}`, `${n} {{ inputs.name }}`)),
    outputs: (name) => numbers.map((n) => value(`${n} ${name}`)),
  };
}

function returns(id: string, format: string): string {
  return `{id: ${id}, type: io.svc.plugin.core.debug.Return, format: "${format}"}`;
}

function value(text: string): Outputs {
  return { value: text };
}
