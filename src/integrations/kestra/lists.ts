/** `kestra.flows.List`, `Export` and `ExportById`, `kestra.namespaces.List` and `kestra.logs.Fetch`. */
import { isJsonObject, type JsonObject, type JsonValue, objectsOf } from "../../base/json.ts";
import { dynamicChoice, dynamicFlag, dynamicProperty, dynamicText } from "../../model/flows/schema.ts";
import { defineTask, optionalText, type TaskContext } from "../../model/tasks/task_definition.ts";
import { rowLines, writePieces } from "../row_files.ts";
import { callApi, callForJson, CONNECTION, pagesOf } from "./client.ts";

const ZIP = { flowsZip: { type: "string", description: "Storage URI of a zip of the flows." } } as const;

/** Output: `flows`. */
export const flowsList = defineTask({
  type: "kestra.flows.List",
  title: "List flows by the API",
  description: "Lists the flows of a namespace.",
  properties: {
    ...CONNECTION,
    namespace: dynamicText("The namespace; default is the one of the execution."),
  },
  outputs: {
    flows: { type: "list", description: "The flows.", items: { type: "map", description: "A flow." } },
  },
  async run(context) {
    const namespace = optionalText(context.properties.namespace) ?? context.attempt.namespace;
    const flows = await callForJson(context, {
      path: `/flows/${encodeURIComponent(namespace)}`,
      operation: `list the flows of "${namespace}"`,
    });
    return { flows: objectsOf(flows) };
  },
});

/** Output: `flowsZip`. */
export const flowsExport = defineTask({
  type: "kestra.flows.Export",
  title: "Export flows by the API",
  description: "Stores the flows that filters select as a zip.",
  properties: {
    ...CONNECTION,
    namespace: dynamicText("Namespace of the flows."),
    labels: dynamicProperty("list", "Labels of the flows, each as `name:value`.", {
      items: { type: "string", description: "A label." },
    }),
  },
  outputs: ZIP,
  async run(context) {
    const { namespace, labels } = context.properties;
    const pairs = Array.isArray(labels) ? labels.map((label) => String(label).split(":", 2)) : [];
    const { path } = await callApi(context, {
      path: "/flows/export/by-query",
      query: [
        ["filters[namespace][EQUALS]", namespace],
        ...pairs.map(([name = "", value = ""]) => [`filters[labels][EQUALS][${name}]`, value] as const),
      ],
      saveTo: "flows.zip",
      operation: "export flows",
    });
    return { flowsZip: await context.storeFile(String(path)) };
  },
});

/** Output: `flowsZip`. */
export const flowsExportById = defineTask({
  type: "kestra.flows.ExportById",
  title: "Export flows by the API, by their ids",
  description: "Stores flows as a zip.",
  properties: {
    ...CONNECTION,
    flows: dynamicProperty("list", "The flows.", {
      required: true,
      items: dynamicProperty("object", "A flow.", {
        properties: {
          namespace: dynamicText("Namespace of the flow.", { required: true }),
          id: dynamicText("Id of the flow.", { required: true }),
        },
      }),
    }),
  },
  outputs: ZIP,
  examples: [{
    title: "Export a flow",
    yaml: `id: export
type: io.svc.plugin.kestra.flows.ExportById
kestraUrl: https://flows.example.com
auth:
  apiToken: "{{ secret('API_TOKEN') }}"
flows:
  - namespace: company.team
    id: hello`,
  }],
  async run(context) {
    const { path } = await callApi(context, {
      path: "/flows/export/by-ids",
      method: "POST",
      json: objectsOf(context.properties.flows).map(({ namespace, id }) => ({ namespace, id })),
      saveTo: "flows.zip",
      operation: "export flows",
      isRepeatable: true,
    });
    return { flowsZip: await context.storeFile(String(path)) };
  },
});

/** Output: `namespaces`. */
export const namespacesList = defineTask({
  type: "kestra.namespaces.List",
  title: "List namespaces by the API",
  description: "Lists the namespaces of a server.",
  properties: {
    ...CONNECTION,
    prefix: dynamicText("Beginning of the names."),
    page: dynamicProperty("integer", "Page to read, from 1; default is all pages.", { minimum: 1 }),
    size: dynamicProperty("integer", "Namespaces of a page.", { default: 10, minimum: 1, maximum: 1000 }),
    existingOnly: dynamicFlag(
      false,
      "Whether only namespaces that were created are listed, not those of flows alone.",
    ),
  },
  outputs: {
    namespaces: {
      type: "list",
      description: "Names of the namespaces.",
      items: { type: "string", description: "A name." },
    },
  },
  async run(context) {
    const { prefix, page, size, existingOnly } = context.properties;
    const namespaces: string[] = [];
    const found = pagesOf(context, {
      path: "/namespaces/search",
      query: [["q", prefix], ["existing", existingOnly === true ? "true" : undefined]],
      operation: "list namespaces",
    }, { page: optionalText(page) === undefined ? undefined : Number(page), size: Number(size) });
    for await (const each of found) {
      const id = isJsonObject(each) ? String(each.id) : "";
      if (id.startsWith(optionalText(prefix) ?? "")) namespaces.push(id);
    }
    return { namespaces };
  },
});

/** Outputs: `uri` and `size`. */
export const logsFetch = defineTask({
  type: "kestra.logs.Fetch",
  title: "Read log lines by the API",
  description: "Stores the log lines of an execution as Ion.",
  properties: {
    ...CONNECTION,
    executionId: dynamicText("Id of the execution; default is the own one."),
    namespace: dynamicText("Has no effect: the id names the execution.", { ignored: true }),
    flowId: dynamicText("Has no effect: the id names the execution.", { ignored: true }),
    tasksId: dynamicProperty("list", "Ids of the tasks; default is all.", {
      items: { type: "string", description: "Id of a task." },
    }),
    level: dynamicChoice(["TRACE", "DEBUG", "INFO", "WARN", "ERROR"], "INFO", "Lowest level of the lines."),
  },
  outputs: {
    uri: { type: "string", description: "Storage URI of the lines." },
    size: { type: "integer", description: "Number of lines." },
  },
  async run(context) {
    const lines = await logLines(context);
    const path = `${await context.directory()}/logs.ion`;
    await writePieces(path, rowLines(lines), context.signal);
    return { uri: await context.storeFile(path), size: lines.length };
  },
});

async function logLines(context: TaskContext): Promise<JsonObject[]> {
  const { executionId, tasksId, level } = context.properties;
  const id = optionalText(executionId) ?? context.attempt.executionId;
  const tasks: readonly (JsonValue | undefined)[] = Array.isArray(tasksId) && tasksId.length > 0
    ? tasksId
    : [undefined];
  const lines: JsonObject[] = [];
  for (const taskId of tasks) {
    const found = await callForJson(context, {
      path: `/logs/${encodeURIComponent(id)}`,
      query: [["minLevel", level], ["taskId", taskId]],
      operation: `read the log of the execution "${id}"`,
    });
    lines.push(...objectsOf(found));
  }
  return lines;
}
