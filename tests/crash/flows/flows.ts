/** The flows that are started while servers are killed, and what their executions must have done in the end. */
import { CAUSED_FLOWS } from "./caused_flows.ts";
import { type CrashFlow, NAMESPACE, type Outputs, returns, type RunFacts } from "./crash_flow.ts";
import { PLAIN_FLOWS } from "./plain_flows.ts";
import { LINES_PLACEHOLDER, MARK_PLACEHOLDER, SCRIPT_FLOWS } from "./script_flows.ts";

const FLOWS = { ...PLAIN_FLOWS, ...CAUSED_FLOWS, ...SCRIPT_FLOWS } satisfies Record<string, CrashFlow>;

/** Id of a flow of the crash tests. */
export type FlowId = keyof typeof FLOWS;

/** All of them; those with schedules start executions as soon as they are saved. */
export const FLOW_IDS = Object.keys(FLOWS) as FlowId[];

/** Where scripts leave their lines, and what tells their processes from others. */
export interface ScriptPlaces {
  readonly lines: string;
  readonly mark: string;
}

/** How long an execution of that flow waits at least, in milliseconds. */
export function waitMsOf(id: FlowId): number {
  return flowOf(id).waitMs ?? 0;
}

/** How many task runs that left a line may not be there any more, after that many crashes. */
export function replacedBy(id: FlowId, crashes: number): { readonly least: number; readonly most: number } {
  const { replaced = 0, shared = 0 } = flowOf(id);
  return { least: replaced, most: replaced + shared * crashes };
}

/** True when something else than a start that is counted brings its executions about. */
export function isCaused(id: FlowId): boolean {
  return flowOf(id).isCaused === true;
}

/** Source of a flow. */
export function flowSource(id: FlowId, { lines, mark }: ScriptPlaces): string {
  const { head = "", tasks, triggers = [] } = flowOf(id);
  const inputs = "inputs:\n  - {id: name, type: STRING}\n";
  const source = `id: ${id}\nnamespace: ${NAMESPACE}\n${inputs}${head}tasks:\n${listOf(tasks)}` +
    (triggers.length > 0 ? `triggers:\n${listOf(triggers)}` : "");
  return source.replaceAll(LINES_PLACEHOLDER, lines).replaceAll(MARK_PLACEHOLDER, mark);
}

/** Source of a flow that is updated; each number gives another text. */
export function updatedSource(id: string, n: number): string {
  return `id: ${id}\nnamespace: ${NAMESPACE}\ntasks:\n  - ${returns("only", `update ${n}`)}\n`;
}

/** What the task runs of a successful execution have put out, in order. */
export function expectedOutputs(id: FlowId, name: string, runs: readonly RunFacts[]): Outputs[] {
  return flowOf(id).outputs(name, runs);
}

function flowOf(id: FlowId): CrashFlow {
  return FLOWS[id];
}

function listOf(items: readonly string[]): string {
  return items.map((item) => `  - ${item}\n`).join("");
}
