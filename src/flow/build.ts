/** Valid document → the typed view that the rest of the server works with. */
import { isJsonObject, type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import type { Flow, Input, LogLevel, Output, Task, TenantId, Trigger } from "../model/flow.ts";
import type { TaskCatalog } from "../model/task_catalog.ts";
import { readFlag, scalarText } from "./describe.ts";
import { taskKind, triggerKind } from "./kinds.ts";
import { readLabels } from "./labels.ts";

/** What the store gives to a flow, and the text it was parsed from. */
export interface FlowIdentity {
  readonly tenant: TenantId;
  readonly revision: number;
  readonly flowNo: number;
  readonly deleted: boolean;
  readonly source: string;
}

/** The typed view; the document must be valid. With a catalog, aliases of task types are resolved. */
export function buildFlow(document: JsonObject, identity: FlowIdentity, catalog?: TaskCatalog): Flow {
  const tasksOf = (name: string) =>
    objectsOf(ownProperty(document, name)).map((task) => buildTask(task, catalog));
  const variables = ownProperty(document, "variables");
  return {
    ...identity,
    namespace: scalarText(ownProperty(document, "namespace")) ?? "",
    id: scalarText(ownProperty(document, "id")) ?? "",
    disabled: readFlag(ownProperty(document, "disabled"), false),
    labels: readLabels(ownProperty(document, "labels")),
    inputs: buildInputs(ownProperty(document, "inputs")),
    outputs: objectsOf(ownProperty(document, "outputs")).map(buildOutput),
    variables: isJsonObject(variables) ? variables : {},
    tasks: tasksOf("tasks"),
    errors: tasksOf("errors"),
    finally: tasksOf("finally"),
    triggers: objectsOf(ownProperty(document, "triggers")).map(buildTrigger),
    definition: document,
  };
}

/** One task of a valid document. */
export function buildTask(properties: JsonObject, catalog?: TaskCatalog): Task {
  const type = textOf(properties, "type") ?? "";
  return {
    id: textOf(properties, "id") ?? "",
    type,
    kind: taskKind(type, catalog),
    properties,
    disabled: readFlag(ownProperty(properties, "disabled"), false),
    allowFailure: readFlag(ownProperty(properties, "allowFailure"), false),
    allowWarning: readFlag(ownProperty(properties, "allowWarning"), false),
    runIf: textOf(properties, "runIf"),
    logLevel: textOf(properties, "logLevel") as LogLevel | undefined,
    timeout: textOf(properties, "timeout"),
  };
}

/** Inputs of a valid list of declarations. */
export function buildInputs(list: JsonValue | undefined): Input[] {
  return objectsOf(list).map((properties) => ({
    id: textOf(properties, "id") ?? textOf(properties, "name") ?? "",
    type: textOf(properties, "type") ?? "",
    required: readFlag(ownProperty(properties, "required"), true),
    defaults: ownProperty(properties, "defaults") ?? undefined,
    properties,
  }));
}

function buildOutput(properties: JsonObject): Output {
  return {
    id: textOf(properties, "id") ?? "",
    type: textOf(properties, "type"),
    value: ownProperty(properties, "value") ?? null,
    required: readFlag(ownProperty(properties, "required"), true),
  };
}

function buildTrigger(properties: JsonObject): Trigger {
  const type = textOf(properties, "type") ?? "";
  return {
    id: textOf(properties, "id") ?? "",
    type,
    kind: triggerKind(type),
    disabled: readFlag(ownProperty(properties, "disabled"), false),
    properties,
  };
}

function textOf(properties: JsonObject, name: string): string | undefined {
  return scalarText(ownProperty(properties, name));
}

function objectsOf(list: JsonValue | undefined): JsonObject[] {
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
