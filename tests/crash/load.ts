/** The mixed load: workers that start, kill, delete and write until the server is gone, and note what was acknowledged. */
import type { Chance } from "./chance.ts";
import { type Client, type Outcome, readJson } from "./client.ts";
import type { Findings } from "./verification/findings.ts";
import { WEBHOOK_KEY } from "./flows/caused_flows.ts";
import { NAMESPACE } from "./flows/crash_flow.ts";
import { type FlowId, updatedSource, waitMsOf } from "./flows/flows.ts";
import {
  type Call,
  contentOf,
  type KnownExecution,
  type Ledger,
  type RegisterKind,
  type Version,
} from "./verification/ledger.ts";

/** What a worker works with. */
export interface LoadDeps {
  readonly client: Client;
  readonly ledger: Ledger;
  readonly findings: Findings;
}

const SMALL = 40;
const LARGE_KV = 100_000;
const LARGE_FILE = 300_000;
const LARGE_SHARE = 0.15;
const MAX_PAUSE_MS = 15;
/** Calls that were answered and are sent once more. */
const REPEAT_SHARE = 0.2;
/** Names that each worker writes of each kind. */
const NAMES = 3;
const RECENT = 20;
const YAML = { "content-type": "application/x-yaml" };
const JSON_TYPE = { "content-type": "application/json" };
/** Answers that say honestly that nothing was done: the server is busy, or cannot write. */
const BUSY: readonly number[] = [429, 503, 507];

/** Runs workers side by side until the client's server is gone. */
export async function runLoad(deps: LoadDeps, chance: Chance, workers: number): Promise<void> {
  const all = Array.from({ length: workers }, (_, n) => new Worker(deps, chance.fork(), n).run());
  await Promise.all(all);
}

class Worker {
  readonly #deps: LoadDeps;
  readonly #chance: Chance;
  readonly #number: number;
  readonly #recent: KnownExecution[] = [];

  constructor(deps: LoadDeps, chance: Chance, number: number) {
    this.#deps = deps;
    this.#chance = chance;
    this.#number = number;
  }

  async run(): Promise<void> {
    while (!this.#deps.client.isGone) {
      const work = this.#chance.weighted<() => Promise<void>>([
        [8, () => this.#start("pure")],
        [2, () => this.#start("forty")],
        [1, () => this.#start("long")],
        [4, () => this.#start("sleep")],
        [4, () => this.#start("effect")],
        [2, () => this.#start("retry")],
        [2, () => this.#start("pause")],
        [2, () => this.#start("each")],
        [2, () => this.#start("parent")],
        [0.5, () => this.#start("limited")],
        [0.7, () => this.#start("items")],
        [1.5, () => this.#start("upstream")],
        [1, () => this.#start("until")],
        [1, () => this.#start("growing")],
        [1, () => this.#start("again")],
        [1, () => this.#start("hold")],
        [0.6, () => this.#start("script")],
        [0.4, () => this.#start("directory")],
        [2, () => this.#call()],
        [1, () => this.#resume()],
        [2, () => this.#start("pure", this.#chance.between(300, 3_000))],
        [3, () => this.#kill()],
        [2, () => this.#delete()],
        [3, () => this.#write("kv")],
        [2, () => this.#write("file")],
        [1, () => this.#write("flow")],
        [1, () => this.#write("secret")],
        [0.3, () => this.#createToken()],
      ]);
      await work();
      await new Promise((resolve) => setTimeout(resolve, this.#chance.next() * MAX_PAUSE_MS));
    }
  }

  async #start(flow: FlowId, delayMs?: number): Promise<void> {
    const { ledger } = this.#deps;
    const name = `n${ledger.nextVersion()}`;
    const sentAt = Date.now();
    const at = delayMs === undefined ? "" : new Date(sentAt + delayMs).toISOString();
    const query = at && `?scheduleDate=${encodeURIComponent(at)}`;
    const body = new URLSearchParams({ name });
    const outcome = await this.#send(["POST", `/main/executions/${NAMESPACE}/${flow}${query}`, { body }]);
    if (outcome.type === "refused") return;
    const answer = outcome.type === "acknowledged" ? readJson(outcome.body) as { id: string } : undefined;
    if (!answer) return void ledger.unansweredStarts++;
    const execution = this.#known(answer.id, flow, { name, delayMs });
    if (ledger.executions.has(answer.id)) {
      this.#deps.findings.add("doubled", answer.id, "two starts got the same id");
    }
    ledger.executions.set(answer.id, execution);
    this.#recent.push(execution);
    if (this.#recent.length > RECENT) this.#recent.shift();
  }

  #known(
    id: string,
    flow: FlowId,
    { name, delayMs = 0 }: { name: string; delayMs?: number },
  ): KnownExecution {
    const dueAt = Date.now() + delayMs + waitMsOf(flow);
    return { id, flow, name, dueAt, kill: "no", deletion: "no" };
  }

  async #kill(): Promise<void> {
    const running = this.#recent.filter(({ kill, deletion }) => kill === "no" && deletion === "no");
    const execution = this.#chance.pick(running.slice(-3));
    if (!execution) return;
    execution.kill = "unanswered";
    const outcome = await this.#send(["DELETE", `/main/executions/${execution.id}/kill`], [409]);
    if (outcome.type === "refused" && outcome.status === 409) execution.kill = "no";
    if (outcome.type !== "acknowledged") return;
    const answer = readJson(outcome.body) as { state: { current: string } } | undefined;
    // It may have ended by itself before the kill was applied; the answer says so.
    if (answer && /^KILL/.test(answer.state.current)) execution.kill = "acknowledged";
  }

  /** A call that was not answered is repeated first, at times one that was. */
  async #call(): Promise<void> {
    const { ledger } = this.#deps;
    const free = ledger.calls.filter(({ isUnderWay }) => !isUnderWay);
    const isRepeated = this.#chance.holds(REPEAT_SHARE);
    const call = free.find(({ executionId }) => executionId === undefined) ??
      (isRepeated ? this.#chance.pick(free.slice(-RECENT)) : undefined) ?? this.#newCall();
    call.isUnderWay = true;
    const headers = { ...JSON_TYPE, "idempotency-key": call.name };
    const body = JSON.stringify({ name: call.name });
    const path = `/main/executions/webhook/${NAMESPACE}/hook/${WEBHOOK_KEY}`;
    const outcome = await this.#send(["POST", path, { body, headers }]);
    call.isUnderWay = false;
    const answer = outcome.type === "acknowledged" ? readJson(outcome.body) as { id: string } : undefined;
    if (answer) this.#noteCall(call, answer.id);
  }

  #newCall(): Call {
    const { calls } = this.#deps.ledger;
    const call: Call = { name: `call${calls.length}`, isUnderWay: false };
    calls.push(call);
    return call;
  }

  #noteCall(call: Call, id: string): void {
    const { ledger, findings } = this.#deps;
    if (call.executionId !== undefined && call.executionId !== id) {
      findings.add("doubled", call.name, `its key was answered with ${call.executionId} and with ${id}`);
    }
    call.executionId = id;
    const execution = this.#known(id, "hook", { name: call.name });
    if (!ledger.executions.has(id)) ledger.executions.set(id, execution);
  }

  /** One that is not paused yet refuses. */
  async #resume(): Promise<void> {
    const execution = this.#chance.pick(this.#recent.filter(({ flow }) => flow === "hold"));
    if (!execution) return;
    await this.#send(["POST", `/main/executions/${execution.id}/resume`], [404, 409]);
  }

  async #delete(): Promise<void> {
    const execution = this.#chance.pick(this.#recent.filter(({ deletion }) => deletion === "no"));
    if (!execution) return;
    execution.deletion = "unanswered";
    const outcome = await this.#send(["DELETE", `/main/executions/${execution.id}`]);
    if (outcome.type === "acknowledged") execution.deletion = "acknowledged";
  }

  async #write(kind: RegisterKind): Promise<void> {
    const { ledger } = this.#deps;
    const name = `${kind}-${this.#number}-${Math.floor(this.#chance.next() * NAMES)}`;
    const register = ledger.register(kind, name);
    const isLarge = this.#chance.holds(LARGE_SHARE);
    const version: Version = { n: ledger.nextVersion(), size: isLarge ? LARGE_SIZES[kind] : SMALL };
    const isFirst = register.possible.length === 0;
    register.unanswered.push(version);
    const outcome = await this.#send(
      writeRequest(kind, name, version, isFirst),
      register.acknowledged ? [] : [404], // An update of a flow whose creation was not answered, and did not happen.
    );
    if (outcome.type === "refused") register.unanswered.pop();
    if (outcome.type !== "acknowledged") return;
    const answer = kind === "flow" ? readJson(outcome.body) as { revision: number } | undefined : undefined;
    version.revision = answer?.revision;
    register.settle(version);
  }

  async #createToken(): Promise<void> {
    const { ledger } = this.#deps;
    const body = JSON.stringify({ name: `token-${ledger.nextVersion()}` });
    const outcome = await this.#send(["POST", "/me/api-tokens", { body, headers: JSON_TYPE }]);
    const answer = outcome.type === "acknowledged"
      ? readJson(outcome.body) as { fullToken: string }
      : undefined;
    if (answer) ledger.tokens.push(answer.fullToken);
  }

  /** `honest`: refusals that may be, beside those of a busy server. */
  async #send(
    [method, path, init = {}]: [method: string, path: string, init?: RequestInit],
    honest: readonly number[] = [],
  ): Promise<Outcome> {
    const outcome = await this.#deps.client.send(method, path, init);
    if (outcome.type === "acknowledged") this.#deps.ledger.acknowledged++;
    if (outcome.type === "refused" && ![...BUSY, ...honest].includes(outcome.status)) {
      const detail = `${outcome.status} ${outcome.text.slice(0, 300)}`;
      this.#deps.findings.add("illegal", `${method} ${path}`, detail);
    }
    return outcome;
  }
}

const LARGE_SIZES: Readonly<Record<RegisterKind, number>> = {
  kv: LARGE_KV,
  file: LARGE_FILE,
  flow: SMALL,
  secret: SMALL,
};

function writeRequest(
  kind: RegisterKind,
  name: string,
  version: Version,
  isFirst: boolean,
): [method: string, path: string, init: RequestInit] {
  const content = contentOf(name, version);
  const below = `/main/namespaces/${NAMESPACE}`;
  switch (kind) {
    case "kv":
      return ["PUT", `${below}/kv/${name}`, { body: JSON.stringify(content), headers: JSON_TYPE }];
    case "file": {
      const body = new FormData();
      body.set("fileContent", new Blob([content]), "content.txt");
      return ["POST", `${below}/files?path=/${name}.txt`, { body }];
    }
    case "secret": {
      const body = JSON.stringify({ key: name, value: content });
      return ["PUT", `${below}/secrets`, { body, headers: JSON_TYPE }];
    }
    case "flow": {
      const body = updatedSource(name, version.n);
      const path = isFirst ? "/main/flows" : `/main/flows/${NAMESPACE}/${name}`;
      return [isFirst ? "POST" : "PUT", path, { body, headers: YAML }];
    }
  }
}
