/** Requests as clients send them: what the fuzzer damages, and what it stores before so that they find something. */
import { buildZip } from "../../support/zip_builder.ts";

/** A body with its content type. */
export type RecordedBody = readonly [contentType: string, body: string | Uint8Array<ArrayBuffer>];

/** Namespace of everything that is stored before; its children exist too. */
export const NAMESPACE = "fuzz.a";
/** Key of the webhooks. */
export const WEBHOOK_KEY = "fuzz-webhook-key";
/** Key of the one with a path. */
export const BELOW_KEY = `${WEBHOOK_KEY}-below`;
/** Values that no response may hold. */
export const PLANTED = {
  password: "planted-password-51c3",
  environment: "planted-environment-secret-88d1",
  secret: "planted-stored-secret-07fe",
} as const;

const CORE = "io.svc.plugin.core";
const RETURN = `${CORE}.debug.Return`;

function flow(id: string, rest: string): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\n${rest}`;
}

/** Flows that are stored before. None of them reaches the network or starts a process. */
export const FLOWS: readonly string[] = [
  flow("plain", `labels: {team: a}\ntasks:\n  - {id: one, type: ${RETURN}, format: "{{ execution.id }}"}\n`),
  flow(
    "typed",
    `inputs:
  - {id: text, type: STRING, defaults: x, validator: "^[a-z]*$"}
  - {id: number, type: INT, min: 1, max: 5, required: false}
  - {id: kind, type: SELECT, values: [a, b], defaults: a}
  - {id: when, type: DATETIME, required: false}
  - {id: data, type: JSON, required: false}
  - {id: list, type: ARRAY, itemType: INT, defaults: [1, 2]}
  - {id: upload, type: FILE, required: false}
  - {id: hidden, type: SECRET, required: false}
variables: {v: "{{ inputs.text }}"}
tasks:
  - {id: one, type: ${RETURN}, format: "{{ inputs.text }} {{ vars.v }}"}
outputs:
  - {id: o, type: STRING, value: "{{ outputs.one.value }}"}
`,
  ),
  flow("failing", `tasks:\n  - {id: bad, type: ${CORE}.execution.Fail}\n`),
  flow("paused", `tasks:\n  - {id: hold, type: ${CORE}.flow.Pause, onResume: [{id: ok, type: BOOL}]}\n`),
  flow("sleeping", `tasks:\n  - {id: wait, type: ${CORE}.flow.Sleep, duration: PT10M}\n`),
  flow(
    "loop",
    `tasks:
  - id: each
    type: ${CORE}.flow.ForEach
    values: [1, "2", {a: 3}]
    tasks:
      - {id: inner, type: ${CORE}.log.Log, message: "{{ taskrun.value }}"}
      - {id: count, type: ${CORE}.metric.Publish, metrics: [{name: m, type: counter, value: 2}]}
`,
  ),
  flow(
    "files",
    `tasks:\n  - {id: write, type: ${CORE}.storage.Write, content: "line\\nline", extension: .txt}\n`,
  ),
  flow(
    "limited",
    `concurrency: {limit: 1, behavior: QUEUE}\ntasks:\n  - {id: w, type: ${CORE}.flow.Sleep, duration: PT5M}\n`,
  ),
  flow(
    "parent",
    `tasks:\n  - {id: call, type: ${CORE}.flow.Subflow, namespace: ${NAMESPACE}, flowId: plain}\n`,
  ),
  flow(
    "hooked",
    `tasks:
  - {id: one, type: ${RETURN}, format: "{{ trigger.body }}"}
triggers:
  - {id: hook, type: ${CORE}.trigger.Webhook, key: ${WEBHOOK_KEY}}
  - {id: below, type: ${CORE}.trigger.Webhook, key: ${BELOW_KEY}, path: rest}
  - {id: daily, type: ${CORE}.trigger.Schedule, cron: "0 9 * * *"}
`,
  ),
];

/** Ids of the flows. */
export const FLOW_IDS: readonly string[] = FLOWS.map((source) => /^id: (\w+)/.exec(source)?.[1] ?? "");

const DASHBOARD = `title: Fuzz
timeWindow: {default: P7D, max: P30D}
charts:
  - id: states
    type: ${CORE}.dashboard.chart.TimeSeries
    chartOptions: {displayName: States, column: date}
    data:
      type: ${CORE}.dashboard.data.Executions
      columns: {date: {field: START_DATE}, total: {agg: COUNT}}
`;
const CHART = DASHBOARD.slice(DASHBOARD.indexOf("  - id") + 4).replaceAll("\n    ", "\n");
const CHART_FILTER = {
  filters: [{ field: "NAMESPACE", operation: "PREFIX", value: NAMESPACE }],
  startDate: "P1D",
  pageNumber: 1,
  pageSize: 5,
};
const STATISTICS = { namespace: NAMESPACE, q: "x", state: ["SUCCESS"], startDate: "2026-01-01T00:00:00Z" };
const TASK = `id: one\ntype: ${RETURN}\nformat: x\n`;
const TRIGGER = `id: daily\ntype: ${CORE}.trigger.Schedule\ncron: "0 9 * * *"\n`;
const KEY = { namespace: NAMESPACE, flowId: "hooked", triggerId: "daily" };
const FORM = "multipart/form-data; boundary=XX";
const FILE = fileForm("fileContent", "notes.txt", "some text\n");

function json(value: unknown): RecordedBody {
  return ["application/json", JSON.stringify(value)];
}

function yaml(text: string): RecordedBody {
  return ["application/x-yaml", text];
}

/** A form of one file part. */
function fileForm(part: string, fileName: string, content: string): RecordedBody {
  return [
    FORM,
    `--XX\r\nContent-Disposition: form-data; name="${part}"; filename="${fileName}"\r\n\r\n${content}\r\n--XX--\r\n`,
  ];
}

/** A form of values. */
function form(values: Readonly<Record<string, string>>): RecordedBody {
  const parts = Object.entries(values).map(([name, value]) =>
    `--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  );
  return [FORM, `${parts.join("")}--XX--\r\n`];
}

function zipForm(part: string): RecordedBody {
  const zip = buildZip([{ name: "a/b.txt", data: "one" }, { name: "c.yml", data: FLOWS[0] ?? "" }]);
  const start = new TextEncoder().encode(
    `--XX\r\nContent-Disposition: form-data; name="${part}"; filename="all.zip"\r\nContent-Type: application/zip\r\n\r\n`,
  );
  const end = new TextEncoder().encode("\r\n--XX--\r\n");
  return [FORM, new Uint8Array([...start, ...zip, ...end])];
}

/** The flow that requests create, replace and import. */
const NEW_FLOW = flow("created", `tasks:\n  - {id: one, type: ${RETURN}, format: "x"}\n`);
const IDS = ["{execution}", "{execution}"];
const START_FORM: readonly RecordedBody[] = [
  form({ text: "abc", number: "3", kind: "b", list: "[1,2]" }),
  fileForm("upload", "data.csv", "a,b\n1,2\n"),
  ["application/x-www-form-urlencoded", "text=abc&number=2"],
  form({ when: "2026-01-31T12:00:00Z", data: '{"a":[1]}', hidden: "h" }),
];

/** Bodies by the end of the operation: method and path, relative to the tenant where it has one. */
export const BODIES: ReadonlyMap<string, readonly RecordedBody[]> = new Map<string, readonly RecordedBody[]>([
  ["POST /flows", [yaml(NEW_FLOW), ...FLOWS.map(yaml)]],
  ["POST /flows/validate", [yaml(FLOWS.join("---\n")), yaml(NEW_FLOW)]],
  ["POST /flows/validate/task", [yaml(TASK), json({ id: "one", type: RETURN, format: "x" })]],
  ["POST /flows/validate/trigger", [yaml(TRIGGER)]],
  ["POST /flows/expressions", FLOWS.map(yaml)],
  ["POST /flows/graph", FLOWS.map(yaml)],
  ["POST /flows/bulk", [yaml(`${NEW_FLOW}---\n${FLOWS[0]}`)]],
  ["POST /flows/{namespace}", [yaml(`${NEW_FLOW}---\n${FLOWS[0]}`)]],
  ["PUT /flows/{namespace}/{flowId}", FLOWS.map(yaml)],
  ["POST /flows/import", [zipForm("fileUpload"), fileForm("fileUpload", "flows.yml", NEW_FLOW)]],
  ...["DELETE /flows/delete", "POST /flows/enable", "POST /flows/disable", "POST /flows/export"].map((
    name,
  ): [string, RecordedBody[]] => [`${name}/by-ids`, [json([{ namespace: NAMESPACE, id: "created" }])]]),
  ["POST /expressions/render", [json({ expressions: ["{{ now() }}", "{{ 1 + 2 }}", "{{ vars.x }}"] })]],
  ["POST /executions/{namespace}/{flowId}", START_FORM],
  ["POST /executions/trigger/{namespace}/{flowId}", START_FORM],
  ["POST /executions/{namespace}/{flowId}/validate", START_FORM],
  ["POST /executions/latest", [
    json([{ namespace: NAMESPACE, flowId: "plain" }]),
    json([{ id: "plain", namespace: NAMESPACE }]),
  ]],
  ...["resume", "resume/validate", "replay-with-inputs"].flatMap((name) =>
    actionBodies(name, [form({ ok: "true" }), form({ text: "a" })])
  ),
  ...actionBodies("state", [json({ taskRunId: "{taskRun}", state: "SUCCESS" })]),
  ...actionBodies("labels", [json([{ key: "team", value: "b" }]), json([])]),
  ...actionBodies("eval", [["text/plain", "{{ outputs }} {{ inputs.text }}"]]),
  ...actionBodies("eval/{taskRunId}", [["text/plain", "{{ outputs.one.value }}"]]),
  ...["restart", "replay", "resume", "pause", "change-status", "unqueue", "force-run", "kill"].map((
    name,
  ): [string, RecordedBody[]] => [`POST /executions/${name}/by-ids`, [json(IDS)]]),
  ["DELETE /executions/kill/by-ids", [json(IDS)]],
  ["DELETE /executions/by-ids", [json(["{execution}"])]],
  ["POST /executions/labels/by-ids", [
    json({ executionsId: IDS, executionLabels: [{ key: "k", value: "v" }] }),
  ]],
  ["POST /executions/labels/by-query", [json([{ key: "k", value: "v" }])]],
  ["PUT /concurrency-limit/{namespace}/{flowId}", [
    json({ tenantId: "main", namespace: NAMESPACE, flowId: "limited", running: 1 }),
  ]],
  ["PUT /triggers", [json({ ...KEY, disabled: true }), json({ ...KEY, disabled: false })]],
  ["PUT /triggers/set-disabled", [json({ ...KEY, disabled: false })]],
  ["PUT /triggers/backfill/create", [
    json({ ...KEY, backfill: { start: "2026-01-01T00:00:00Z", end: "2026-01-03T00:00:00Z", inputs: {} } }),
  ]],
  ["PUT /triggers/backfill/pause", [json(KEY)]],
  ["PUT /triggers/backfill/unpause", [json(KEY)]],
  ["POST /triggers/backfill/delete", [json(KEY)]],
  ...["POST /triggers/backfill/pause", "POST /triggers/backfill/unpause", "POST /triggers/backfill/delete"]
    .flatMap(
      triggerBodies,
    ),
  ...["POST /triggers/unlock", "DELETE /triggers/delete"].flatMap(triggerBodies),
  ["POST /triggers/set-disabled/by-query", [json({ filters: [] })]],
  ["POST /triggers/set-disabled/by-triggers", [json({ triggers: [KEY], disabled: false })]],
  ["POST /dashboards", [yaml(DASHBOARD)]],
  ["PUT /dashboards/{id}", [yaml(DASHBOARD)]],
  ["POST /dashboards/validate", [yaml(DASHBOARD)]],
  ["POST /dashboards/validate/chart", [yaml(CHART)]],
  ...["POST /dashboards/charts/preview", "POST /dashboards/charts/export/to-csv"].map(
    (operation): [string, RecordedBody[]] => [
      operation,
      [json({ chart: CHART, globalFilter: CHART_FILTER })],
    ],
  ),
  ["POST /dashboards/{id}/charts/{chartId}", [json(CHART_FILTER)]],
  ["POST /dashboards/{id}/charts/{chartId}/export/to-csv", [json(CHART_FILTER)]],
  ["POST /stats/summary", [json({ namespace: NAMESPACE })]],
  ["POST /stats/executions/daily", [json(STATISTICS)]],
  ["POST /stats/executions/daily/group-by-flow", [
    json({ flows: [{ namespace: NAMESPACE, id: "hooked" }], namespaceOnly: true }),
  ]],
  ["POST /stats/executions/daily/group-by-namespace", [json(STATISTICS)]],
  ["POST /stats/executions/latest/group-by-flow", [
    json({ flows: [{ namespace: NAMESPACE, id: "hooked" }] }),
  ]],
  ["POST /stats/logs/daily", [json({ ...STATISTICS, logLevel: "WARN" })]],
  ["POST /stats/taskruns/daily", [json(STATISTICS)]],
  ["POST /namespaces", [json({ id: "fuzz.new", description: "d" })]],
  ["PUT /namespaces/{namespace}", [json({ id: NAMESPACE, description: "e" })]],
  ["POST /namespaces/autocomplete", [json({ q: "fuzz" }), json({ ids: [NAMESPACE] })]],
  ["DELETE /namespaces/{namespace}/kv", [json({ keys: ["k2"] })]],
  ["PUT /namespaces/{namespace}/kv/{key}", [
    json({ a: [1, 2.5, null] }),
    ["text/plain", "some text"],
    json("PT1H"),
    json(12345678901234567890),
  ]],
  ["POST /namespaces/{namespace}/files", [FILE, zipForm("fileContent")]],
  ["PUT /namespaces/{namespace}/secrets", [
    json({ key: "NAME", value: "v", description: "d", tags: [{ key: "a", value: "b" }] }),
  ]],
  ["PATCH /namespaces/{namespace}/secrets/{key}", [json({ description: "e", tags: [] })]],
  ["POST /plugins/pluginUiManifest", [json({})]],
  ["POST /me/api-tokens", [json({ name: "fuzz", maxAge: "PT1H", tenants: ["main"] })]],
  ["POST /tenants", [json({ id: "fuzz-tenant", name: "Fuzz" })]],
  ["POST /basicAuth", [json({ username: "a", password: "b" })]],
  ["POST /login", [json({ username: "a", password: "b" })]],
  ...["POST", "PUT"].flatMap((method) =>
    ["", "/{path}"].map((rest): [string, RecordedBody[]] => [
      `${method} /executions/webhook/{namespace}/{flowId}/{key}${rest}`,
      [
        json({ name: "n", list: [1] }),
        ["text/plain", "text"],
        form({ a: "1" }),
        fileForm("f", "x.bin", "\u0000ÿ"),
      ],
    ])
  ),
]);

function actionBodies(name: string, bodies: readonly RecordedBody[]): [string, readonly RecordedBody[]][] {
  return [[`POST /executions/{id}/${name}`, bodies], [`POST /executions/{id}/actions/${name}`, bodies]];
}

function triggerBodies(name: string): [string, readonly RecordedBody[]][] {
  return [[`${name}/by-query`, [json({ filters: [] })]], [`${name}/by-triggers`, [json([KEY])]]];
}
