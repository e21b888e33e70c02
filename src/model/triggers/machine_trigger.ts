/** The interface of triggers that use programs, files and ports of this machine. */
import type { JsonObject } from "../../base/json.ts";
import type { Machine } from "../tasks/machine_task.ts";
import type {
  RealtimeContext,
  RealtimeDefinition,
  TriggerContext,
  TriggerDefinition,
} from "./trigger_definition.ts";

/** The poll of such a trigger, whose working directory is its own. */
interface MachineTriggerContext extends TriggerContext, Machine {}

interface MachineTriggerDefinition extends TriggerDefinition {
  poll(context: MachineTriggerContext): Promise<JsonObject | undefined>;
}

/** Declares such a trigger; returns it unchanged. */
export function defineMachineTrigger(definition: MachineTriggerDefinition): TriggerDefinition {
  return definition;
}

/** What a trigger that listens on a port reads. */
export interface ListenerContext extends RealtimeContext {
  /** The IP address of this machine to listen on. @throws Error the operator does not allow it */
  listenAddress(host: string): string;
}

interface ListenerDefinition extends RealtimeDefinition {
  realtime(context: ListenerContext): Promise<void>;
}

/** Declares such a trigger; returns it unchanged. */
export function defineListener(definition: ListenerDefinition): RealtimeDefinition {
  return definition;
}
