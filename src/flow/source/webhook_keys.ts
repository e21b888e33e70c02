/**
 * Flows as those see them who may not start executions: without the keys of webhooks. The key is the only protection of a
 * webhook: a caller who reads it can start executions.
 */
import { isAlias, isScalar, visit } from "yaml";
import { isJsonObject, type JsonObject, type JsonValue, setOwnProperty } from "../../base/json.ts";
import { keyName, nodeRange, parseYamlTree } from "../../languages/yaml/mod.ts";
import type { Flow, Task, Trigger } from "../../model/flows/flow.ts";
import { isWebhookKind } from "../../model/triggers/webhook_kinds.ts";
import { hasExpression } from "./report.ts";

const HIDDEN = "••••";
/** Members of webhooks, at any depth, that are keys: of addresses and of signatures. */
const NAMES: ReadonlySet<string> = new Set(["key", "secret", "signingSecret"]);
/** Copies in other texts are hidden, too, such as an address in a description. Shorter keys are also parts of words. */
const MIN_COPIED = 8;

/** The flow with hidden keys; the same flow if it has none. */
export function withoutWebhookKeys(flow: Flow): Flow {
  const keys = new Set(flow.triggers.flatMap(keysOf));
  if (keys.size === 0) return flow;
  return {
    ...flow,
    tasks: hiddenTasks(flow.tasks, keys),
    errors: hiddenTasks(flow.errors, keys),
    finally: hiddenTasks(flow.finally, keys),
    afterExecution: hiddenTasks(flow.afterExecution, keys),
    triggers: flow.triggers.map(withoutTriggerKeys),
    definition: hiddenMembers(flow.definition, keys),
    source: hiddenSource(flow.source, keys),
  };
}

/** The trigger with hidden keys. */
export function withoutTriggerKeys(trigger: Trigger): Trigger {
  return { ...trigger, properties: hiddenMembers(trigger.properties, new Set(keysOf(trigger))) };
}

/** What an expression reads as a key is hidden elsewhere. */
function keysOf({ kind, properties }: Trigger): string[] {
  return isWebhookKind(kind) ? keysIn(properties) : [];
}

function keysIn(members: JsonObject): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (isJsonObject(value)) return keysIn(value);
    return NAMES.has(name) && value !== null && !hasExpression(value) ? [String(value)] : [];
  });
}

function hiddenTasks(tasks: readonly Task[], keys: ReadonlySet<string>): Task[] {
  return tasks.map((task) => ({
    ...task,
    properties: hiddenMembers(task.properties, keys),
    blocks: new Map([...task.blocks].map(([name, nested]) => [name, hiddenTasks(nested, keys)])),
  }));
}

function hiddenMembers(members: JsonObject, keys: ReadonlySet<string>): JsonObject {
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    setOwnProperty(copy, name, NAMES.has(name) && keys.has(String(value)) ? HIDDEN : hidden(value, keys));
  }
  return copy;
}

function hidden(value: JsonValue, keys: ReadonlySet<string>): JsonValue {
  if (Array.isArray(value)) return value.map((item) => hidden(item, keys));
  if (isJsonObject(value)) return hiddenMembers(value, keys);
  // Ids that are equal to a key stay: links lead to them.
  return typeof value === "string" && !keys.has(value) ? hiddenText(value, keys) : value;
}

function hiddenText(text: string, keys: Iterable<string>): string {
  return [...keys].filter(({ length }) => length >= MIN_COPIED)
    .reduce((rest, key) => rest.replaceAll(key, HIDDEN), text);
}

/** Members by their places, as their texts may be written with escapes; then the copies. */
function hiddenSource(source: string, keys: ReadonlySet<string>): string {
  const { document } = parseYamlTree(source);
  const ranges: (readonly [number, number])[] = [];
  visit(document ?? null, {
    Pair(_, { key, value }) {
      if (!NAMES.has(keyName(key) ?? "")) return;
      const node = isAlias(value) ? value.resolve(document as NonNullable<typeof document>) : value;
      if (isScalar(node) && keys.has(String(node.value))) ranges.push(nodeRange(node));
    },
  });
  let text = source;
  for (const [start, end] of new Map(ranges.sort(([a], [b]) => b - a))) {
    const after = /\r?\n$/.exec(source.slice(start, end))?.[0] ?? "";
    text = `${text.slice(0, start)}"${HIDDEN}"${after}${text.slice(end)}`;
  }
  return hiddenText(text, keys);
}
