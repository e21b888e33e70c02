/** Flows of the crash tests that clients start, and what they call. */
import {
  ACT,
  acted,
  attemptsOf,
  CORE,
  type CrashFlow,
  NAMESPACE,
  returns,
  same,
  value,
  WAIT_MS,
} from "./crash_flow.ts";

const LIMITED_MS = 30;
const FORTY = 40;
const LONG = 250;
const SECONDS = `PT${WAIT_MS / 1000}S`;
const PASSES = 3;
/** Characters. */
const GROWTH = 4_000;

/** Flows by id. */
export const PLAIN_FLOWS = {
  pure: { tasks: [returns("hello", "Hello {{ inputs.name }}")], outputs: (name) => [value(`Hello ${name}`)] },
  forty: manyReturns(FORTY),
  long: manyReturns(LONG),
  sleep: {
    tasks: [
      `{id: wait, type: ${CORE}.flow.Sleep, duration: ${SECONDS}}`,
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
      `{id: flaky, type: ${CORE}.execution.Fail, condition: '{{ taskrun.attemptsCount < 1 }}', ` +
      `retry: {type: constant, interval: ${SECONDS}, maxAttempt: 5}}`,
      ACT,
      returns("after", "again {{ inputs.name }}"),
    ],
    waitMs: WAIT_MS,
    outputs: (name, runs) => [{}, acted(runs[1]), value(`again ${name}`)],
  },
  pause: {
    tasks: [
      `{id: hold, type: ${CORE}.flow.Pause, pauseDuration: ${SECONDS}}`,
      ACT,
      returns("after", "on {{ inputs.name }}"),
    ],
    waitMs: WAIT_MS,
    outputs: (name, runs) => [{}, acted(runs[1]), value(`on ${name}`)],
  },
  // Somebody must resume it.
  hold: {
    tasks: [`{id: hold, type: ${CORE}.flow.Pause}`, ACT, returns("after", "held {{ inputs.name }}")],
    waitMs: WAIT_MS,
    outputs: (name, runs) => [same(runs[0]), acted(runs[1]), value(`held ${name}`)],
  },
  each: {
    tasks: [
      `{id: loop, type: ${CORE}.flow.ForEach, values: [1, 2, 3], concurrencyLimit: 2, tasks: [${ACT}]}`,
      returns("after", "{{ outputs.act | keys }} {{ inputs.name }}"),
    ],
    outputs: (name, runs) => [{}, ...runs.slice(1, 4).map(acted), value(`["1","2","3"] ${name}`)],
  },
  until: {
    tasks: [
      `{id: loop, type: ${CORE}.flow.LoopUntil, condition: "{{ outputs.count.value == '${PASSES}' }}", ` +
      `checkFrequency: {interval: PT0.1S}, tasks: [${ACT}, ${
        returns("count", "{{ outputs.loop.iterationCount }}")
      }]}`,
    ],
    waitMs: PASSES * 100,
    replaced: PASSES - 1,
    // Each pass takes the place of the one before.
    outputs: (_name, runs) => [{ iterationCount: PASSES }, acted(runs[1]), value(String(PASSES))],
  },
  // Its variables exceed what a record keeps from the third pass on, and each pass replaces them.
  growing: {
    head: 'variables: {text: ""}\n',
    tasks: [
      `{id: loop, type: ${CORE}.flow.ForEach, values: [1, 2, 3, 4, 5, 6], tasks: [${ACT}, ` +
      `{id: grow, type: ${CORE}.execution.SetVariables, variables: ` +
      `{text: "{{ vars.text ~ taskrun.value ~ '${"y".repeat(GROWTH)}' }}"}}]}`,
      returns("after", "{{ vars.text | length }} {{ inputs.name }}"),
    ],
    outputs: (name, runs) => [
      {},
      ...runs.slice(1, 13).map((run, n) => n % 2 === 0 ? acted(run) : {}),
      value(`${6 * (GROWTH + 1)} ${name}`),
    ],
  },
  limited: {
    head: "concurrency: {limit: 1, behavior: QUEUE}\n",
    tasks: [`{id: wait, type: ${CORE}.flow.Sleep, duration: PT${LIMITED_MS / 1000}S}`],
    waitMs: 2_000,
    outputs: () => [{}],
  },
  // The first execution of each fails; the one that takes its place does not.
  again: {
    head: `retry: {type: constant, interval: ${SECONDS}, maxAttempt: 5, behavior: CREATE_NEW_EXECUTION}\n`,
    tasks: [
      ACT,
      `{id: flaky, type: ${CORE}.execution.Fail, condition: '{{ execution.originalId == execution.id }}'}`,
      returns("after", "anew {{ inputs.name }}"),
    ],
    waitMs: WAIT_MS,
    outputs: (name, runs) => [acted(runs[0]), {}, value(`anew ${name}`)],
  },
  child: {
    head: 'outputs:\n  - {id: text, type: STRING, value: "{{ outputs.say.value }}"}\n',
    tasks: [ACT, returns("say", "child {{ inputs.name }}")],
    isCaused: true,
    outputs: (name, runs) => [acted(runs[0]), value(`child ${name}`)],
  },
  parent: {
    tasks: [
      `{id: call, type: ${CORE}.flow.Subflow, namespace: ${NAMESPACE}, flowId: child, ` +
      'inputs: {name: "{{ inputs.name }}"}}',
      returns("after", "{{ outputs.call.outputs.text }}!"),
    ],
    outputs: (name, runs) => [
      { executionId: runs[0]?.outputs?.executionId, state: "SUCCESS", outputs: { text: `child ${name}` } },
      value(`child ${name}!`),
    ],
  },
} satisfies Record<string, CrashFlow>;

function manyReturns(count: number): CrashFlow {
  const numbers = Array.from({ length: count }, (_, n) => n);
  return {
    tasks: numbers.map((n) => returns(`t${n}`, `${n} {{ inputs.name }}`)),
    outputs: (name) => numbers.map((n) => value(`${n} ${name}`)),
  };
}
