/**
 * Flows as users write them: `users/<group>/<name>.yaml`. Such a file begins with a comment that says what the flow does. The first
 * document says what is there before, what is done and what must come of it; the others are the flows, saved as they are.
 */
import { parse } from "@std/yaml";

/** A response of the web server of the test: a text, data as JSON, a status without body, or these in full; `turns` are given one after the other, the last again and again. */
export type WebResponse =
  | string
  | number
  | readonly unknown[]
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | { readonly turns: readonly WebResponse[] }
  | Readonly<Record<string, unknown>>;

/** A call of a webhook; its response becomes the execution that is looked at. */
export interface WebhookCall {
  /** Default: the last flow. */
  readonly flow?: string;
  readonly key: string;
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, data as JSON. */
  readonly body?: unknown;
}

/** A package of the package index, whose address is a plugin default of the namespace. */
export interface PackageSpec {
  readonly name: string;
  readonly version: string;
  /** Contents of files by their paths. */
  readonly files: Readonly<Record<string, string>>;
  /** Functions that programs call, such as `dbt_cli:main`, by the names of the programs. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** What is done; members of one step are done in this order. */
export interface Step {
  /**
   * Waits first: `PAUSED` for a state of the execution, `wait RUNNING` for one of its task `wait`, `poll 2` for the second
   * evaluation of the trigger `poll`.
   */
  readonly when?: string;
  /** Moves the clock, such as `PT1H`. */
  readonly advance?: string;
  /** Starts this flow besides, with these inputs. */
  readonly start?: string;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly webhook?: WebhookCall;
  /** Resumes the execution with these values. */
  readonly resume?: Readonly<Record<string, unknown>>;
  /** Any other request about the execution, such as `POST restart`. */
  readonly request?: string;
}

/** What must have come of it; what is absent is not looked at. */
export interface Expectation {
  /** Default: SUCCESS. */
  readonly state?: string;
  /** Members of the outputs of the flow. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** States of the runs of a task in their order, separated by spaces. */
  readonly tasks?: Readonly<Record<string, string>>;
  /** Members of the outputs of the last run of a task. */
  readonly taskOutputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Parts of lines of the log. */
  readonly log?: readonly string[];
  /** Parts that no line has. */
  readonly noLog?: readonly string[];
  /** Contents of files by the output of the flow that has their address. */
  readonly files?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Sums of metrics by name. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Requests that were sent, in any order: `POST /alerts`, or with a part of the body `POST /alerts: it failed`. */
  readonly sent?: readonly string[];
  /** How often a path was requested. */
  readonly sentCount?: Readonly<Record<string, number>>;
  /** Values of pairs of the namespace. */
  readonly kv?: Readonly<Record<string, unknown>>;
  /** Contents of files of the namespace. */
  readonly namespaceFiles?: Readonly<Record<string, string>>;
  /** States of all executions of a flow in order of their creation, separated by spaces. */
  readonly executions?: Readonly<Record<string, string>>;
}

/** The first document of a file. */
export interface Scenario {
  /** Programs without which it cannot run. */
  readonly needs?: readonly string[];
  /** Responses of the web server by `GET /path?query`; each host of `example.com` and `example.org` is that server. */
  readonly web?: Readonly<Record<string, WebResponse>>;
  readonly packages?: readonly PackageSpec[];
  readonly secrets?: Readonly<Record<string, string>>;
  readonly envs?: Readonly<Record<string, string>>;
  readonly kv?: Readonly<Record<string, unknown>>;
  readonly namespaceFiles?: Readonly<Record<string, string>>;
  /** The flow that is started; default: the last one. `false`: none, steps or triggers start it. */
  readonly start?: string | false;
  /** Inputs of that start; `{$file: "a.csv", content: "…"}` is an upload. */
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly steps?: readonly Step[];
  /** Moves the clock to the next time that an execution waits for, again and again until the end. */
  readonly tick?: boolean;
  readonly expect?: Expectation;
  /** What comes of it where no container runtime is; default: `expect`. */
  readonly expectWithoutContainers?: Expectation;
}

/** A flow of a file, as it is saved. */
export interface FlowSource {
  readonly id: string;
  readonly namespace: string;
  readonly source: string;
}

/** A file. */
export interface UserFlow {
  /** `group/name`. */
  readonly name: string;
  readonly about: string;
  readonly scenario: Scenario;
  /** In order of their saving; the last one is the main flow. */
  readonly flows: readonly FlowSource[];
}

const SCENARIO_MEMBERS: readonly (keyof Scenario)[] = [
  ...["needs", "web", "packages", "secrets", "envs", "kv", "namespaceFiles", "start", "inputs"] as const,
  ...["steps", "tick", "expect", "expectWithoutContainers"] as const,
];
const STEP_MEMBERS: readonly (keyof Step)[] = [
  ...["when", "advance", "start", "inputs", "webhook", "resume", "request"] as const,
];
const EXPECTATION_MEMBERS: readonly (keyof Expectation)[] = [
  ...[
    "state",
    "outputs",
    "tasks",
    "taskOutputs",
    "log",
    "noLog",
    "files",
    "labels",
    "metrics",
    "sent",
  ] as const,
  ...["sentCount", "kv", "namespaceFiles", "executions"] as const,
];

const FOLDER = new URL("users/", import.meta.url);

/** Names of all groups. */
export function groupNames(): readonly string[] {
  return Array.from(Deno.readDirSync(FOLDER), ({ name }) => name).sort();
}

/** The files of a group, by name. */
export function readGroup(group: string): readonly UserFlow[] {
  const folder = new URL(`${group}/`, FOLDER);
  const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
  return names.map((name) =>
    readUserFlow(`${group}/${name.replace(/\.ya?ml$/, "")}`, Deno.readTextFileSync(new URL(name, folder)))
  );
}

/** A file by its text. @throws Error it has no comment, no flow or an unknown member, or expects nothing beyond a state */
export function readUserFlow(name: string, text: string): UserFlow {
  const [first = "", ...sources] = text.split(/^---\n/m);
  const about = /^# (.+)\n/.exec(first)?.[1];
  if (about === undefined || sources.length === 0) throw new Error(`${name}: no comment, or no flow`);
  const scenario = (parse(first) ?? {}) as Scenario;
  checkMembers(name, scenario);
  return { name, about, scenario, flows: sources.map(readSource) };
}

/** A misspelt member would expect nothing. */
function checkMembers(name: string, scenario: Scenario): void {
  const { steps = [], expect = {}, expectWithoutContainers = {} } = scenario;
  const unknown = [
    ...unknownMembers(scenario, SCENARIO_MEMBERS),
    ...steps.flatMap((step) => unknownMembers(step, STEP_MEMBERS)),
    ...[expect, expectWithoutContainers].flatMap((each) => unknownMembers(each, EXPECTATION_MEMBERS)),
  ];
  if (unknown.length > 0) throw new Error(`${name}: unknown members ${unknown.join(", ")}`);
  const { state: _state, ...further } = expect;
  if (Object.keys(further).length === 0) throw new Error(`${name}: expects nothing beyond a state`);
}

function unknownMembers(value: object, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name));
}

function readSource(source: string): FlowSource {
  const { id, namespace } = parse(source, { logLevel: "error" }) as { id: string; namespace: string };
  return { id, namespace, source };
}
