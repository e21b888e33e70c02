/** Effects on other executions: durable messages, and new executions that the same commit creates. */
import type { Event } from "../../engine/events.ts";
import type { FlowPlan } from "../../engine/plan.ts";
import type { Execution } from "../../model/executions/execution.ts";
import { decodeJson, encodeJson } from "../../store/codec.ts";
import { messageKey, MESSAGES } from "../../store/keys.ts";
import type { Key, Mutation, Store } from "../../store/store.ts";
import type { OuterContext } from "../../rendering/loop_contexts.ts";

/** An event for another execution of the same tenant. Stored with the transition that causes it, until it is applied. */
export interface Message {
  readonly targetId: string;
  /** Unique among the messages of one execution to another. */
  readonly name: string;
  readonly event: Event;
}

/** An execution to be created by the commit of the transition that asks for it. */
export interface NewExecution {
  readonly execution: Execution;
  readonly plan: FlowPlan;
  /** For a pass of a Loop: what its templates see of the enclosing executions. */
  readonly outer?: OuterContext;
}

/** A stored message. */
export interface StoredMessage {
  readonly key: Key;
  readonly tenant: string;
  readonly targetId: string;
  readonly event: Event;
}

/** Larger messages are stored without outputs: the budget of a slice counts a record of this size for each execution. */
const MAX_MESSAGE_BYTES = 8_192;

/** Stores a message of `source`. */
export function messageMutation(source: Execution, message: Message): Mutation {
  const { event } = message;
  const value = encodeJson(event);
  const isShort = value.length <= MAX_MESSAGE_BYTES || event.type !== "child_ended" || !event.outputs;
  const stored = isShort ? value : encodeJson({ ...event, outputs: undefined, hasStoredOutputs: true });
  return { type: "set", key: keyOf(source, message), value: stored };
}

/** The message as it is delivered by this process. */
export function storedMessage(source: Execution, message: Message): StoredMessage {
  const { targetId, event } = message;
  return { key: keyOf(source, message), tenant: source.tenant, targetId, event };
}

/** Messages that an earlier process has not delivered. */
export async function* undelivered(store: Store): AsyncGenerator<StoredMessage> {
  for await (const { key, value } of store.list(MESSAGES)) {
    const event = decodeJson(value) as unknown as Event;
    yield { key, tenant: String(key[1]), targetId: String(key[2]), event };
  }
}

function keyOf({ tenant, id }: Execution, { targetId, name }: Message): Key {
  return messageKey(tenant, targetId, id, name);
}
