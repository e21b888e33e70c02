/** The mixed load of a soak run: one operation after the other at a steady rate. */
import type { Chance } from "../crash/chance.ts";
import { type Client, type Outcome, readJson } from "../crash/client.ts";
import { contentOf } from "../crash/verification/ledger.ts";
import { type Acknowledged, isExpected, type StartedExecution } from "./acknowledged.ts";
import { NAMESPACE, savedFlow, STARTED, WEBHOOK_KEY } from "./flows.ts";
import type { Followers } from "./followers.ts";

/** What the load works with. */
export interface LoadDeps {
  readonly client: Client;
  readonly acknowledged: Acknowledged;
  readonly followers: Followers;
  readonly chance: Chance;
}

type Work = () => Promise<unknown>;

/** Every start has ended by then, also behind others in a queue and on a machine that does much else. */
const SETTLE_MS = 45_000;
/** Those that must be resumed or killed. */
const OTHERS_ACT_MS = 20_000;
const SMALL = 60;
const LARGE = 60_000;
const NAMES = 8;
const RECENT = 10;
const JSON_TYPE = { "content-type": "application/json" };
const YAML = { "content-type": "application/x-yaml" };
const BELOW = `/main/namespaces/${NAMESPACE}`;
/** Responses that say honestly that nothing was done. */
const BUSY: readonly number[] = [429, 503, 507];

const LISTS: readonly string[] = [
  "/main/executions/search?size=25&sort=state.startDate:desc",
  `/main/executions/search?filters[namespace][EQUALS]=${NAMESPACE}&filters[state][IN]=SUCCESS,FAILED&size=50`,
  "/main/executions/search?filters[flowId][STARTS_WITH]=p&filters[timeRange][EQUALS]=PT5M",
  "/main/executions/search?q=limited&sort=state.duration:desc",
  "/main/logs/search?minLevel=INFO&size=20",
  "/main/flows/search?q=soak&size=20",
  "/main/triggers/search?size=20",
  "/main/kv?size=20",
  `${BELOW}/files/directory?path=/`,
  `/main/flows/${NAMESPACE}/pure/revisions`,
  `/main/executions/export/by-query/csv?filters[flowId][EQUALS]=wide`,
];

/** Does one thing at a time, chosen by chance. */
export class Load {
  readonly #deps: LoadDeps;
  readonly #work: readonly (readonly [weight: number, work: Work])[];
  #done = 0;

  constructor(deps: LoadDeps) {
    this.#deps = deps;
    this.#work = [
      [8, () => this.#start("pure")],
      [3, () => this.#start("wide")],
      [3, () => this.#start("sleep")],
      [2, () => this.#start("parent")],
      [2, () => this.#startWithFile()],
      [1, () => this.#start("script")],
      [1, () => this.#start("limited")],
      [1, () => this.#startFailing()],
      [1, () => this.#startAndResume()],
      [1, () => this.#startAndKill()],
      [1, () => this.#startAndDelete()],
      [1, () => this.#start("pure", "?wait=true")],
      [2, () => this.#call()],
      [2, () => this.#follow()],
      [4, () => this.#list()],
      [2, () => this.#write("kv")],
      [1, () => this.#write("file")],
      [1, () => this.#write("secret")],
      [1, () => this.#saveFlow()],
      [1, () => this.#readBack()],
    ];
  }

  /** Number of operations. */
  get done(): number {
    return this.#done;
  }

  /** Does one operation. Never rejects. */
  async next(): Promise<void> {
    this.#done++;
    await this.#deps.chance.weighted(this.#work)();
  }

  /** Looks at the executions that are due: they must be there, ended as they should. */
  async checkDue(now: number): Promise<void> {
    const { acknowledged, client } = this.#deps;
    for (let due = acknowledged.takeDue(now); due; due = acknowledged.takeDue(now)) {
      const outcome = await client.send("GET", `/main/executions/${due.id}`);
      if (outcome.type === "unanswered") continue;
      if (outcome.type === "refused") {
        acknowledged.problem(`${due.id} was acknowledged, but is gone: ${outcome.status}`);
        continue;
      }
      this.#checkEnd(due, readJson(outcome.body));
    }
  }

  /** Looks at every text that was written. */
  async checkWritten(): Promise<void> {
    for (const name of this.#deps.acknowledged.written.keys()) await this.#checkOne(name);
  }

  #checkEnd({ id, name, endsIn }: StartedExecution, body: unknown): void {
    const { state, taskRunList = [] } = body as {
      state: { current: string };
      taskRunList?: { taskId: string; outputs?: { value?: unknown } }[];
    };
    const { acknowledged } = this.#deps;
    if (!endsIn.includes(state.current)) {
      return acknowledged.problem(`${id} is ${state.current}, but must be ${endsIn.join(" or ")}`);
    }
    const said = taskRunList.find(({ taskId }) => taskId === "say")?.outputs?.value;
    if (state.current === "SUCCESS" && said !== `Hello ${name}`) {
      acknowledged.problem(`${id} says "${said}", but must say "Hello ${name}"`);
    }
  }

  async #start(flow: string, query = "", body?: FormData): Promise<string | undefined> {
    const { acknowledged } = this.#deps;
    const name = `n${acknowledged.nextVersion(0).n}`;
    const form = body ?? new FormData();
    form.set("name", name);
    const outcome = await this.#send("POST", `/main/executions/${NAMESPACE}/${flow}${query}`, { body: form });
    if (outcome.type !== "acknowledged") return undefined;
    const { id } = readJson(outcome.body) as { id: string };
    const endsIn = STARTED[flow]?.endsIn ?? [];
    acknowledged.started({ id, name, endsIn, dueAt: Date.now() + SETTLE_MS });
    return id;
  }

  async #startWithFile(): Promise<void> {
    const form = new FormData();
    form.set("upload", new Blob([contentOf("upload", { n: 1, size: LARGE })]), "data.txt");
    await this.#start("files", "", form);
  }

  /** A failed execution runs again from its failed task, and fails again. */
  async #startFailing(): Promise<void> {
    const id = await this.#start("failing");
    if (id && this.#deps.chance.holds(0.5)) {
      await this.#send("POST", `/main/executions/${id}/restart`, {}, [409]);
    }
  }

  async #startAndResume(): Promise<void> {
    const id = await this.#start("paused");
    if (id) await this.#until(() => this.#send("POST", `/main/executions/${id}/resume`, {}, [409]));
  }

  async #startAndKill(): Promise<void> {
    const id = await this.#start("long");
    if (id) await this.#until(() => this.#send("DELETE", `/main/executions/${id}/kill`, {}, [409]));
  }

  async #startAndDelete(): Promise<void> {
    const id = await this.#start("pure");
    if (!id) return;
    const outcome = await this.#send("DELETE", `/main/executions/${id}`);
    if (outcome.type !== "refused") this.#deps.acknowledged.forget(id);
  }

  async #until(work: () => Promise<Outcome>): Promise<void> {
    const endsAt = Date.now() + OTHERS_ACT_MS;
    while (Date.now() < endsAt && (await work()).type === "refused") {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #call(): Promise<void> {
    const body = JSON.stringify({ name: "called" });
    await this.#send("POST", `/main/executions/webhook/${NAMESPACE}/called/${WEBHOOK_KEY}`, {
      body,
      headers: JSON_TYPE,
    });
  }

  #follow(): Promise<void> {
    const { acknowledged, chance, followers } = this.#deps;
    const followed = chance.pick(acknowledged.latest(RECENT));
    if (followed) {
      followers.follow(`/main/${chance.pick(["executions", "logs"])}/${followed.id}/follow`, chance);
    }
    return Promise.resolve();
  }

  async #list(): Promise<void> {
    await this.#send("GET", this.#deps.chance.pick(LISTS) ?? "");
  }

  async #write(kind: "kv" | "file" | "secret"): Promise<void> {
    const { acknowledged, chance } = this.#deps;
    const entry = acknowledged.entry(`${kind}-${Math.floor(chance.next() * NAMES)}`);
    const version = acknowledged.nextVersion(chance.holds(0.2) && kind !== "secret" ? LARGE : SMALL);
    entry.unanswered = version;
    const outcome = await this.#send(...writeRequest(kind, entry.name, contentOf(entry.name, version)));
    if (outcome.type === "acknowledged") entry.version = version;
    if (outcome.type !== "unanswered") entry.unanswered = undefined;
  }

  async #readBack(): Promise<void> {
    const name = this.#deps.chance.pick([...this.#deps.acknowledged.written.keys()]);
    if (name !== undefined) await this.#checkOne(name);
  }

  async #checkOne(name: string): Promise<void> {
    const { acknowledged, client } = this.#deps;
    const before = { ...acknowledged.entry(name) };
    if (before.version === undefined || name.startsWith("secret")) return;
    const path = name.startsWith("kv") ? `${BELOW}/kv/${name}` : `${BELOW}/files?path=/${name}.txt`;
    const outcome = await client.send("GET", path);
    if (outcome.type === "unanswered") return;
    const text = outcome.type === "acknowledged" ? textOf(name, outcome.body) : undefined;
    // Another operation may have written it meanwhile.
    if (!isExpected(before, text) && !isExpected(acknowledged.entry(name), text)) {
      acknowledged.problem(`${name} is not what was acknowledged: ${outcome.type}, "${text?.slice(0, 100)}"`);
    }
  }

  /** Saves a new revision and removes the one before, so that revisions do not pile up. */
  async #saveFlow(): Promise<void> {
    const { acknowledged, chance } = this.#deps;
    const id = `saved-${Math.floor(chance.next() * NAMES)}`;
    const path = `/main/flows/${NAMESPACE}/${id}`;
    const body = savedFlow(id, acknowledged.nextVersion(0).n);
    const saved = await this.#send("PUT", path, { body, headers: YAML }, [404]);
    if (saved.type === "refused") await this.#send("POST", "/main/flows", { body, headers: YAML }, [422]);
    if (saved.type !== "acknowledged") return;
    const { revision } = readJson(saved.body) as { revision: number };
    await this.#send("DELETE", `${path}/revisions?revisions=${revision - 1}`, {}, [404, 409, 422]);
  }

  /** `honest`: refusals that may be, beside those of a busy server. */
  async #send(
    method: string,
    path: string,
    init: RequestInit = {},
    honest: readonly number[] = [],
  ): Promise<Outcome> {
    const { client, acknowledged } = this.#deps;
    const outcome = await client.send(method, path, init);
    if (outcome.type === "unanswered" && !client.isGone) {
      acknowledged.problem(`${method} ${path}: no response`);
    }
    if (outcome.type === "refused" && ![...BUSY, ...honest].includes(outcome.status)) {
      acknowledged.problem(`${method} ${path}: ${outcome.status} ${outcome.text.slice(0, 300)}`);
    }
    return outcome;
  }
}

function textOf(name: string, body: Uint8Array): string | undefined {
  if (name.startsWith("kv")) return (readJson(body) as { value?: string } | undefined)?.value;
  return new TextDecoder().decode(body);
}

function writeRequest(
  kind: "kv" | "file" | "secret",
  name: string,
  content: string,
): [method: string, path: string, init: RequestInit] {
  if (kind === "kv") {
    return ["PUT", `${BELOW}/kv/${name}`, { body: JSON.stringify(content), headers: JSON_TYPE }];
  }
  if (kind === "secret") {
    return ["PUT", `${BELOW}/secrets`, {
      body: JSON.stringify({ key: name, value: content }),
      headers: JSON_TYPE,
    }];
  }
  const body = new FormData();
  body.set("fileContent", new Blob([content]), "content.txt");
  return ["POST", `${BELOW}/files?path=/${name}.txt`, { body }];
}
