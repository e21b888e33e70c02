/** The server under attack as its clients know it, and what they find there. */

/** Where to send requests, and with which credentials. */
export interface Target {
  /** Without a trailing slash. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly readPath: string;
  readonly startPath: string;
}

/** The login of the server. */
export const LOGIN = "operator:overload-password";
/** Namespace of all flows of the run. */
export const NAMESPACE = "overload";

const API = "/api/v1/main";

/** The target at an address. */
export function targetAt(url: string): Target {
  return {
    url,
    headers: { authorization: `Basic ${btoa(LOGIN)}` },
    readPath: `${API}/flows/${NAMESPACE}/plain`,
    startPath: `${API}/executions/${NAMESPACE}/plain`,
  };
}

/** The text of the response to a request; the path is that below the tenant. @throws Error it is refused */
export async function ask(
  target: Target,
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<string> {
  const headers = { ...target.headers, ...init.headers };
  const response = await fetch(`${target.url}${API}${path}`, { ...init, method, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}

/** Stores a flow of the namespace with these lines after its id. @throws Error it is refused */
export async function saveFlow(target: Target, id: string, lines: readonly string[]): Promise<void> {
  const body = [`id: ${id}`, `namespace: ${NAMESPACE}`, ...lines].join("\n");
  await ask(target, "POST", "/flows", { body, headers: { "content-type": "application/x-yaml" } });
}

/** Starts a flow of the namespace; the id of the execution. @throws Error it is refused */
export async function startFlow(
  target: Target,
  flowId: string,
  inputs: Record<string, string> = {},
): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(inputs)) body.set(name, value);
  const isEmpty = Object.keys(inputs).length === 0;
  const path = `/executions/${NAMESPACE}/${flowId}`;
  return JSON.parse(await ask(target, "POST", path, isEmpty ? {} : { body })).id;
}
