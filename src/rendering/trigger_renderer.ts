/** Renders what flows declare for their triggers: conditions, labels, inputs, keys. No execution exists yet. */
import type { JsonObject, JsonValue } from "../base/json.ts";
import { renderDeep, renderText, type Scope, type Template } from "../expr/mod.ts";
import type { Flow } from "../model/flows/flow.ts";
import { KeptTemplates } from "./kept_templates.ts";
import { mayHoldTemplate } from "./text_search.ts";
import { HostCalls, type HostValues } from "./host_functions/mod.ts";
import type { SecretMask } from "./secret_mask.ts";
import {
  authoredBy,
  createScope,
  rootVariable,
  type ScopeDeps,
  type ServerRoots,
  withVariables,
} from "./scope.ts";

/** Renders what a flow declares for a trigger. */
export interface TriggerRenderer {
  /** A value with all templates in it rendered; `mask` learns the secrets that it used. @throws Error the reason it cannot be rendered */
  value(flow: Flow, value: JsonValue, variables: JsonObject, mask?: SecretMask): Promise<JsonValue>;
  /** The text of a template. @throws Error the reason it cannot be rendered */
  text(flow: Flow, template: string, variables: JsonObject): Promise<string>;
}

interface TriggerRendererDeps extends ScopeDeps, ServerRoots {
  readonly values: HostValues;
}

/** Characters of the templates that are kept; each takes some 100 bytes of memory. */
const MAX_TEMPLATE_CHARS = 512 * 1024;

/** A renderer whose templates see the common root variables and those that the caller gives. */
export function createTriggerRenderer(deps: TriggerRendererDeps): TriggerRenderer {
  const templates = new KeptTemplates(MAX_TEMPLATE_CHARS);
  const compile = (source: string): Template => templates.compiled(source);
  return {
    async value(flow, value, variables, mask) {
      if (!mayHoldTemplate(value)) return value;
      const { calls, scope } = prepare(deps, flow, variables);
      const rendered = await calls.run(() => renderValueDeep(value, scope, compile));
      for (const secret of calls.secrets) mask?.add(secret);
      return rendered;
    },
    async text(flow, source, variables) {
      const { calls, scope } = prepare(deps, flow, variables);
      return await calls.run(() => renderText(compile(source), scope));
    },
  };
}

function renderValueDeep(value: JsonValue, scope: Scope, compile: (source: string) => Template): JsonValue {
  return typeof value === "string" ? renderText(compile(value), scope) : renderDeep(value, scope, compile);
}

function prepare(
  deps: TriggerRendererDeps,
  flow: Flow,
  variables: JsonObject,
): { calls: HostCalls; scope: Scope } {
  const { tenant, namespace, id: flowId } = flow;
  const calls = new HostCalls(deps.values, { tenant, namespace, flowId, now: () => deps.clock.now() });
  const roots = { flow, server: deps };
  const variable = withVariables(variables, (name) => rootVariable(name, roots));
  return { calls, scope: createScope(deps, calls, { variable, authored: authoredBy(flow) }) };
}
