/** What an execution that is deleted leaves: its slot goes to the next one, and the execution that waits for it hears of its end. */
import type { Execution } from "../model/executions/execution.ts";
import { changedAt, isEnded } from "../model/executions/state.ts";
import type { Mutation } from "../store/store.ts";
import { type Message, messageMutation } from "./live/messages.ts";
import type { Slots } from "./live/slots.ts";
import { announceEnd } from "./slices/slice.ts";

/** What must be stored with the entry that deletes an execution, and done after it. */
export interface Removal {
  readonly mutations: readonly Mutation[];
  /** To be called once the entry is durable. */
  readonly committed: () => void;
  /** To be delivered after that. */
  readonly messages: readonly Message[];
}

/** Prepares the removal of an execution; `slots` is absent where its flow has no limit. */
export function removalOf(execution: Execution, slots: Slots | undefined): Removal {
  const slot = slots?.changeOf(execution, true);
  const messages = endMessages(execution);
  return {
    mutations: [
      ...slot?.mutations ?? [],
      ...messages.map((message) => messageMutation(execution, message)),
    ],
    committed: () => slot?.committed(),
    messages,
  };
}

/** An execution that is under way is reported KILLED; one that has ended has reported its end already. */
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
