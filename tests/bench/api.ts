/** The few operations of the API that the benchmark needs beside its loads. */

/** What goes with a request. */
export type Headers = Readonly<Record<string, string>>;

const API = "/api/v1/main";
const NAMESPACE = "bench";

/** A flow with that many Return tasks in a row. */
export function pureFlow(id: string, tasks = 1): string {
  const lines = Array.from(
    { length: tasks },
    (_, index) => `  - {id: t${index}, type: io.svc.plugin.core.debug.Return, format: "value ${index}"}`,
  );
  return `id: ${id}\nnamespace: ${NAMESPACE}\ntasks:\n${lines.join("\n")}\n`;
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

/** A page of executions and how many there are in all. */
export interface Found {
  readonly total: number;
  readonly results: readonly { readonly id: string; readonly state: { readonly startDate: string } }[];
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
