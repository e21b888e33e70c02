/** The flows that are started while servers are killed, and what their executions must have done in the end. */

/** Namespace of everything that a crash run stores. */
export const NAMESPACE = "crash.test";

/** The flows, by id. `child` is started by `parent` alone. */
export const FLOW_IDS = [
  ...["pure", "forty", "long", "sleep", "effect"] as const,
  ...["retry", "pause", "each", "limited", "child", "parent"] as const,
] as const;

/** One of {@link FLOW_IDS}. */
export type FlowId = typeof FLOW_IDS[number];

/** How long those that wait do so. */
const WAIT_MS = 300;
/** How long an execution of `limited` keeps the others waiting. */
const LIMITED_MS = 30;
const ACT = "{id: act, type: io.svc.plugin.crash.Effect}";
const FORTY = 40;
const LONG = 250;

type Outputs = Readonly<Record<string, unknown>>;

/** What is known of a task run. */
export interface RunFacts {
  readonly attempts?: readonly unknown[];
  readonly outputs?: Outputs;
}

interface CrashFlow {
  /** Lines before its tasks. */
  readonly head?: string;
  readonly tasks: readonly string[];
  /** How long it waits at least. */
  readonly waitMs?: number;
  /** Outputs of the task runs of a successful execution, as far as they do not depend on chance. */
  readonly outputs: (name: string, runs: readonly RunFacts[]) => Outputs[];
}

const FLOWS: Readonly<Record<FlowId, CrashFlow>> = {
  pure: { tasks: [returns("hello", "Hello {{ inputs.name }}")], outputs: (name) => [value(`Hello ${name}`)] },
  forty: manyReturns(FORTY),
  long: manyReturns(LONG),
  sleep: {
    tasks: [
      `{id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT${WAIT_MS / 1000}S}`,
      returns("after", "up {{ inputs.name }}"),
    ],
    waitMs: WAIT_MS,
    outputs: (name) => [{}, value(`up ${name}`)],
  },
  effect: {
    tasks: [
      returns("before", "one {{ inputs.name }}"),
      ACT,
      returns("after", "{{ outputs.act.attempt }} {{ inputs.name }}"),
    ],
    outputs: (name, runs) => [value(`one ${name}`), acted(runs[1]), value(`${attemptsOf(runs[1])} ${name}`)],
  },
  retry: {
    tasks: [
      "{id: flaky, type: io.svc.plugin.core.execution.Fail, condition: '{{ taskrun.attemptsCount < 1 }}', " +
      `retry: {type: constant, interval: PT${WAIT_MS / 1000}S, maxAttempt: 5}}`,
      ACT,
      returns("after", "again {{ inputs.name }}"),
    ],
    waitMs: WAIT_MS,
    outputs: (name, runs) => [{}, acted(runs[1]), value(`again ${name}`)],
  },
  pause: {
    tasks: [
      `{id: hold, type: io.svc.plugin.core.flow.Pause, pauseDuration: PT${WAIT_MS / 1000}S}`,
      ACT,
      returns("after", "on {{ inputs.name }}"),
    ],
    waitMs: WAIT_MS,
    outputs: (name, runs) => [{}, acted(runs[1]), value(`on ${name}`)],
  },
  each: {
    tasks: [
      "{id: loop, type: io.svc.plugin.core.flow.ForEach, values: [1, 2, 3], concurrencyLimit: 2, " +
      `tasks: [${ACT}]}`,
      returns("after", "{{ outputs.act | keys }} {{ inputs.name }}"),
    ],
    outputs: (name, runs) => [{}, ...runs.slice(1, 4).map(acted), value(`["1","2","3"] ${name}`)],
  },
  limited: {
    head: "concurrency: {limit: 1, behavior: QUEUE}\n",
    tasks: [`{id: wait, type: io.svc.plugin.core.flow.Sleep, duration: PT${LIMITED_MS / 1000}S}`],
    waitMs: 2_000,
    outputs: () => [{}],
  },
  child: {
    head: 'outputs:\n  - {id: text, type: STRING, value: "{{ outputs.say.value }}"}\n',
    tasks: [ACT, returns("say", "child {{ inputs.name }}")],
    outputs: (name, runs) => [acted(runs[0]), value(`child ${name}`)],
  },
  parent: {
    tasks: [
      `{id: call, type: io.svc.plugin.core.flow.Subflow, namespace: ${NAMESPACE}, flowId: child, ` +
      'inputs: {name: "{{ inputs.name }}"}}',
      returns("after", "{{ outputs.call.outputs.text }}!"),
    ],
    outputs: (name, runs) => [
      { executionId: runs[0]?.outputs?.executionId, state: "SUCCESS", outputs: { text: `child ${name}` } },
      value(`child ${name}!`),
    ],
  },
};

/** How long an execution of that flow waits at least, in milliseconds. */
export function waitMsOf(id: FlowId): number {
  return FLOWS[id].waitMs ?? 0;
}

/** Source of a flow. */
export function flowSource(id: FlowId): string {
  const inputs = "inputs:\n  - {id: name, type: STRING}\n";
  const tasks = FLOWS[id].tasks.map((task) => `  - ${task}\n`).join("");
  return `id: ${id}\nnamespace: ${NAMESPACE}\n${inputs}${FLOWS[id].head ?? ""}tasks:\n${tasks}`;
}

/** Source of a flow that is updated; each number gives another text. */
export function updatedSource(id: string, n: number): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\ntasks:\n  - ${returns("only", `update ${n}`)}\n`;
}

/** What the task runs of a successful execution have put out, in order. */
export function expectedOutputs(id: FlowId, name: string, runs: readonly RunFacts[]): Outputs[] {
  return FLOWS[id].outputs(name, runs);
}

/** The effect puts out the number of the attempt that succeeded. */
function acted(run: RunFacts | undefined): Outputs {
  return { attempt: attemptsOf(run) };
}

function attemptsOf(run: RunFacts | undefined): number {
  return run?.attempts?.length ?? 0;
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
