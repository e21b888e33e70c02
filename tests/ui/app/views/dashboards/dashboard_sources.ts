/** Dashboards of stories, and the executions that they show. */
import type { ServerProcess } from "../../../../support/processes/server_process.ts";
import { runFlow, saveFlow } from "../../flows.ts";

const CHART = "io.svc.plugin.core.dashboard.chart.";
const DATA = "io.svc.plugin.core.dashboard.data.";
const EXECUTIONS = ["sales.eu/good", "sales.eu/good", "sales.eu/good", "sales.eu/bad", "sales.us/good"];

/** A chart: one line of YAML in the list of charts. */
export function chart(id: string, kind: string, rest: string): string {
  return `  - {id: ${id}, type: ${CHART}${kind}, ${rest}}\n`;
}

/** The data of a chart. */
export function data(kind: string, rest: string): string {
  return `data: {type: ${DATA}${kind}, ${rest}}`;
}

/** Number of executions. */
export const COUNT = chart(
  "count",
  "KPI",
  `chartOptions: {displayName: All}, ${data("ExecutionsKPI", "columns: {agg: COUNT}")}`,
);

/** A dashboard; the charts are those of {@link chart}. */
export function source(id: string, charts: string, title = `Title of ${id}`): string {
  return `id: ${id}\ntitle: ${
    JSON.stringify(title)
  }\ntimeWindow: {default: PT24H, max: P7D}\ncharts:\n${charts}`;
}

/** A chart of each kind. */
export const EACH_KIND = [
  chart("text", "Markdown", 'chartOptions: {displayName: Notes}, content: "Some **bold** text"'),
  chart(
    "about",
    "Markdown",
    "chartOptions: {displayName: About}, source: {type: FlowDescription, namespace: sales.eu, flowId: good}",
  ),
  chart(
    "rate",
    "KPI",
    `chartOptions: {displayName: Rate, numberType: PERCENTAGE}, ${
      data("ExecutionsKPI", "columns: {agg: COUNT}, numerator: [{field: STATE, type: IN, values: [SUCCESS]}]")
    }`,
  ),
  chart(
    "failed",
    "KPI",
    `chartOptions: {displayName: Failures}, ${
      data("ExecutionsKPI", "columns: {agg: COUNT}, where: [{field: STATE, type: EQUAL_TO, value: FAILED}]")
    }`,
  ),
  chart(
    "time",
    "TimeSeries",
    `chartOptions: {displayName: Over time, column: date, colorByColumn: state}, ${
      data(
        "Executions",
        "columns: {date: {field: START_DATE, displayName: Date}, state: {field: STATE}, total: {agg: COUNT}, " +
          "duration: {field: DURATION, displayName: Duration, agg: SUM, graphStyle: LINES}}",
      )
    }`,
  ),
  chart(
    "states",
    "Pie",
    `chartOptions: {displayName: States}, ${
      data("Executions", "columns: {state: {field: STATE}, total: {agg: COUNT}}")
    }`,
  ),
  chart(
    "namespaces",
    "Bar",
    `chartOptions: {displayName: Namespaces, column: ns, colorByColumn: state}, ${
      data("Executions", "columns: {ns: {field: NAMESPACE}, state: {field: STATE}, total: {agg: COUNT}}")
    }`,
  ),
  chart(
    "list",
    "Table",
    `chartOptions: {displayName: Latest}, ${
      data(
        "Executions",
        "columns: {id: {field: ID, displayName: Execution}, state: {field: STATE, displayName: State}, " +
          "start: {field: START_DATE, displayName: Start}, duration: {field: DURATION, displayName: Duration}}",
      )
    }`,
  ),
  chart(
    "lines",
    "Table",
    `chartOptions: {displayName: Lines}, ${
      data(
        "Logs",
        "columns: {message: {field: MESSAGE, displayName: Message}, level: {field: LEVEL, displayName: Level}}",
      )
    }`,
  ),
].join("");

/** Runs five executions in two namespaces; one fails. Each writes three log lines. */
export async function runSales(server: ServerProcess): Promise<void> {
  const bold = (text: string) => `"\\e[1m${text}\\e[0m"`;
  const lines = [1, 2, 3]
    .map((n) => `{id: log${n}, type: io.svc.plugin.core.log.Log, message: ${bold(`line ${n}`)}}`)
    .join(", ");
  const fail = ", {id: fail, type: io.svc.plugin.core.execution.Fail}";
  const flow = (namespace: string, id: string, more = "") =>
    `id: ${id}\nnamespace: ${namespace}\ndescription: What *${id}* does\ntasks: [${lines}${more}]`;
  for (const each of [flow("sales.eu", "good"), flow("sales.us", "good"), flow("sales.eu", "bad", fail)]) {
    await saveFlow(server, each);
  }
  for (const path of EXECUTIONS) await runFlow(server, path);
}

/** Stores a dashboard. */
export async function saveDashboard(server: ServerProcess, body: string): Promise<void> {
  await server.json("POST", "/dashboards", { headers: { "content-type": "application/x-yaml" }, body });
}
