/** The runtime as the services see it. */
import type { Execution } from "../model/executions/execution.ts";
import { changedAt, isEnded } from "../model/executions/state.ts";
import type { Executor } from "../runtime/executor.ts";
import { type Message, messageMutation, storedMessage } from "../runtime/live/messages.ts";
import { announceEnd } from "../runtime/slices/slice.ts";
import type { SlotsPort } from "../services/executions/concurrency_limits.ts";
import type { ExecutorPort, Removal } from "../services/executor_port.ts";

/** The port; the executor is asked for when it is used, since it is built from the services. */
export function createExecutorPort(executor: () => Executor): ExecutorPort {
  return {
    begin: (execution, plan, staged) => executor().begin(execution, plan, staged),
    send: (tenant, id, event, onApplied) => executor().send(tenant, id, event, { onApplied }),
    isLive: (tenant, id) => executor().isLive(tenant, id),
    drop: (tenant, id) => executor().drop(tenant, id),
    restore: (tenant, id) => executor().restore(tenant, id),
    forceSlot: (execution) => executor().slots.force(execution),
    slotUsage: (execution) => executor().slots.slotUsage(execution),
    leave: (execution, limit) => leave(executor(), execution, limit),
  };
}

/** The slots of flows with a limit, likewise. */
export function createSlotsPort(executor: () => Executor): SlotsPort {
  return {
    running: (tenant, { namespace, id: flowId }) => {
      return executor().slots.slotUsage({ tenant, namespace, flowId, id: "" }).running;
    },
    grant: (tenant, { namespace, id: flowId }, limit) => {
      executor().grantSlots({ tenant, namespace, flowId }, limit);
    },
  };
}

function leave(executor: Executor, execution: Execution, limit: number | undefined): Removal {
  const slot = limit === undefined ? undefined : executor.slots.changeOf(execution, true);
  const messages = endMessages(execution);
  return {
    mutations: [
      ...slot?.mutations ?? [],
      ...messages.map((message) => messageMutation(execution, message)),
    ],
    committed: () => {
      slot?.committed();
      if (limit !== undefined) executor.grantSlots(execution, limit);
    },
    tell: async () => {
      for (const message of messages) await executor.deliver(storedMessage(execution, message));
    },
  };
}

/** One that has ended has told already. */
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
