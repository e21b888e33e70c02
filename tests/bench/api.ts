/** The few operations of the API that the benchmark needs beside its loads. */

/** What goes with a request. */
export type Headers = Readonly<Record<string, string>>;

const API = "/api/v1/main";
const NAMESPACE = "bench";

/** A flow with that many Return tasks in a row. */
export function pureFlow(id: string, tasks = 1, namespace: string = NAMESPACE): string {
  const lines = Array.from(
    { length: tasks },
    (_, index) => `  - {id: t${index}, type: io.svc.plugin.core.debug.Return, format: "value ${index}"}`,
  );
  return `id: ${id}\nnamespace: ${namespace}\ntasks:\n${lines.join("\n")}\n`;
}

/** A flow with these tasks, each YAML in one line. */
export function flowOf(id: string, ...tasks: readonly string[]): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\ntasks:\n${tasks.map((task) => `  - ${task}\n`).join("")}`;
}

/** Path that starts a flow. */
export function startPath(flowId: string, query = "", namespace: string = NAMESPACE): string {
  return `${API}/executions/${namespace}/${flowId}${query}`;
}

/** Path of the executions list with that query, which begins with `?` or is empty. */
export function searchPath(query: string): string {
  return `${API}/executions/search${query}`;
}

/** Stores a flow. @throws Error when it is refused */
export async function createFlow(url: string, source: string, headers: Headers = {}): Promise<void> {
  const response = await fetch(`${url}${API}/flows`, {
    method: "POST",
    headers: { "content-type": "application/x-yaml", ...headers },
    body: source,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot create a flow: ${response.status} ${text}`);
}

/** Stores many flows with one request. @throws Error when it is refused */
export async function importFlows(url: string, sources: readonly string[]): Promise<void> {
  const body = new FormData();
  body.set("fileUpload", new Blob([sources.join("---\n")]), "flows.yaml");
  const response = await fetch(`${url}${API}/flows/import?failOnError=true`, { method: "POST", body });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot import flows: ${response.status} ${text.slice(0, 500)}`);
}

/** An execution, as far as the rows look at it. */
export interface StartedExecution {
  readonly id: string;
  readonly state: { readonly current: string; readonly histories: readonly { readonly date: string }[] };
}

/** Starts a flow; the answer. @throws Error when it is refused */
export async function start(url: string, flowId: string, query = ""): Promise<StartedExecution> {
  return JSON.parse(await ask(url, "POST", startPath(flowId, query))) as StartedExecution;
}

/** Starts a flow of that namespace. @throws Error when it is refused */
export async function startIn(url: string, namespace: string, flowId: string): Promise<StartedExecution> {
  return JSON.parse(await ask(url, "POST", startPath(flowId, "?wait=true", namespace))) as StartedExecution;
}

/** An execution as it is now. @throws Error when it is refused */
export async function getExecution(url: string, id: string): Promise<StartedExecution> {
  return JSON.parse(await ask(url, "GET", `${API}/executions/${id}`)) as StartedExecution;
}

/** Lets a paused execution go on. @throws Error when it is refused */
export async function resume(url: string, id: string): Promise<void> {
  await ask(url, "POST", `${API}/executions/${id}/resume`);
}

/** Path of the events of an execution. */
export function followPath(id: string, query = ""): string {
  return `${API}/executions/${id}/follow${query}`;
}

/** Path of a webhook. */
export function webhookPath(flowId: string, key: string): string {
  return `${API}/executions/webhook/${NAMESPACE}/${flowId}/${key}`;
}

async function ask(url: string, method: string, path: string): Promise<string> {
  const response = await fetch(url + path, { method });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/** A page of executions and how many there are in all. */
export interface Found {
  readonly total: number;
  readonly results: readonly {
    readonly id: string;
    readonly state: { readonly startDate: string; readonly endDate?: string };
  }[];
}

/** Lists executions. @throws Error when it is refused */
export async function search(url: string, query: string, headers: Headers = {}): Promise<Found> {
  const response = await fetch(`${url}${searchPath(query)}`, { headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`Cannot list executions: ${response.status} ${text}`);
  return JSON.parse(text) as Found;
}

/** How many executions have succeeded. */
export async function countSuccesses(url: string, headers: Headers = {}): Promise<number> {
  return (await search(url, "?state=SUCCESS&size=1", headers)).total;
}
