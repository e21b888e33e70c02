/** The interface of polling triggers that are declared with `defineTrigger`: those of `src/integrations/`. */
import type { JsonObject } from "../../base/json.ts";
import type { TriggerKey } from "../flows/flow.ts";
import type { PropertySchemas } from "../flows/schema.ts";
import type { TypeExample } from "../flows/type_declaration.ts";
import type { WorkContext } from "../tasks/task_definition.ts";

/** Small data that polls of a trigger keep, such as the position of the last record; at most 16 KiB as JSON. */
interface TriggerMemory {
  /** What was set last; `undefined` at first and after a reset of the trigger. */
  get(): JsonObject | undefined;
  /** Replaces it. Durable together with the evaluation of the poll; nothing is kept if the poll fails. @throws Error it is too large */
  set(state: JsonObject): void;
}

/**
 * What a poll reads, and the only ways by which it affects anything outside itself. Log lines and stored files belong to the
 * execution that the poll starts, and are discarded if it starts none.
 */
export interface TriggerContext extends WorkContext {
  readonly trigger: TriggerKey & { readonly tenant: string };
  readonly state: TriggerMemory;
}

/** A polling trigger. */
export interface TriggerDefinition {
  /** Canonical name, for example `jdbc.postgresql.Trigger`. */
  readonly type: string;
  /** Further names. */
  readonly aliases?: readonly string[];
  readonly title?: string;
  /** One or two sentences, Markdown. */
  readonly description: string;
  /** Expressions are allowed in all properties but those with `dynamic: false`. Each type has `interval` in addition. */
  readonly properties: PropertySchemas;
  /** What expressions read as `trigger.<name>`. */
  readonly outputs?: PropertySchemas;
  readonly examples?: readonly TypeExample[];
  /** Polls once. Outputs start an execution, `undefined` does not. A thrown error is the reason of the evaluation. */
  poll(context: TriggerContext): Promise<JsonObject | undefined>;
}

/** Declares a polling trigger; returns it unchanged. */
export function defineTrigger(definition: TriggerDefinition): TriggerDefinition {
  return definition;
}
