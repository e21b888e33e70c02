/** Compares the list of executions with what must be stored: every one once, and totals that are exact. */
import { STATES, TERMINAL_STATES } from "../../../src/model/executions/state.ts";
import type { Client } from "../client.ts";
import { type FlowId, isCaused } from "../flows/flows.ts";
import type { VerifyDeps } from "./verify_executions.ts";

interface Listed {
  readonly id: string;
  readonly flowId: FlowId;
  readonly originalId: string;
  readonly state: { readonly current: string };
}

const PAGE_SIZE = 1_000;
const SEARCH = "/main/executions/search";

/** Adds executions that are listed but were not acknowledged; each must come from a start that was not answered. */
export async function adoptUnacknowledged(deps: VerifyDeps): Promise<void> {
  const { client, ledger, findings } = deps;
  const unknown = (await listAll(client)).filter(({ id }) => !ledger.executions.has(id));
  for (const { id, flowId, originalId } of unknown) {
    // What caused the others is looked at with them.
    if (!isCaused(flowId) && originalId === id && ledger.unansweredStarts-- <= 0) {
      findings.add("doubled", id, "more executions than starts");
    }
    ledger.executions.set(id, {
      id,
      flow: flowId,
      dueAt: Date.now() + 3_500,
      kill: "no",
      deletion: "no",
    });
  }
}

/** Checks the list once nothing is running any more. */
export async function verifyList({ client, ledger, findings }: VerifyDeps): Promise<void> {
  const listed = await listAll(client);
  const ids = new Set(listed.map(({ id }) => id));
  if (ids.size < listed.length) {
    findings.add("doubled", "list", `${listed.length - ids.size} rows are there twice`);
  }
  const expected = [...ledger.executions.values()].filter(({ deletion }) => deletion === "no");
  for (const { id } of expected) if (!ids.has(id)) findings.add("lost", `row ${id}`, "it is not listed");
  for (const { id, deletion } of ledger.executions.values()) {
    if (deletion === "acknowledged" && ids.has(id)) {
      findings.add("illegal", `row ${id}`, "it is deleted, but listed");
    }
  }
  const total = await totalOf(client, "");
  if (total !== expected.length) {
    findings.add("illegal", "total", `${total} are counted, ${expected.length} are stored`);
  }
  await verifyStates({ client, ledger, findings }, listed, total);
}

async function verifyStates(
  { client, findings }: Pick<VerifyDeps, "client" | "findings" | "ledger">,
  listed: readonly Listed[],
  total: number,
): Promise<void> {
  let sum = 0;
  for (const state of STATES) {
    const count = await totalOf(client, `&filters[state][EQUALS]=${state}`);
    const rows = listed.filter(({ state: { current } }) => current === state).length;
    if (count !== rows) findings.add("illegal", `total ${state}`, `${count} are counted, ${rows} are listed`);
    sum += count;
  }
  if (sum !== total) findings.add("illegal", "totals", `the states add up to ${sum} of ${total}`);
  const running = listed.find(({ state }) => !TERMINAL_STATES.has(state.current as typeof STATES[number]));
  if (running) findings.add("stuck", `row ${running.id}`, `it is listed ${running.state.current}`);
}

async function totalOf(client: Client, filter: string): Promise<number> {
  return (await client.json<{ total: number }>("GET", `${SEARCH}?size=1${filter}`)).total;
}

async function listAll(client: Client): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (let page = 1;; page++) {
    const query = `?size=${PAGE_SIZE}&page=${page}&sort=id:asc`;
    const { results } = await client.json<{ results: Listed[] }>("GET", SEARCH + query);
    listed.push(...results);
    if (results.length < PAGE_SIZE) return listed;
  }
}
