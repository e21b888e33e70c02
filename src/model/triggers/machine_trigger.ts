/** The interface of polling triggers that use programs and files of this machine. */
import type { JsonObject } from "../../base/json.ts";
import type { Machine } from "../tasks/machine_task.ts";
import type { TriggerContext, TriggerDefinition } from "./trigger_definition.ts";

/** The poll of such a trigger, whose working directory is its own. */
interface MachineTriggerContext extends TriggerContext, Machine {}

interface MachineTriggerDefinition extends TriggerDefinition {
  poll(context: MachineTriggerContext): Promise<JsonObject | undefined>;
}

/** Declares such a trigger; returns it unchanged. */
export function defineMachineTrigger(definition: MachineTriggerDefinition): TriggerDefinition {
  return definition;
}
