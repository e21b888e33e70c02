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

/**
 * The key in the address of a webhook, also of another flow: what follows `webhook/<namespace>/<flow>/`, which may be expressions.
 * JSON may escape slashes. What may end a sentence is part of a key only before other characters.
 */
const ADDRESS =
  /((?<![\w-])webhook(?:\\?\/(?:[^\\/\s"'`<>{}]|\{\{[^{}]{1,200}\}\})+){2}\\?\/)[^\\/?#\s"'`<>{}]*[^\\/?#\s"'`<>{},.;:)\]]/g;

/** Keys to hide. */
interface Keys {
  readonly whole: ReadonlySet<string>;
  /** Those that are hidden within texts, too, by their first characters; the longest first. */
  readonly copied: ReadonlyMap<string, readonly string[]>;
}

/** The flow with hidden keys, also those in addresses of other flows; the same flow if it has none. */
export function withoutWebhookKeys(flow: Flow): Flow {
  const keys = keysOf(flow.triggers);
  if (keys.whole.size === 0 && !flow.source.includes("webhook")) return flow;
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
  return { ...trigger, properties: hiddenMembers(trigger.properties, keysOf([trigger])) };
}

/** What an expression reads as a key is hidden elsewhere. */
function keysOf(triggers: readonly Trigger[]): Keys {
  const whole = new Set(
    triggers.flatMap(({ kind, properties }) => isWebhookKind(kind) ? keysIn(properties) : []),
  );
  const copied = [...whole].filter(({ length }) => length >= MIN_COPIED).sort((a, b) => b.length - a.length);
  return { whole, copied: Map.groupBy(copied, (key) => key.slice(0, MIN_COPIED)) };
}

function keysIn(members: JsonObject): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    if (isJsonObject(value)) return keysIn(value);
    return NAMES.has(name) && value !== null && !hasExpression(value) ? [String(value)] : [];
  });
}

function hiddenTasks(tasks: readonly Task[], keys: Keys): Task[] {
  return tasks.map((task) => ({
    ...task,
    properties: hiddenMembers(task.properties, keys),
    blocks: new Map([...task.blocks].map(([name, nested]) => [name, hiddenTasks(nested, keys)])),
  }));
}

function hiddenMembers(members: JsonObject, keys: Keys): JsonObject {
  const copy: JsonObject = {};
  for (const [name, value] of Object.entries(members)) {
    setOwnProperty(
      copy,
      name,
      NAMES.has(name) && keys.whole.has(String(value)) ? HIDDEN : hidden(value, keys),
    );
  }
  return copy;
}

function hidden(value: JsonValue, keys: Keys): JsonValue {
  if (Array.isArray(value)) return value.map((item) => hidden(item, keys));
  if (isJsonObject(value)) return hiddenMembers(value, keys);
  // Ids that are equal to a key stay: links lead to them.
  return typeof value === "string" && !keys.whole.has(value) ? hiddenText(value, keys) : value;
}

function hiddenText(text: string, keys: Keys): string {
  return hiddenCopies(text, keys).replace(ADDRESS, `$1${HIDDEN}`);
}

/** One pass over the text, whatever the number of keys. */
function hiddenCopies(text: string, { copied }: Keys): string {
  if (copied.size === 0) return text;
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at + MIN_COPIED <= text.length;) {
    const key = copied.get(text.slice(at, at + MIN_COPIED))?.find((each) => text.startsWith(each, at));
    if (key === undefined) at++;
    else {
      parts.push(text.slice(from, at), HIDDEN);
      from = at += key.length;
    }
  }
  return parts.join("") + text.slice(from);
}

/** Members by their places, as their texts may be written with escapes; then the copies. */
function hiddenSource(source: string, keys: Keys): string {
  if (keys.whole.size === 0) return hiddenText(source, keys);
  const { document } = parseYamlTree(source);
  const ranges: (readonly [number, number])[] = [];
  visit(document ?? null, {
    Pair(_, { key, value }) {
      if (!NAMES.has(keyName(key) ?? "")) return;
      const node = isAlias(value) ? value.resolve(document as NonNullable<typeof document>) : value;
      if (isScalar(node) && keys.whole.has(String(node.value))) ranges.push(nodeRange(node));
    },
  });
  const parts: string[] = [];
  let from = 0;
  for (const [start, end] of new Map(ranges.sort(([a], [b]) => a - b))) {
    const after = /\r?\n$/.exec(source.slice(start, end))?.[0] ?? "";
    parts.push(source.slice(from, start), `"${HIDDEN}"${after}`);
    from = end;
  }
  return hiddenText(parts.join("") + source.slice(from), keys);
}
