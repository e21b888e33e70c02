/** The flows of a soak run: short, waiting, failing, nested, triggered. */

/** Namespace of everything that a soak run stores. */
export const NAMESPACE = "soak.test";
/** Key of the webhook. */
export const WEBHOOK_KEY = "soak-webhook-key";

const CORE = "io.svc.plugin.core";
const RETURN = `${CORE}.debug.Return`;
/** Output of the task `say` of an execution with that name. */
const SAY = `{id: say, type: ${RETURN}, format: "Hello {{ inputs.name }}"}`;
const NAME = "inputs: [{id: name, type: STRING, defaults: nobody}]";

/** A flow, and how its executions end without interference. */
export interface SoakFlow {
  readonly source: string;
  readonly endsIn: readonly string[];
}

/** Flows that clients start. */
export const STARTED: Readonly<Record<string, SoakFlow>> = {
  pure: soakFlow("pure", [NAME, `tasks: [${SAY}]`]),
  wide: soakFlow("wide", [
    NAME,
    `tasks: [{id: each, type: ${CORE}.flow.ForEach, values: [1, 2, 3, 4, 5, 6, 7, 8], concurrencyLimit: 3, tasks: [` +
    `{id: note, type: ${CORE}.log.Log, message: "{{ taskrun.value }}"}]}, ${SAY}]`,
  ]),
  sleep: soakFlow("sleep", [NAME, `tasks: [{id: wait, type: ${CORE}.flow.Sleep, duration: PT1S}, ${SAY}]`]),
  parent: soakFlow("parent", [
    NAME,
    `tasks: [{id: call, type: ${CORE}.flow.Subflow, namespace: ${NAMESPACE}, flowId: pure, wait: true}, ${SAY}]`,
  ]),
  files: soakFlow("files", [
    "inputs: [{id: name, type: STRING, defaults: nobody}, {id: upload, type: FILE, required: false}]",
    `tasks: [{id: write, type: ${CORE}.storage.Write, content: "${
      "text ".repeat(400)
    }{{ inputs.name }}"}, ${SAY}]`,
  ]),
  script: soakFlow("script", [
    NAME,
    `tasks: [{id: run, type: io.svc.plugin.scripts.shell.Commands, commands: ["echo {{ inputs.name }}"]}, ${SAY}]`,
  ]),
  limited: soakFlow("limited", [
    NAME,
    "concurrency: {limit: 2, behavior: QUEUE}",
    `tasks: [{id: wait, type: ${CORE}.flow.Sleep, duration: PT0.2S}, ${SAY}]`,
  ]),
  failing: soakFlow("failing", [NAME, `tasks: [{id: bad, type: ${CORE}.execution.Fail}]`], ["FAILED"]),
  /** Somebody resumes it. */
  paused: soakFlow("paused", [NAME, `tasks: [{id: hold, type: ${CORE}.flow.Pause}, ${SAY}]`]),
  /** Somebody kills it. */
  long: soakFlow("long", [NAME, `tasks: [{id: wait, type: ${CORE}.flow.Sleep, duration: PT10M}]`], [
    "KILLED",
  ]),
};

/** Flows that triggers start, with the address of the server that one of them polls. */
export function triggeredFlows(url: string): string[] {
  return [
    flow("ticking", [
      `tasks: [{id: say, type: ${RETURN}, format: "{{ trigger.date }}"}]`,
      `triggers: [{id: every, type: ${CORE}.trigger.Schedule, cron: "*/2 * * * * *", withSeconds: true}]`,
    ]),
    flow("polling", [
      `tasks: [{id: say, type: ${RETURN}, format: polled}]`,
      `triggers: [{id: poll, type: ${CORE}.http.Trigger, uri: "${url}/ping", interval: PT2S, responseCondition: "{{ true }}"}]`,
    ]),
    flow("listening", [
      `tasks: [{id: say, type: ${RETURN}, format: "{{ trigger.executionId }}"}]`,
      `triggers: [{id: after, type: ${CORE}.trigger.Flow, states: [FAILED], conditions: [` +
      `{type: ${CORE}.condition.ExecutionFlow, namespace: ${NAMESPACE}, flowId: failing}]}]`,
    ]),
    flow("called", [
      `tasks: [{id: say, type: ${RETURN}, format: "{{ trigger.body.name }}"}]`,
      `triggers: [{id: call, type: ${CORE}.trigger.Webhook, key: ${WEBHOOK_KEY}}]`,
    ]),
  ];
}

/** A revision of a flow that is saved again and again. */
export function savedFlow(id: string, n: number): string {
  return flow(id, [`tasks: [{id: say, type: ${RETURN}, format: "${n}"}]`]);
}

function soakFlow(id: string, lines: readonly string[], endsIn: readonly string[] = ["SUCCESS"]): SoakFlow {
  return { source: flow(id, lines), endsIn };
}

function flow(id: string, lines: readonly string[]): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\n${lines.join("\n")}\n`;
}
