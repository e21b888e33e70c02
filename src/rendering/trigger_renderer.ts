/** Renders what flows say about their triggers: conditions, labels, inputs, keys. No execution is there yet. */
import type { Clock } from "../base/clock.ts";
import { type JsonObject, type JsonValue, ownProperty } from "../base/json.ts";
import { compileTemplate, renderDeep, renderText, type Scope, type Template } from "../expr/mod.ts";
import type { Flow } from "../model/flows/flow.ts";
import { HostCalls, type HostValues } from "./host_functions/mod.ts";
import { nestLabels } from "./variables.ts";

/** Renders what a flow says about a trigger. */
export interface TriggerRenderer {
  /** A value with all templates in it rendered, which see these variables. @throws Error what cannot be rendered */
  value(flow: Flow, value: JsonValue, variables: JsonObject): Promise<JsonValue>;
  /** The text of a template. @throws Error what cannot be rendered */
  text(flow: Flow, template: string, variables: JsonObject): Promise<string>;
}

/** What rendering needs from the server. */
interface TriggerRendererDeps {
  readonly clock: Clock;
  readonly timeZone: string;
  readonly random: () => number;
  readonly envs: JsonObject;
  readonly kestra?: JsonObject;
  readonly values: HostValues;
}

/** Templates that are kept; each some KB. */
const MAX_KEPT_TEMPLATES = 1_000;

/** A renderer; its expressions see the flow, its variables, the server's, and what the caller gives. */
export function createTriggerRenderer(parts: TriggerRendererDeps): TriggerRenderer {
  const templates = new Map<string, Template>();
  const compile = (source: string): Template => {
    const kept = templates.get(source);
    if (kept) return kept;
    const template = compileTemplate(source);
    if (templates.size >= MAX_KEPT_TEMPLATES) templates.clear();
    templates.set(source, template);
    return template;
  };
  return {
    async value(flow, value, variables) {
      if (!mayHoldTemplate(value)) return value;
      const { calls, scope } = prepare(parts, flow, variables);
      return await calls.run(() => renderValueDeep(value, scope, compile));
    },
    async text(flow, source, variables) {
      const { calls, scope } = prepare(parts, flow, variables);
      return await calls.run(() => renderText(compile(source), scope));
    },
  };
}

function renderValueDeep(value: JsonValue, scope: Scope, compile: (source: string) => Template): JsonValue {
  return typeof value === "string" ? renderText(compile(value), scope) : renderDeep(value, scope, compile);
}

function mayHoldTemplate(value: JsonValue): boolean {
  if (typeof value === "string") return value.includes("{");
  return typeof value === "object" && value !== null;
}

function prepare(
  { clock, timeZone, random, envs, kestra, values }: TriggerRendererDeps,
  { tenant, namespace, id, revision, variables: vars, labels }: Flow,
  variables: JsonObject,
): { calls: HostCalls; scope: Scope } {
  const calls = new HostCalls(values, { tenant, namespace, now: () => clock.now() });
  const roots = new Map<string, JsonValue>([
    ["flow", { id, namespace, revision, tenantId: tenant }],
    ["vars", vars],
    ["labels", nestLabels(labels)],
    ["envs", envs],
    ["tenantId", tenant],
    ...kestra ? [["kestra", kestra] as const] : [],
  ]);
  const scope: Scope = {
    variable: (name) => Object.hasOwn(variables, name) ? ownProperty(variables, name) : roots.get(name),
    functions: calls.functions,
    now: clock.now(),
    timeZone,
    random,
  };
  return { calls, scope };
}
