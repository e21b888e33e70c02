/** `kestra.executions.Query`, `Count`, `Resume`, `Kill` and `Delete`. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { dynamicFlag, dynamicProperty, dynamicText, type PropertySchema } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { FETCH_TYPE, fetchedRows, ROWS_OUTPUTS } from "../fetched_rows.ts";
import { callApi, callForJson, CONNECTION, pagesOf } from "./client.ts";

type Query = [name: string, value: JsonValue | undefined][];

const EXECUTION_ID: PropertySchema = dynamicText("Id of the execution.", { required: true });
const STATES = dynamicProperty("list", "States of the executions.", {
  items: { type: "string", description: "A state." },
});

function joined(value: JsonValue | undefined): string | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String).join(",") : undefined;
}

/** Outputs: `rows`, `row` or `uri`, and `size`. */
export const executionsQuery = defineTask({
  type: "kestra.executions.Query",
  title: "Find executions by the API",
  description: "Reads the executions of a server that filters select.",
  properties: {
    ...CONNECTION,
    page: dynamicProperty("integer", "Page to read, from 1; default is all pages.", { minimum: 1 }),
    size: dynamicProperty("integer", "Executions of a page.", { default: 10, minimum: 1, maximum: 1000 }),
    fetchType: { ...FETCH_TYPE, default: "STORE" },
    flowScopes: dynamicProperty("list", "Scopes of the flows: `USER` or `SYSTEM`.", {
      items: { type: "string", description: "A scope." },
    }),
    namespace: dynamicText("Namespace of the flows, with those below it."),
    flowId: dynamicText("Id of the flow."),
    startDate: dynamicText("Earliest start."),
    endDate: dynamicText("Latest end."),
    timeRange: dynamicProperty("duration", "Time before now in which executions began."),
    states: STATES,
    labels: dynamicProperty("map", "Labels of the executions."),
    triggerExecutionId: dynamicText("Id of the execution that started them."),
    childFilter: dynamicProperty("string", "Whether they were started by other executions; default is all.", {
      values: ["CHILD", "MAIN"],
    }),
  },
  outputs: ROWS_OUTPUTS,
  examples: [{
    title: "Find the failed executions of a day",
    yaml: `id: query
type: io.svc.plugin.kestra.executions.Query
kestraUrl: https://flows.example.com
auth:
  apiToken: "{{ secret('API_TOKEN') }}"
namespace: company.team
states: [FAILED]
timeRange: P1D
fetchType: FETCH`,
  }],
  async run(context) {
    const { properties } = context;
    const page = optionalText(properties.page);
    const executions = pagesOf(context, {
      path: "/executions/search",
      query: executionFilters(properties),
      operation: "find executions",
    }, { page: page === undefined ? undefined : Number(page), size: Number(properties.size) });
    return await fetchedRows(context, executions as AsyncGenerator<JsonObject>, String(properties.fetchType));
  },
});

function executionFilters(properties: JsonObject): Query {
  const { labels, namespace, flowId, startDate, endDate, timeRange, triggerExecutionId } = properties;
  return [
    ["filters[scope][EQUALS]", joined(properties.flowScopes)],
    ["filters[namespace][PREFIX]", namespace],
    ["filters[flowId][EQUALS]", flowId],
    ["filters[startDate][GREATER_THAN_OR_EQUAL_TO]", startDate],
    ["filters[endDate][LESS_THAN_OR_EQUAL_TO]", endDate],
    ["filters[timeRange][EQUALS]", timeRange],
    ["filters[state][IN]", joined(properties.states)],
    ["filters[triggerExecutionId][EQUALS]", triggerExecutionId],
    ["filters[childFilter][EQUALS]", properties.childFilter],
    ...Object.entries(isJsonObject(labels) ? labels : {}).map(([name, value]): Query[number] => [
      `filters[labels][EQUALS][${name}]`,
      value,
    ]),
  ];
}

/** Output: `count`. */
export const executionsCount = defineTask({
  type: "kestra.executions.Count",
  title: "Count executions by the API",
  description: "Counts the executions of a server that filters select.",
  properties: {
    ...CONNECTION,
    namespaces: dynamicProperty("list", "Namespaces of the flows.", {
      items: { type: "string", description: "A namespace." },
    }),
    flowId: dynamicText("Id of the flow."),
    states: STATES,
    startDate: dynamicText("Earliest start."),
    endDate: dynamicText("Latest end."),
  },
  outputs: { count: { type: "integer", description: "Number of executions." } },
  async run(context) {
    const { namespaces, flowId, states, startDate, endDate } = context.properties;
    const body = await callForJson(context, {
      path: "/executions/search",
      query: [
        ["filters[namespace][IN]", joined(namespaces)],
        ...executionFilters({
          flowId: flowId ?? null,
          states: states ?? null,
          startDate: startDate ?? null,
          endDate: endDate ?? null,
        }),
        ["size", 1],
      ],
      operation: "count executions",
    });
    return { count: isJsonObject(body) ? Number(body.total ?? 0) : 0 };
  },
});

function pathOf({ properties }: TaskContext): string {
  return `/executions/${encodeURIComponent(String(properties.executionId))}`;
}

/** It has no outputs. */
export const executionsResume = defineTask({
  type: "kestra.executions.Resume",
  title: "Resume an execution by the API",
  description: "Resumes an execution that is paused.",
  properties: {
    ...CONNECTION,
    executionId: EXECUTION_ID,
    inputs: dynamicProperty("map", "Inputs of the pause."),
  },
  async run(context) {
    const { inputs, executionId } = context.properties;
    const form = new FormData();
    for (const [name, value] of Object.entries(isJsonObject(inputs) ? inputs : {})) {
      form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
    }
    const encoded = new Response(form);
    await callApi(context, {
      path: `${pathOf(context)}/resume`,
      method: "POST",
      headers: { "Content-Type": encoded.headers.get("content-type") ?? "" },
      body: await encoded.bytes(),
      operation: `resume the execution "${executionId}"`,
    });
  },
});

/** It has no outputs. */
export const executionsKill = defineTask({
  type: "kestra.executions.Kill",
  title: "Kill an execution by the API",
  description: "Kills an execution.",
  properties: {
    ...CONNECTION,
    executionId: EXECUTION_ID,
    propagateKill: dynamicFlag(true, "Whether executions that it started are killed, too."),
  },
  async run(context) {
    const { propagateKill, executionId } = context.properties;
    await callApi(context, {
      path: `${pathOf(context)}/kill`,
      method: "DELETE",
      query: [["isOnKillCascade", propagateKill]],
      isRepeatable: false,
      operation: `kill the execution "${executionId}"`,
    });
  },
});

/** It has no outputs. */
export const executionsDelete = defineTask({
  type: "kestra.executions.Delete",
  title: "Delete an execution by the API",
  description: "Deletes an execution that has ended.",
  properties: {
    ...CONNECTION,
    executionId: EXECUTION_ID,
    deleteLogs: dynamicFlag(true, "Whether its log lines are deleted."),
    deleteMetrics: dynamicFlag(true, "Whether its metrics are deleted."),
    deleteStorage: dynamicFlag(true, "Whether its files are deleted."),
  },
  async run(context) {
    const { deleteLogs, deleteMetrics, deleteStorage, executionId } = context.properties;
    await callApi(context, {
      path: pathOf(context),
      method: "DELETE",
      query: [["deleteLogs", deleteLogs], ["deleteMetrics", deleteMetrics], ["deleteStorage", deleteStorage]],
      // A second request would be refused: it does not exist.
      isRepeatable: false,
      operation: `delete the execution "${executionId}"`,
    });
  },
});
