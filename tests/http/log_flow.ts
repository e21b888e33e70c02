/** Shared by tests of lists of log lines: a flow with two lines, and the search. */
import type { Harness, PageResponse } from "../support/harness.ts";

/** A flow whose input `word` begins at INFO and ends at WARN. */
export function logFlow(id: string, namespace = "demo"): string {
  return `id: ${id}
namespace: ${namespace}
inputs:
  - id: word
    type: STRING
    defaults: nothing
tasks:
  - id: first
    type: io.svc.plugin.core.log.Log
    message: "{{ inputs.word }} begins"
  - id: second
    type: io.svc.plugin.core.log.Log
    level: WARN
    message: "{{ inputs.word }} ends"
`;
}

/** A line of a search response. */
export type FoundLine = Readonly<Record<string, string>>;

/** The lines that a query finds. */
export async function search(server: Harness, query: string): Promise<PageResponse<FoundLine>> {
  return await server.page(`/logs/search?${query}`);
}
