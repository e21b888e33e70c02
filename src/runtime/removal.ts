/** Side effects of the deletion of an execution: its slot becomes free, and its parent is notified of the end. */
import type { Execution } from "../model/executions/execution.ts";
import { changedAt, isEnded } from "../model/executions/state.ts";
import type { Mutation } from "../store/store.ts";
import { type Message, messageMutation, type StoredMessage, storedMessage } from "./live/messages.ts";
import type { Slots } from "./live/slots.ts";
import { announceEnd } from "./slices/slice.ts";

/** What is stored with the entry that deletes an execution, and what is done after it. */
interface Removal {
  readonly mutations: readonly Mutation[];
  /** Releases the slot; to be called once the entry is durable. */
  readonly committed: () => void;
  /** To be delivered after that. */
  readonly messages: readonly StoredMessage[];
}

/** Prepares the removal of an execution. */
export function prepareRemoval(execution: Execution, slots: Slots): Removal {
  const slot = slots.removalOf(execution);
  const messages = endMessages(execution);
  return {
    mutations: [
      ...slot?.mutations ?? [],
      ...messages.map((message) => messageMutation(execution, message)),
    ],
    committed: () => slot?.committed(),
    messages: messages.map((message) => storedMessage(execution, message)),
  };
}

/** A live execution is reported KILLED; an ended one has reported its end already. */
function endMessages(execution: Execution): Message[] {
  const messages: Message[] = [];
  const { history } = execution;
  if (isEnded(history)) return messages;
  const killed = {
    ...execution,
    history: [...history, { state: "KILLED" as const, at: changedAt(history) }],
  };
  announceEnd({ execution: killed, messages });
  return messages;
}
