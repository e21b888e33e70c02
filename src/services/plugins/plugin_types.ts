/** All implemented types of tasks, triggers, conditions, task runners and parts. */
import {
  allNames,
  CONDITION_PROPERTIES,
  PART_PROPERTIES,
  RUNNER_PROPERTIES,
  type SchemaSources,
  shownName,
  working,
} from "../../flow/json_schema/json_schema.ts";
import { TASK_PROPERTIES, TRIGGER_PROPERTIES } from "../../flow/schema/flow_schema.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { TypeDeclaration } from "../../model/flows/type_declaration.ts";

/** The kinds of types, named as in lists of plugins. */
export type PluginKind = "tasks" | "triggers" | "conditions" | "taskRunners" | "additionalPlugins";

/** A type with derived names and the properties of its kind. */
export interface PluginType {
  readonly kind: PluginKind;
  readonly declaration: TypeDeclaration;
  /** The name that documentation uses, with its prefix. */
  readonly cls: string;
  /** Last part of the name. */
  readonly name: string;
  /** Package without prefix, for example `core.log`. */
  readonly group: string;
  readonly isFlowable: boolean;
  /** Properties of all types of the kind. */
  readonly common: PropertySchemas;
}

/** All types, in alphabetical order within each kind. */
export function listPluginTypes({ tasks, triggers }: SchemaSources): PluginType[] {
  return [
    ...working(tasks.list()).map((type) => pluginType(type, "tasks", TASK_PROPERTIES)),
    ...working(triggers.list()).map((type) => pluginType(type, "triggers", TRIGGER_PROPERTIES)),
    ...working(triggers.listConditions()).map((type) => pluginType(type, "conditions", CONDITION_PROPERTIES)),
    ...tasks.runners.list().map((type) => pluginType(type, "taskRunners", RUNNER_PROPERTIES)),
    ...working(tasks.parts.list()).map((type) => pluginType(type, "additionalPlugins", PART_PROPERTIES)),
  ];
}

/** Types by all of their names. */
export function byAllNames(types: readonly PluginType[]): ReadonlyMap<string, PluginType> {
  return new Map(types.flatMap((type) => allNames(type.declaration).map((name) => [name, type] as const)));
}

function pluginType(
  declaration: TypeDeclaration & { readonly form: string },
  kind: PluginKind,
  common: PropertySchemas,
): PluginType {
  const { type, form } = declaration;
  const dot = type.lastIndexOf(".");
  return {
    kind,
    declaration,
    cls: shownName(declaration),
    name: type.slice(dot + 1),
    group: type.slice(0, dot),
    isFlowable: form === "flowable",
    common,
  };
}
