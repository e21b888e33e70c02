/** What stories do by the API before they look at the UI. */
import type { ServerProcess } from "../../support/processes/server_process.ts";

/** Stores a flow. */
export async function saveFlow(server: ServerProcess, source: string): Promise<void> {
  await server.json("POST", "/flows", { headers: { "content-type": "application/x-yaml" }, body: source });
}

/** Starts `namespace/flow` and waits for its end; the id of the execution. */
export async function runFlow(server: ServerProcess, path: string): Promise<string> {
  return await startFlow(server, `${path}?wait=true`);
}

/** Starts `namespace/flow`; the id of the execution. */
export async function startFlow(server: ServerProcess, path: string): Promise<string> {
  const body = new FormData();
  return (await server.json<{ readonly id: string }>("POST", `/executions/${path}`, { body })).id;
}
