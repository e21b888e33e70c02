/** Looks at every execution after a restart: it is there, it ends, and it ended as it must. */
import { TERMINAL_STATES } from "../../../src/model/executions/state.ts";
import { type Client, forEachOf, readJson } from "../client.ts";
import {
  crashesDuring,
  effectProblem,
  executionProblems,
  interruptionProblems,
  outputsProblem,
  readEffects,
  replacementProblem,
  type SeenExecution,
} from "./execution_check.ts";
import type { Findings } from "./findings.ts";
import type { FlowId } from "../flows/flows.ts";
import type { KnownExecution, Ledger } from "./ledger.ts";

/** What verifications work with. */
export interface VerifyDeps {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly findings: Findings;
  /** Path of the file of effects. */
  readonly effects: string;
}

/** How long an execution that is due may take to end after a restart, on a machine that does other things too. */
const SETTLE_MS = 120_000;
const POLL_MS = 50;
const WIDTH = 16;
/** Crashes of the server while an execution was live, after which it may be given up. */
const CRASHES_TO_GIVE_UP = 3;
/** Flows whose executions are killed with the one that has started them. */
const CALLED: ReadonlySet<FlowId> = new Set(["child", "item"]);
/** Ended executions that are read again in the end. */
const MAX_READ_AGAIN = 3_000;

/** Waits until all executions that are due before `until` have ended, and checks each. */
export async function verifyExecutions(deps: VerifyDeps, until: number): Promise<void> {
  const { ledger, findings } = deps;
  const effects = new EffectsReader(deps.effects);
  let open = ledger.openExecutions();
  const deadline = Math.max(Date.now(), ...open.map(({ dueAt }) => Math.min(dueAt, until))) + SETTLE_MS;
  while (open.length > 0 && Date.now() < deadline) {
    effects.forget();
    await forEachOf(open, WIDTH, (execution) => look(deps, execution, effects));
    open = open.filter(({ ended, deletion, dueAt }) =>
      ended === undefined && deletion !== "acknowledged" && dueAt <= until
    );
    if (open.length > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  for (const { id, flow } of open) findings.add("stuck", id, `${flow} has not ended within ${SETTLE_MS} ms`);
}

/** What was deleted stays so; what has ended is as it was. */
export async function verifySettled({ client, ledger, findings }: VerifyDeps): Promise<void> {
  const settled = [...ledger.executions.values()].filter(({ ended, deletion }) =>
    ended !== undefined || deletion === "acknowledged"
  );
  const step = Math.max(1, Math.ceil(settled.length / MAX_READ_AGAIN));
  const sample = settled.filter((_, index) => index % step === 0);
  await forEachOf(sample, WIDTH, async ({ id, ended, deletion }) => {
    const outcome = await client.send("GET", `/main/executions/${id}`);
    const isGone = outcome.type === "refused" && outcome.status === 404;
    if (deletion === "acknowledged") {
      if (!isGone) findings.add("illegal", id, "it was deleted, and is there again");
    } else if (isGone) {
      findings.add("lost", id, "it had ended, and is gone");
    } else if (outcome.type === "acknowledged" && new TextDecoder().decode(outcome.body) !== ended) {
      findings.add("illegal", id, "it had ended, and has changed since");
    }
  });
}

/** The lines of effects, read when first asked for. */
class EffectsReader {
  readonly #path: string;
  #lines: ReturnType<typeof readEffects> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(): ReturnType<typeof readEffects> {
    return this.#lines ??= readEffects(this.#path);
  }

  forget(): void {
    this.#lines = undefined;
  }

  /** What is wrong with the effects of an execution; the lines may have been read before it ended. */
  async problemOf(execution: SeenExecution, crashes: number): Promise<ReturnType<typeof effectProblem>> {
    if (!await this.#problemNow(execution, crashes)) return undefined;
    this.forget();
    return await this.#problemNow(execution, crashes);
  }

  async #problemNow(execution: SeenExecution, crashes: number): Promise<ReturnType<typeof effectProblem>> {
    const { effects, acting } = await this.read();
    return effectProblem(execution, effects) ?? replacementProblem(execution, acting, crashes);
  }
}

async function look(deps: VerifyDeps, known: KnownExecution, effects: EffectsReader): Promise<void> {
  const { client, findings } = deps;
  const outcome = await client.send("GET", `/main/executions/${known.id}`);
  if (outcome.type === "refused" && outcome.status === 404) {
    if (known.deletion === "no") findings.add("lost", known.id, `${known.flow} is not there`);
    known.deletion = "acknowledged";
    return;
  }
  if (outcome.type === "refused") {
    return findings.add("illegal", known.id, `GET answers ${outcome.status} ${outcome.text.slice(0, 300)}`);
  }
  if (outcome.type === "unanswered") return findings.add("stuck", known.id, "GET is not answered");
  known.deletion = "no";
  const execution = readJson(outcome.body) as SeenExecution;
  if (known.flow === "hold" && execution.state.current === "PAUSED") {
    await client.send("POST", `/main/executions/${known.id}/resume`);
  }
  if (!TERMINAL_STATES.has(execution.state.current)) return;
  known.ended = new TextDecoder().decode(outcome.body);
  await judge(deps, known, execution, effects);
}

async function judge(
  { client, ledger, findings }: VerifyDeps,
  known: KnownExecution,
  execution: SeenExecution,
  effects: EffectsReader,
): Promise<void> {
  const crashes = crashesDuring(execution, ledger.crashSpans);
  const problems = [
    ...executionProblems(execution, crashes),
    ...interruptionProblems(execution, ledger.crashSpans),
  ];
  if (execution.state.current === "SUCCESS") problems.push(...outputsProblem(execution));
  for (const problem of problems) findings.add("illegal", known.id, problem);
  const effect = await effects.problemOf(execution, crashes);
  if (effect) findings.add(effect.kind, known.id, effect.detail);
  if (known.name !== undefined && execution.inputs.name !== known.name) {
    findings.add("illegal", known.id, `its input is ${execution.inputs.name}, not ${known.name}`);
  }
  const { current } = execution.state;
  const isKilled = current === "KILLED" && (known.kill !== "no" || isParentStopped(ledger, execution));
  const isSuccess = current === "SUCCESS" && known.kill !== "acknowledged";
  const isReplaced = current === "RETRIED" && known.flow === "again";
  if (isKilled || isSuccess || isReplaced) return;
  if (current === "FAILED" && await isGivenUp(client, known.id, crashes)) return;
  if (current === "FAILED" && await isChildGivenUp(client, execution.id, crashes)) return;
  findings.add("illegal", known.id, `${known.flow} has ended ${current}; kill: ${known.kill}`);
}

/** The execution that has started this one, or that it has taken the place of, was killed, or perhaps was, or is gone. */
function isParentStopped(ledger: Ledger, { id, originalId, trigger, flowId }: SeenExecution): boolean {
  const startedBy = CALLED.has(flowId) ? trigger?.variables.executionId : undefined;
  const parentId = originalId === id ? startedBy : originalId;
  if (parentId === undefined) return false;
  const parent = ledger.executions.get(parentId);
  return !parent || parent.kill !== "no" || parent.deletion !== "no";
}

/** One of the executions that it has started was given up. */
async function isChildGivenUp(client: Client, id: string, crashes: number): Promise<boolean> {
  if (crashes < CRASHES_TO_GIVE_UP) return false;
  const query = `?size=100&filters[triggerExecutionId][EQUALS]=${id}`;
  const { results } = await client.json<{ results: SeenExecution[] }>(
    "GET",
    `/main/executions/search${query}`,
  );
  for (const child of results) if (await isGivenUp(client, child.id, crashes)) return true;
  return false;
}

async function isGivenUp(client: Client, id: string, crashes: number): Promise<boolean> {
  if (crashes < CRASHES_TO_GIVE_UP) return false;
  const lines = await client.json<{ message: string }[]>("GET", `/main/logs/${id}?minLevel=ERROR`);
  return lines.some(({ message }) => message.includes("stopped unexpectedly"));
}
