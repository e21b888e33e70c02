/** Valid document → typed flow. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { canonicalType } from "../../model/flows/flow.ts";
import { OLDER_WEBHOOK_KINDS } from "../../model/triggers/webhook_kinds.ts";
import type { Flow, Input, Task, TenantId, Trigger } from "../../model/flows/flow.ts";
import type { InheritedDefaults } from "../../model/flows/inherited_defaults.ts";
import {
  buildConcurrency,
  buildOutputs,
  buildRetry,
  buildSlas,
  buildTasks,
  buildWorkerGroup,
} from "./build_tasks.ts";
import { flagOf, textOf } from "../schema/describe.ts";
import { flattenForms, inputIdOf } from "../inputs/form.ts";
import { readLabels } from "../../model/flows/label.ts";
import { applyPluginDefaults, type TypeCatalogs } from "../schema/plugin_defaults.ts";

/** What the store adds to a flow, its source, and what it inherits. */
interface FlowIdentity {
  readonly tenant: TenantId;
  readonly revision: number;
  readonly flowNo: number;
  readonly deleted: boolean;
  readonly source: string;
  readonly inherited?: InheritedDefaults;
}

/** The typed flow of a valid document, with its plugin defaults and the inherited ones applied. Aliases of types are resolved only with catalogs. */
export function buildFlow(document: JsonObject, identity: FlowIdentity, catalogs: TypeCatalogs = {}): Flow {
  const applied = applyPluginDefaults(document, catalogs, identity.inherited?.pluginDefaults);
  const tasksOf = (name: string) => buildTasks(ownProperty(applied, name), catalogs.tasks);
  const variables = ownProperty(document, "variables");
  return {
    ...identity,
    namespace: textOf(document, "namespace") ?? "",
    id: textOf(document, "id") ?? "",
    disabled: flagOf(document, "disabled", false),
    labels: readLabels(ownProperty(document, "labels")),
    inputs: buildInputs(ownProperty(document, "inputs")),
    outputs: buildOutputs(ownProperty(document, "outputs")),
    variables: isJsonObject(variables) ? variables : {},
    tasks: tasksOf("tasks"),
    errors: tasksOf("errors"),
    finally: tasksOf("finally"),
    afterExecution: [...listenerTasks(applied, catalogs), ...tasksOf("afterExecution")],
    retry: buildRetry(ownProperty(document, "retry")),
    concurrency: buildConcurrency(ownProperty(document, "concurrency")),
    workerGroup: buildWorkerGroup(ownProperty(document, "workerGroup")),
    sla: buildSlas(ownProperty(document, "sla")),
    triggers: objectsOf(ownProperty(applied, "triggers")).map(buildTrigger),
    definition: document,
  };
}

/**
 * Tasks of the deprecated `listeners`: they run as tasks of `afterExecution`, before the others. The conditions of a
 * listener decide when its first task begins.
 */
function listenerTasks(document: JsonObject, { tasks }: TypeCatalogs): Task[] {
  return objectsOf(ownProperty(document, "listeners")).flatMap((declared, listener) => {
    const conditions = objectsOf(ownProperty(declared, "conditions"));
    const built = buildTasks(ownProperty(declared, "tasks"), tasks);
    const first = conditions.length === 0 ? undefined : built.find(({ disabled }) => !disabled);
    return built.map((task) => task === first ? { ...task, listener, conditions } : { ...task, listener });
  });
}

/** Inputs of a valid list of declarations; those of a FORM have its id and a dot before theirs. */
export function buildInputs(list: JsonValue | undefined): Input[] {
  return flattenForms(list).map((properties) => ({
    id: inputIdOf(properties),
    type: textOf(properties, "type") ?? "",
    required: flagOf(properties, "required", true),
    defaults: ownProperty(properties, "defaults") ?? undefined,
    properties,
  }));
}

function buildTrigger(properties: JsonObject): Trigger {
  const type = textOf(properties, "type") ?? "", name = canonicalType(type);
  return {
    id: textOf(properties, "id") ?? "",
    type,
    kind: OLDER_WEBHOOK_KINDS.get(name) ?? name,
    disabled: flagOf(properties, "disabled", false),
    properties,
  };
}
