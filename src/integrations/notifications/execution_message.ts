/** What messages about an execution say, for all chat services. */
import { formatDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, setOwnProperty, stringifyJson } from "../../base/json.ts";
import { dynamicProperty, dynamicText, type PropertySchemas } from "../../model/flows/schema.ts";
import { type ExecutionSummary, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { PAYLOAD_PROPERTY, WEBHOOK_PROPERTIES } from "./webhook.ts";

/** The properties of every type that reports on an execution. */
export const EXECUTION_PROPERTIES: PropertySchemas = Object.freeze({
  ...WEBHOOK_PROPERTIES,
  ...PAYLOAD_PROPERTY,
  executionId: dynamicText("Id of the execution; default is the one that the task runs in."),
  customMessage: dynamicText("A text that is added to the message."),
  customFields: dynamicProperty("map", "Further fields of the message, by name."),
});

/** A name and a value that a message lists. */
interface MessageField {
  readonly name: string;
  readonly value: string;
}

/** A message about an execution, before a service gives it its form. */
export interface ExecutionMessage {
  readonly execution: ExecutionSummary;
  readonly title: string;
  /** The custom message, if one is given. */
  readonly text?: string;
  readonly fields: readonly MessageField[];
  /** Six hexadecimal digits for the state. */
  readonly color: string;
}

/** The message as lines of plain text, the first one in place of the title. */
export function plainText({ title, text, fields, execution }: ExecutionMessage, first = title): string {
  return [
    first,
    ...text === undefined ? [] : [text],
    ...fields.map(({ name, value }) => `${name}: ${value}`),
    ...execution.url === undefined ? [] : [execution.url],
  ].join("\n");
}

/** The fields as a map. */
export function fieldMap({ fields }: ExecutionMessage): JsonObject {
  const map: JsonObject = {};
  for (const { name, value } of fields) setOwnProperty(map, name, value);
  return map;
}

const COLORS: Readonly<Partial<Record<ExecutionSummary["state"], string>>> = Object.freeze({
  SUCCESS: "2e9e5b",
  WARNING: "e09a1a",
  FAILED: "d0342c",
  KILLED: "d0342c",
});
const OTHER_COLOR = "5b7083";

/** Reads the execution and composes the message. @throws Error it does not exist */
export async function composeMessage(context: TaskContext): Promise<ExecutionMessage> {
  const { executionId, customMessage, customFields } = context.properties;
  const execution = await context.execution(optionalText(executionId) ?? context.attempt.executionId);
  const { namespace, flowId, state, id, durationMs, failedTasks } = execution;
  const custom = isJsonObject(customFields ?? null) ? Object.entries(customFields ?? {}) : [];
  return {
    execution,
    title: `${namespace}.${flowId}: ${state}`,
    text: optionalText(customMessage),
    fields: [
      { name: "Namespace", value: namespace },
      { name: "Flow", value: flowId },
      { name: "Execution", value: id },
      { name: "State", value: state },
      { name: "Duration", value: formatDuration(durationMs) },
      ...failedTasks.length === 0 ? [] : [{ name: "Failed tasks", value: failedTasks.join(", ") }],
      ...custom.map(([name, value]) => ({
        name,
        value: typeof value === "string" ? value : stringifyJson(value),
      })),
    ],
    color: COLORS[state] ?? OTHER_COLOR,
  };
}
