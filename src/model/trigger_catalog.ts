/** What trigger types and condition types are. The types themselves are in `triggers/`. */
import type { TypeDeclaration } from "./type_declaration.ts";

/** A trigger type. */
export interface TriggerType extends TypeDeclaration {
  /** `planned`: can be declared and starts nothing yet; a flow with it is refused when it is saved. */
  readonly form: "webhook" | "schedule" | "flow" | "polling" | "planned";
}

/** A condition of a trigger. */
export interface ConditionType extends TypeDeclaration {
  readonly form: "condition" | "planned";
}

/** All trigger and condition types, by canonical name and by alias, both without prefix. */
export interface TriggerCatalog {
  /** The trigger type of that name. */
  find(kind: string): TriggerType | undefined;
  /** In alphabetical order of the canonical names. */
  list(): readonly TriggerType[];
  /** The condition type of that name. */
  findCondition(kind: string): ConditionType | undefined;
  /** In alphabetical order of the canonical names. */
  listConditions(): readonly ConditionType[];
}
