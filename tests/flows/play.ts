/** Runs the scenario of a file as a user would: saves its flows, starts one, acts on the execution and waits for the end. */
import { parseDuration } from "../../src/base/time/duration.ts";
import { type State, TERMINAL_STATES } from "../../src/model/executions/state.ts";
import { settle } from "../support/fakes/fake_clock.ts";
import { type ExecutionResponse, Harness, type HarnessOptions } from "../support/harness.ts";
import { until } from "../support/processes/machine_processes.ts";
import type { MisbehavingServer, ReceivedRequest } from "../support/servers/misbehaving_server.ts";
import { PackageIndex, type Wheel, wheelOf } from "../support/servers/package_index.ts";
import { fileForm, json, yaml } from "../support/flows/request_bodies.ts";
import type { Expectation, PackageSpec, Scenario, Step, UserFlow, WebhookCall } from "./user_flow.ts";
import { pointTo, serveWeb } from "./web.ts";

/** An ended scenario, while its server still runs. */
export interface Played {
  readonly app: Harness;
  /** Of the main flow. */
  readonly namespace: string;
  readonly execution: ExecutionResponse;
  readonly log: readonly string[];
  readonly requests: readonly ReceivedRequest[];
}

/** Plays the scenario of a file until what is expected can be checked, and calls `check`. */
export async function play(
  flow: UserFlow,
  { expect, options, check }: {
    readonly expect: Expectation;
    readonly options: HarnessOptions;
    readonly check: (played: Played) => Promise<void>;
  },
): Promise<void> {
  const { scenario } = flow;
  await using web = serveWeb(scenario.web ?? {});
  await using packages = new PackageIndex((scenario.packages ?? []).map(wheelOfSpec));
  const envs = new Map(Object.entries(scenario.envs ?? {}));
  await using app = await Harness.start({ envs, ...options });
  const player = new Player(app, flow);
  if (scenario.packages) await player.setIndex(packages.url);
  await player.prepare(web);
  await player.run();
  const execution = await player.end(expect);
  const namespace = player.main.namespace;
  await check({ app, namespace, execution, log: await logOf(app, execution.id), requests: web.requests });
}

/** `LEVEL message` of each line of the log. */
async function logOf(app: Harness, id: string): Promise<string[]> {
  const lines = await app.json("GET", `/logs/${id}`) as { level: string; message: string }[];
  return lines.map(({ level, message }) => `${level} ${message}`);
}

/** All executions of a flow, oldest first. */
export async function executionsOf(
  app: Harness,
  flow: { readonly id: string; readonly namespace: string },
): Promise<readonly ExecutionResponse[]> {
  const query = `namespace=${flow.namespace}&flowId=${flow.id}&size=200&sort=state.startDate:asc`;
  const { results } = await app.page<ExecutionResponse>(`/executions/search?${query}`);
  return results;
}

interface TriggerResponse {
  readonly state: { readonly triggerId: string; readonly evaluations?: readonly unknown[] };
}

class Player {
  readonly #app: Harness;
  readonly #flow: UserFlow;
  readonly #scenario: Scenario;
  #id: string | undefined;

  constructor(app: Harness, flow: UserFlow) {
    this.#app = app;
    this.#flow = flow;
    this.#scenario = flow.scenario;
  }

  /** The flow whose execution is looked at. */
  get main(): UserFlow["flows"][number] {
    const { start } = this.#scenario;
    const main = start ? this.#flow.flows.find(({ id }) => id === start) : this.#flow.flows.at(-1);
    if (!main) throw new Error(`${this.#flow.name}: no flow ${start}`);
    return main;
  }

  /** Sets the index as an administrator does, for all scripts of the namespace. */
  async setIndex(url: string): Promise<void> {
    const env = { PIP_INDEX_URL: url, PIP_FIND_LINKS: "", PIP_CONFIG_FILE: "/dev/null" };
    const types = ["io.kestra.plugin.scripts", "io.kestra.plugin.dbt"];
    const pluginDefaults = types.map((type) => ({ type, values: { env } }));
    await this.#app.json("POST", "/namespaces", json({ id: this.main.namespace, pluginDefaults }));
  }

  async prepare(web: MisbehavingServer): Promise<void> {
    const { namespace } = this.main;
    for (const [key, value] of Object.entries(this.#scenario.kv ?? {})) {
      await this.#app.json("PUT", `/namespaces/${namespace}/kv/${key}`, json(JSON.stringify(value)));
    }
    for (const [key, value] of Object.entries(this.#scenario.secrets ?? {})) {
      await this.#app.json("PUT", `/namespaces/${namespace}/secrets`, json({ key, value }));
    }
    for (const [path, content] of Object.entries(this.#scenario.namespaceFiles ?? {})) {
      const query = `path=${encodeURIComponent(`/${path}`)}`;
      const form = fileForm(pointTo(web, content), path.split("/").at(-1));
      await this.#app.json("POST", `/namespaces/${namespace}/files?${query}`, form);
    }
    for (const { source } of this.#flow.flows) {
      await this.#app.json("POST", "/flows", yaml(pointTo(web, source)));
    }
  }

  async run(): Promise<void> {
    const { start, inputs, steps = [] } = this.#scenario;
    if (start !== false) this.#id = await this.#start(this.main.id, inputs);
    for (const step of steps) await this.#do(step);
  }

  /** Waits until the executions are in the states that are expected, or cannot get there any more. */
  async end({ state = "SUCCESS", executions = {} }: Expectation): Promise<ExecutionResponse> {
    const waited = { [this.main.id]: state, ...executions };
    let current: readonly ExecutionResponse[] = [];
    const hasEnded = async () => {
      await this.#tick();
      for (const [id, states] of Object.entries(waited)) {
        const flow = this.#flow.flows.find((each) => each.id === id);
        current = await executionsOf(this.#app, flow ?? { id, namespace: this.main.namespace });
        const expected = states.split(" ").filter((state) => state !== "");
        if (current.length < expected.length) return false;
        if (current.some((each) => !isTerminal(stateOf(each)) && !expected.includes(stateOf(each)))) {
          return false;
        }
      }
      return await this.#hasNoOpenTask();
    };
    try {
      await until(hasEnded);
    } catch (error) {
      throw new Error(`${this.#flow.name} does not end: ${JSON.stringify(current)}`, { cause: error });
    }
    this.#id ??= (await executionsOf(this.#app, this.main)).at(-1)?.id;
    return await this.#app.execution(this.#id);
  }

  async #do(step: Step): Promise<void> {
    const { when, advance, start, inputs, webhook, resume, request } = step;
    if (when) await until(async () => (await this.#tick(), await this.#holds(when)));
    if (advance) await this.#app.advance(parseDuration(advance) ?? NaN);
    if (start) await this.#start(start, inputs);
    if (webhook) await this.#call(webhook);
    if (resume) await this.#request("POST resume", formOf(resume));
    if (request) await this.#request(request);
    await settle();
  }

  async #start(id: string, inputs: Scenario["inputs"] = {}): Promise<string> {
    const flow = this.#flow.flows.find((each) => each.id === id) ?? this.main;
    const body = formOf(inputs);
    const execution = await this.#app.json("POST", `/executions/${flow.namespace}/${flow.id}`, { body });
    await settle();
    return (execution as { id: string }).id;
  }

  async #call(call: WebhookCall): Promise<void> {
    const { flow = this.main.id, key, method = "POST", query = "", headers = {}, body } = call;
    const { namespace } = this.#flow.flows.find(({ id }) => id === flow) ?? this.main;
    const init: RequestInit = { headers: { "content-type": "application/json", ...headers } };
    if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
    const path = `/executions/webhook/${namespace}/${flow}/${key}${query && `?${query}`}`;
    const response = await this.#app.json(method, path, init);
    this.#id = (response as { id?: string } | null)?.id ?? this.#id;
  }

  async #request(request: string, body?: FormData): Promise<void> {
    const [method = "", action] = request.split(" ");
    const response = await this.#app.json(method, `/executions/${this.#id}/${action}`, body ? { body } : {});
    if (action === "replay") this.#id = (response as { id: string }).id;
  }

  async #holds(when: string): Promise<boolean> {
    const [state, taskId] = when.split(" ").reverse();
    if (Number(state) > 0) return await this.#evaluations(taskId) >= Number(state);
    if (this.#id === undefined) this.#id = (await executionsOf(this.#app, this.main)).at(-1)?.id;
    if (this.#id === undefined) return false;
    if (taskId === undefined) return await this.#state() === state;
    const { taskRunList } = await this.#app.execution(this.#id);
    return stateOf(taskRunList.findLast((taskRun) => taskRun.taskId === taskId)) === state;
  }

  async #evaluations(triggerId?: string): Promise<number> {
    const { results } = await this.#app.page<TriggerResponse>("/triggers/search");
    return results.find(({ state }) => state.triggerId === triggerId)?.state.evaluations?.length ?? 0;
  }

  /** Tasks of `afterExecution` run when the execution has its last state. */
  async #hasNoOpenTask(): Promise<boolean> {
    if (this.#id === undefined) return true;
    const { state, taskRunList } = await this.#app.execution(this.#id);
    return !isTerminal(state.current) || taskRunList.every((taskRun) => isTerminal(stateOf(taskRun)));
  }

  async #state(): Promise<string> {
    return stateOf(await this.#app.execution(this.#id));
  }

  /** Moves the clock only while all executions wait for a time or for each other: it also limits the times of requests. */
  async #tick(): Promise<void> {
    if (!this.#scenario.tick) return;
    const all = await Promise.all(this.#flow.flows.map((flow) => executionsOf(this.#app, flow)));
    const open = all.flat().filter((execution) => !isTerminal(stateOf(execution)));
    const waits = await Promise.all(open.map(async ({ id }) => (await this.#app.execution(id)).waiting));
    if (!waits.every(isObject)) return;
    const times = waits.flatMap(({ until }) => typeof until === "string" ? [Date.parse(until)] : []);
    if (times.length > 0) await this.#app.advance(Math.max(0, Math.min(...times) - this.#app.clock.now()));
  }
}

function wheelOfSpec({ name, version, files, programs = {} }: PackageSpec): Wheel {
  const id = name.replaceAll("-", "_");
  const lines = Object.entries(programs).map(([program, target]) => `${program} = ${target}\n`);
  const entryPoints = `[console_scripts]\n${lines.join("")}`;
  const members = Object.entries({ ...files, [`${id}-${version}.dist-info/entry_points.txt`]: entryPoints });
  return wheelOf(id, version, members.map(([path, data]) => ({ name: path, data })));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isTerminal(state: string): boolean {
  return TERMINAL_STATES.has(state as State);
}

function stateOf(run: { readonly state: { readonly current: string } } | undefined): string {
  return run?.state.current ?? "";
}

function formOf(inputs: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(inputs)) {
    if (typeof value === "object" && value !== null && "$file" in value) {
      const { $file, content } = value as { $file: string; content?: string };
      form.set(name, new Blob([content ?? ""]), $file);
    } else form.set(name, typeof value === "string" ? value : JSON.stringify(value));
  }
  return form;
}
