/** `kestra.triggers.Toggle` and `ScheduleMonitor`, and `kestra.namespaces.NamespacesWithFlows`. */
import { systemClock } from "../../base/time/clock.ts";
import { readDuration } from "../../base/time/duration.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText } from "../../model/tasks/task_definition.ts";
import { defineTrigger } from "../../model/triggers/trigger_definition.ts";
import { callApi, callForJson, CONNECTION, pagesOf } from "./client.ts";

const PAGE_SIZE = 100;

/** Of several triggers all are switched. */
export const triggersToggle = defineTask({
  type: "kestra.triggers.Toggle",
  title: "Enable or disable triggers by the API",
  description: "Enables or disables the triggers that are selected.",
  properties: {
    ...CONNECTION,
    namespace: dynamicText("Namespace of the triggers; default is the one of the execution."),
    flowId: dynamicText("Flow of the triggers; default is all of the namespace."),
    trigger: dynamicText("Id of the trigger; default is all."),
    enabled: dynamicFlag(false, "Whether they are enabled."),
  },
  async run(context) {
    const { namespace, flowId, trigger, enabled } = context.properties;
    await callApi(context, {
      path: "/triggers/set-disabled/by-query",
      method: "POST",
      query: [
        ["filters[namespace][EQUALS]", optionalText(namespace) ?? context.attempt.namespace],
        ["filters[flowId][EQUALS]", flowId],
        ["filters[triggerId][EQUALS]", trigger],
        ["disabled", enabled === true ? "false" : "true"],
      ],
      operation: enabled === true ? "enable triggers" : "disable triggers",
      isRepeatable: true,
    });
  },
});

/** Output: `namespaces`. */
export const namespacesWithFlows = defineTask({
  type: "kestra.namespaces.NamespacesWithFlows",
  title: "List namespaces with flows by the API",
  description: "Lists the namespaces that have flows.",
  properties: { ...CONNECTION, prefix: dynamicText("Beginning of the names.") },
  outputs: {
    namespaces: {
      type: "list",
      description: "Names of the namespaces.",
      items: { type: "string", description: "A name." },
    },
  },
  async run(context) {
    const prefix = optionalText(context.properties.prefix) ?? "";
    const names = await callForJson(context, {
      path: "/flows/distinct-namespaces",
      query: [["q", prefix]],
      operation: "list namespaces",
    });
    const namespaces = Array.isArray(names) ? names.map(String) : [];
    return { namespaces: namespaces.filter((name) => name.startsWith(prefix)) };
  },
});

/** Output: `data`. */
export const scheduleMonitor = defineTrigger({
  type: "kestra.triggers.ScheduleMonitor",
  title: "Start when schedules do not fire",
  description:
    "Looks for schedules that are late, have no next date or have not fired for long, and starts an execution if there are any.",
  properties: {
    ...CONNECTION,
    namespace: dynamicText("Namespace of the schedules, with those below it; default is all."),
    flowId: dynamicText("Flow of the schedules; default is all."),
    includeDisabled: dynamicFlag(false, "Whether disabled schedules are reported, too."),
    allowedDelay: dynamicProperty("duration", "Delay after which a schedule is late.", { default: "PT1M" }),
    maxExecutionInterval: dynamicProperty("duration", "Longest time since the last date of a schedule."),
  },
  outputs: {
    data: {
      type: "list",
      description:
        "The schedules: `namespace`, `flowId`, `triggerId`, `lastExecution` and `expectedNext` of each.",
      items: { type: "map", description: "A schedule." },
    },
  },
  examples: [{
    title: "Watch all schedules",
    yaml: `id: watch
type: io.svc.plugin.kestra.triggers.ScheduleMonitor
interval: PT5M
kestraUrl: https://flows.example.com
auth:
  apiToken: "{{ secret('API_TOKEN') }}"
maxExecutionInterval: P1D`,
  }],
  async poll(context) {
    const { namespace, flowId } = context.properties;
    const listed = pagesOf(context, {
      path: "/triggers/search",
      query: [["filters[namespace][STARTS_WITH]", namespace], ["filters[flowId][EQUALS]", flowId]],
      operation: "list triggers",
    }, { size: PAGE_SIZE });
    const data: JsonObject[] = [];
    for await (const entry of listed) {
      const { definition, state } = partsOf(entry);
      const isSchedule = String(definition.type).endsWith(".trigger.Schedule");
      if (isSchedule && isConspicuous(definition, state, context.properties)) data.push(rowOf(state));
    }
    return data.length === 0 ? undefined : { data };
  },
});

/** Older servers call them `abstractTrigger` and `triggerContext`. */
function partsOf(entry: JsonValue): { readonly definition: JsonObject; readonly state: JsonObject } {
  const { trigger, abstractTrigger, state, triggerContext } = isJsonObject(entry) ? entry : {};
  const definition = trigger ?? abstractTrigger, found = state ?? triggerContext;
  return { definition: isJsonObject(definition) ? definition : {}, state: isJsonObject(found) ? found : {} };
}

function isConspicuous(definition: JsonObject, state: JsonObject, properties: JsonObject): boolean {
  const { includeDisabled, allowedDelay, maxExecutionInterval } = properties;
  if (definition.disabled === true || state.disabled === true) return includeDisabled === true;
  if (isJsonObject(state.backfill)) return false;
  const now = systemClock.now();
  const { last, next } = datesOf(state);
  const longest = readDuration(maxExecutionInterval);
  if (longest !== undefined && last !== undefined && now - Date.parse(last) > longest) return true;
  return next === undefined || now > Date.parse(next) + (readDuration(allowedDelay) ?? 0);
}

function datesOf(state: JsonObject) {
  return {
    last: optionalText(state.evaluatedAt ?? state.date),
    next: optionalText(state.nextEvaluationDate ?? state.nextExecutionDate),
  };
}

function rowOf(state: JsonObject): JsonObject {
  const { last = null, next = null } = datesOf(state);
  const { namespace = null, flowId = null, triggerId = null } = state;
  return { namespace, flowId, triggerId, lastExecution: last, expectedNext: next };
}
