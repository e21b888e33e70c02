/** Flows of the crash tests that triggers and other executions start, and those that make them do so. */
import { ACT, acted, CORE, type CrashFlow, NAMESPACE, returns, same, value } from "./crash_flow.ts";

/** Batches of a file, each of which has an execution of `item`. */
export const ITEMS = 3;
/** Key of the webhook of `hook`. */
export const WEBHOOK_KEY = "crash-key";
/** Flows with a schedule of every second. */
export const TICKING = ["tick1", "tick2", "tick3"] as const;
/** Those of them that pass over a date while the last execution runs. */
export const PASSING_OVER: ReadonlySet<string> = new Set(["tick1"]);
/** Id of the trigger of each of them. */
export const TICKER = "every";
/** Input of the executions that schedules start. */
const TICK = "tick";
const ALL_ENDS = "[SUCCESS, WARNING, FAILED, KILLED, CANCELLED]";

/** Flows by id. */
export const CAUSED_FLOWS = {
  items: {
    tasks: [
      `{id: write, type: ${CORE}.storage.Write, content: "${"line\\n".repeat(ITEMS)}"}`,
      `{id: many, type: ${CORE}.flow.ForEachItem, items: "{{ outputs.write.uri }}", batch: {rows: 1}, ` +
      `namespace: ${NAMESPACE}, flowId: item, wait: true, transmitFailed: true, ` +
      'inputs: {name: "{{ inputs.name }}.{{ taskrun.iteration }}"}}',
      returns("after", "{{ outputs.many_items.numberOfBatches }} {{ inputs.name }}"),
    ],
    outputs: (name, runs) => [...runs.slice(0, -1).map(same), value(`${ITEMS} ${name}`)],
  },
  item: {
    tasks: [ACT, returns("say", "item {{ inputs.name }}")],
    isCaused: true,
    outputs: (name, runs) => [acted(runs[0]), value(`item ${name}`)],
  },
  tick1: ticking([returns("say", "{{ trigger.date }}")], (_name, runs) => [
    same(runs[0]),
  ]),
  tick2: ticking([ACT], (_name, runs) => [acted(runs[0])], "allowConcurrent: true, "),
  tick3: ticking(
    [returns("say", "{{ inputs.name }}"), ACT],
    (name, runs) => [value(name), acted(runs[1])],
    "allowConcurrent: true, recoverMissedSchedules: ALL, ",
  ),
  upstream: { tasks: [ACT], outputs: (_name, runs) => [acted(runs[0])] },
  listener: {
    tasks: [returns("say", "{{ trigger.flowId }} {{ inputs.name }}")],
    triggers: [
      `{id: after, type: ${CORE}.trigger.Flow, states: ${ALL_ENDS}, inputs: {name: "{{ trigger.executionId }}"}, ` +
      `conditions: [{type: ${CORE}.condition.ExecutionFlow, namespace: ${NAMESPACE}, flowId: upstream}]}`,
    ],
    isCaused: true,
    outputs: (name) => [value(`upstream ${name}`)],
  },
  hook: {
    tasks: [ACT, returns("say", "called {{ inputs.name }}")],
    triggers: [
      `{id: call, type: ${CORE}.trigger.Webhook, key: ${WEBHOOK_KEY}, inputs: {name: "{{ trigger.body.name }}"}}`,
    ],
    isCaused: true,
    outputs: (name, runs) => [acted(runs[0]), value(`called ${name}`)],
  },
} satisfies Record<string, CrashFlow>;

function ticking(tasks: readonly string[], outputs: CrashFlow["outputs"], properties = ""): CrashFlow {
  const schedule =
    `{id: ${TICKER}, type: ${CORE}.trigger.Schedule, cron: "* * * * * *", withSeconds: true, ` +
    `${properties}inputs: {name: ${TICK}}}`;
  return { tasks, triggers: [schedule], isCaused: true, outputs };
}
