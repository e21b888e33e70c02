/**
 * What every template sees: the root variables of its flow, time, zone and chance. Executions, triggers, inputs and
 * expressions that are tried out all build their scope here; a root variable for all of them is added to {@link ROOTS}.
 */
import type { Clock, Instant } from "../base/time/clock.ts";
import { isJsonObject, type JsonObject, type JsonValue, ownProperty, setOwnProperty } from "../base/json.ts";
import { RenderTime, type Scope } from "../expr/mod.ts";
import { publicTenantId } from "../model/access/tenant.ts";
import type { Execution } from "../model/executions/execution.ts";
import type { Flow } from "../model/flows/flow.ts";
import { isSystemLabel, type Label } from "../model/flows/label.ts";

/** What every scope takes from the server. */
export interface ScopeDeps {
  readonly clock: Clock;
  readonly timeZone: string;
  readonly random: () => number;
  /** Longest evaluation of the templates of one scope, in milliseconds. */
  readonly maxRenderMs?: number;
}

const DEFAULT_MAX_RENDER_MS = 1_000;
/** Longest evaluation in the thread of the server where there is another one. */
const TURN_MS = 30;

type Lookup = Scope["variable"];

/** What scopes reach beyond their variables. A render that lacks a value from outside is repeated with it. */
export interface ScopeHost extends Pick<Scope, "functions" | "elsewhere"> {
  /** The instant of the render under way, the same in each repeat. */
  instant(clock: Clock): Instant;
  /** A random number of the render under way, the same in each repeat. */
  random(draw: () => number): number;
}

/** For renders that need no value from outside: they are never repeated. */
export const NO_HOST: ScopeHost = Object.freeze({
  functions: new Map(),
  elsewhere: undefined,
  instant: (clock: Clock) => clock.now(),
  random: (draw: () => number) => draw(),
});

/** A scope at the present instant. The functions of `host` are read when a template first calls one. */
export function createScope(
  deps: ScopeDeps,
  host: ScopeHost,
  variables: Pick<Scope, "variable" | "authored">,
): Scope {
  return new HostScope(deps, host, variables);
}

/** A class, as one is made for every render: an object with accessors takes longer. */
class HostScope implements Scope {
  readonly variable: Scope["variable"];
  readonly authored: Scope["authored"];
  readonly elsewhere: Scope["elsewhere"];
  readonly now: Instant;
  readonly timeZone: string;
  readonly time: RenderTime;
  readonly #host: ScopeHost;
  readonly #draw: () => number;

  constructor(
    { clock, timeZone, random, maxRenderMs = DEFAULT_MAX_RENDER_MS }: ScopeDeps,
    host: ScopeHost,
    { variable, authored }: Pick<Scope, "variable" | "authored">,
  ) {
    const { elsewhere } = host;
    this.variable = variable;
    this.authored = authored;
    this.elsewhere = elsewhere;
    this.now = host.instant(clock);
    this.timeZone = timeZone;
    this.time = new RenderTime(clock, maxRenderMs, elsewhere && TURN_MS);
    this.#host = host;
    this.#draw = random;
  }

  get functions(): Scope["functions"] {
    return this.#host.functions;
  }

  random(): number {
    return this.#host.random(this.#draw);
  }
}

/** Looks in `variables` first. A null there is a value: it hides what the name means in `next`. */
export function withVariables(variables: JsonObject, next: Lookup): Lookup {
  return (name) => Object.hasOwn(variables, name) ? ownProperty(variables, name) : next(name);
}

/** Root variables that are the same for every flow of this server. */
export interface ServerRoots {
  /** Environment variables that flows may read, by lower-case name without prefix. */
  readonly envs: JsonObject;
  /** Values of the configuration of this server. */
  readonly globals?: JsonObject;
  /** `url`, the public address of this server, and `environment`, its name; absent when neither is configured. */
  readonly kestra?: JsonObject;
}

/** What the common root variables are read from. */
export interface RootSource {
  readonly flow: Flow;
  readonly server: ServerRoots;
  /** Absent for templates outside of executions. */
  readonly execution?: Execution;
}

const NO_GLOBALS: JsonObject = Object.freeze({});

const ROOTS: ReadonlyMap<string, (source: RootSource) => JsonValue | undefined> = new Map<
  string,
  (source: RootSource) => JsonValue | undefined
>([
  [
    "flow",
    ({ flow: { id, namespace, revision, tenant } }) => ({
      id,
      namespace,
      revision,
      tenantId: publicTenantId(tenant),
    }),
  ],
  // Tasks of an execution may have replaced the variables of its flow.
  ["vars", ({ flow, execution }) => execution?.variables ?? flow.variables ?? {}],
  // Read with the flow: an execution keeps the variables that it started with while it is in memory.
  ["namespace", ({ flow: { inherited } }) => inherited?.variables],
  ["labels", ({ flow, execution }) => nestLabels((execution ?? flow).labels)],
  ["envs", ({ server }) => server.envs],
  ["globals", ({ server }) => server.globals ?? NO_GLOBALS],
  ["tenantId", ({ flow }) => publicTenantId(flow.tenant)],
  ["kestra", ({ server }) => server.kestra],
]);

/** A root variable that all templates see; `undefined` if no such name exists. Built when it is read. */
export function rootVariable(name: string, source: RootSource): JsonValue | undefined {
  return ROOTS.get(name)?.(source);
}

/** The root variables that the authors of a flow and of its namespace wrote; executions may replace them. */
export function authoredBy({ variables, inherited }: Pick<Flow, "variables" | "inherited">): JsonObject {
  const vars = variables ?? {};
  return inherited ? { vars, namespace: inherited.variables } : { vars };
}

/**
 * Labels by their keys. Those with a dot are in a tree besides: `app.tier` is `labels['app.tier']` and `labels.app.tier`,
 * if there is no label `app`. Those of the server are in the tree only.
 */
export function nestLabels(labels: readonly Label[]): JsonObject {
  const tree: JsonObject = {};
  // Shorter keys come first: no label is replaced by the tree of others.
  const dotted = labels.filter(({ key }) => key.includes(".")).sort((a, b) => a.key.length - b.key.length);
  for (const label of dotted.filter(({ key }) => isSystemLabel(key))) addToTree(tree, label);
  for (const { key, value } of labels) {
    if (!isSystemLabel(key) && !Object.hasOwn(tree, key)) setOwnProperty(tree, key, value);
  }
  for (const label of dotted.filter(({ key }) => !isSystemLabel(key))) addToTree(tree, label);
  return tree;
}

function addToTree(tree: JsonObject, { key, value }: Label): void {
  const parts = key.split(".");
  let node = tree;
  for (const part of parts.slice(0, -1)) {
    if (!Object.hasOwn(node, part)) setOwnProperty(node, part, {});
    const child = ownProperty(node, part);
    if (!isJsonObject(child)) return;
    node = child;
  }
  const name = parts[parts.length - 1] as string;
  if (!Object.hasOwn(node, name)) setOwnProperty(node, name, value);
}
