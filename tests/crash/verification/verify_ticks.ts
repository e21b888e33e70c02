/** What must hold of schedules: each due date has started one execution, whatever happened to the server meanwhile. */
import { PASSING_OVER, TICKER, TICKING } from "../flows/caused_flows.ts";
import type { Client } from "../client.ts";
import { NAMESPACE } from "../flows/crash_flow.ts";
import type { SeenExecution, Span } from "./execution_check.ts";
import type { Findings } from "./findings.ts";
import type { FlowId } from "../flows/flows.ts";
import type { Ledger } from "./ledger.ts";

const INTERVAL_MS = 1_000;
/** A schedule that is up to date has its next date at most that far in the past. */
const BEHIND_MS = 2_000;
/** Longest time in which no late schedule proceeds, and until all are up to date. */
const STEP_MS = 60_000;
const CATCH_UP_MS = 600_000;
const POLL_MS = 100;
const JSON_TYPE = { "content-type": "application/json" };

/** Waits until nothing that was missed is left, and switches the schedules off; when they were. */
export async function stopTicking(client: Client, findings: Findings): Promise<Span> {
  const deadline = Date.now() + CATCH_UP_MS;
  let from = Date.now();
  let last = { dates: "", at: from };
  // One look at all of them: while one is waited for, another may fall behind again.
  for (let late = await lateFlows(client); late.size > 0; late = await lateFlows(client)) {
    const dates = [...late.values()].join();
    if (dates !== last.dates) last = { dates, at: Date.now() };
    if (Date.now() > Math.min(deadline, last.at + STEP_MS)) {
      for (const flowId of late.keys()) findings.add("stuck", flowId, "its schedule does not catch up");
      break;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    from = Date.now();
  }
  for (const flowId of TICKING) {
    const body = JSON.stringify({ namespace: NAMESPACE, flowId, triggerId: TICKER, disabled: true });
    await client.json("PUT", "/main/triggers/set-disabled", { body, headers: JSON_TYPE });
  }
  return { from, to: Date.now() };
}

/** The flows that are late, with the date that they have to handle next. */
async function lateFlows(client: Client): Promise<ReadonlyMap<FlowId, number>> {
  const late = new Map<FlowId, number>();
  for (const flowId of TICKING) {
    const date = await nextDate(client, flowId);
    if (Date.now() - date >= BEHIND_MS) late.set(flowId, date);
  }
  return late;
}

async function nextDate(client: Client, flowId: string): Promise<number> {
  const { results } = await client.json<{ results: { nextExecutionDate: string }[] }>(
    "GET",
    `/main/triggers/${NAMESPACE}/${flowId}`,
  );
  return Date.parse(results[0]?.nextExecutionDate ?? "");
}

/** Compares the executions of schedules with the dates between both; gives the number of dates. */
export function verifyTicks(
  { ledger, findings }: { readonly ledger: Ledger; readonly findings: Findings },
  saved: Span,
  stopped: Span,
): number {
  const executions = [...ledger.executions.values()].flatMap(({ ended }) =>
    ended === undefined ? [] : [JSON.parse(ended) as SeenExecution]
  );
  let dates = 0;
  for (const flowId of TICKING) {
    const ticks = executions.filter((execution) => execution.flowId === flowId);
    const byDate = Map.groupBy(ticks, dateOf);
    for (const [date, all] of byDate) {
      if (all.length > 1) findings.add("doubled", `${flowId} ${date}`, all.map(({ id }) => id).join(" "));
    }
    // Those at which the schedule was surely on.
    const first = (Math.floor(saved.to / INTERVAL_MS) + 1) * INTERVAL_MS;
    for (let date = first; date <= stopped.from - BEHIND_MS; date += INTERVAL_MS, dates++) {
      if (byDate.has(date) || isPassedOver(flowId, date, ticks)) continue;
      findings.add(
        "lost",
        `${flowId} ${date}`,
        `${isoOf(date)} has started nothing; ${neighbours(date, ticks)}`,
      );
    }
    const strange = [...byDate.keys()].find((date) =>
      !(date % INTERVAL_MS === 0 && date >= saved.from && date <= stopped.to)
    );
    if (strange !== undefined) findings.add("illegal", `${flowId} ${strange}`, "no such date was due");
  }
  return dates;
}

function dateOf({ trigger }: SeenExecution): number {
  return Date.parse(trigger?.variables.date ?? "");
}

/** The executions before and after that date, with their states: they tell a lost date from one that was passed over. */
function neighbours(date: number, ticks: readonly SeenExecution[]): string {
  const inOrder = ticks.toSorted((a, b) => dateOf(a) - dateOf(b));
  const before = inOrder.findLast((tick) => dateOf(tick) < date);
  const after = inOrder.find((tick) => dateOf(tick) > date);
  return [before, after].filter((tick) => tick !== undefined)
    .map((tick) => `${isoOf(dateOf(tick))}: ${JSON.stringify(tick.state.histories)}`).join("; ");
}

function isoOf(date: number): string {
  return new Date(date).toISOString();
}

/** An earlier execution was still running then. */
function isPassedOver(flowId: string, date: number, ticks: readonly SeenExecution[]): boolean {
  return PASSING_OVER.has(flowId) &&
    ticks.some((tick) => dateOf(tick) < date && Date.parse(tick.state.endDate ?? "") >= date);
}
