/** Looks at every execution after a restart: it is there, it ends, and it ended as it must. */
import { TERMINAL_STATES } from "../../src/model/state.ts";
import { type Client, forEachOf, readJson } from "./client.ts";
import {
  effectProblem,
  type Effects,
  executionProblems,
  outputsProblem,
  readEffects,
  type SeenExecution,
} from "./execution_check.ts";
import type { Findings } from "./findings.ts";
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
const SETTLE_MS = 10_000;
const POLL_MS = 50;
const WIDTH = 16;
/** Crashes of the server while an execution was live, after which it may be given up. */
const CRASHES_TO_GIVE_UP = 3;
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
  #effects: Promise<Effects> | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  read(): Promise<Effects> {
    return this.#effects ??= readEffects(this.#path);
  }

  forget(): void {
    this.#effects = undefined;
  }

  /** What is wrong with the effects of an execution; the lines may have been read before it ended. */
  async problemOf(execution: SeenExecution): Promise<ReturnType<typeof effectProblem>> {
    if (!effectProblem(execution, await this.read())) return undefined;
    this.forget();
    return effectProblem(execution, await this.read());
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
  const crashes = ledger.crashes - known.crashesBefore;
  const problems = executionProblems(execution, crashes);
  if (execution.state.current === "SUCCESS") problems.push(...outputsProblem(execution));
  for (const problem of problems) findings.add("illegal", known.id, problem);
  const effect = await effects.problemOf(execution);
  if (effect) findings.add(effect.kind, known.id, effect.detail);
  if (known.name !== undefined && execution.inputs.name !== known.name) {
    findings.add("illegal", known.id, `its input is ${execution.inputs.name}, not ${known.name}`);
  }
  const { current } = execution.state;
  const isKilled = current === "KILLED" && (known.kill !== "no" || isParentStopped(ledger, execution));
  const isSuccess = current === "SUCCESS" && known.kill !== "acknowledged";
  if (isKilled || isSuccess) return;
  if (current === "FAILED" && await isGivenUp(client, known.id, crashes)) return;
  if (current === "FAILED" && await isChildGivenUp(client, execution, crashes)) return;
  findings.add("illegal", known.id, `${known.flow} has ended ${current}; kill: ${known.kill}`);
}

/** The execution that has started this one was killed, or perhaps was, or is not there any more. */
function isParentStopped(ledger: Ledger, { trigger }: SeenExecution): boolean {
  const parentId = trigger?.variables.executionId;
  if (parentId === undefined) return false;
  const parent = ledger.executions.get(parentId);
  return !parent || parent.kill !== "no" || parent.deletion !== "no";
}

async function isChildGivenUp(
  client: Client,
  { taskRunList }: SeenExecution,
  crashes: number,
): Promise<boolean> {
  const childId = taskRunList[0]?.outputs?.executionId;
  return typeof childId === "string" && await isGivenUp(client, childId, crashes);
}

async function isGivenUp(client: Client, id: string, crashes: number): Promise<boolean> {
  if (crashes < CRASHES_TO_GIVE_UP) return false;
  const lines = await client.json<{ message: string }[]>("GET", `/main/logs/${id}?minLevel=ERROR`);
  return lines.some(({ message }) => message.includes("stopped unexpectedly"));
}
