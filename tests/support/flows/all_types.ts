/** The built-in types as if each of them were carried out already, for tests of schemas and documentation. */
import type { SchemaSources } from "../../../src/flow/json_schema/json_schema.ts";
import type { TaskType } from "../../../src/model/tasks/task_catalog.ts";
import type { ConditionType, TriggerType } from "../../../src/model/triggers/trigger_catalog.ts";
import { createTaskCatalog } from "../../../src/tasks/registry.ts";
import { createTriggerCatalog } from "../../../src/triggers/registry.ts";
import "./all_integrations.ts";

/** The types that work. */
export function builtInTypes(): SchemaSources {
  return { tasks: createTaskCatalog(), triggers: createTriggerCatalog() };
}

/** All declared types, planned ones included. */
export function declaredTypes(): SchemaSources {
  const { tasks, triggers } = builtInTypes();
  const asTrigger = (type: TriggerType): TriggerType => ({
    ...type,
    form: "polling",
    poll: () => Promise.resolve(undefined),
  });
  const asCondition = (type: ConditionType): ConditionType => ({
    ...type,
    form: "condition",
    test: () => true,
  });
  return {
    tasks: {
      ...tasks,
      find: (kind) => mapped(tasks.find(kind), asFlowable),
      list: () => tasks.list().map(asFlowable),
    },
    triggers: {
      ...triggers,
      find: (kind) => mapped(triggers.find(kind), asTrigger),
      list: () => triggers.list().map(asTrigger),
      findCondition: (kind) => mapped(triggers.findCondition(kind), asCondition),
      listConditions: () => triggers.listConditions().map(asCondition),
    },
  };
}

function asFlowable(type: TaskType): TaskType {
  return type.form === "planned" ? { ...type, form: "flowable" } : type;
}

function mapped<T>(value: T | undefined, map: (value: T) => T): T | undefined {
  return value === undefined ? undefined : map(value);
}
