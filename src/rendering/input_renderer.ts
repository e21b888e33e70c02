/** Renders defaults of inputs and checks of flows: before an execution exists, or for one that is paused. */
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { compileTemplate, renderValue, type Scope } from "../expr/mod.ts";
import type { Flow } from "../model/flows/flow.ts";
import {
  authoredBy,
  createScope,
  rootVariable,
  type ScopeDeps,
  type ScopeHost,
  type ServerRoots,
  withVariables,
} from "./scope.ts";

/** A template of a flow, and what it sees besides the common root variables. */
interface InputTemplate {
  readonly template: string;
  /** The inputs before a default, or all of them for a check. */
  readonly inputs: JsonObject;
  readonly host: ScopeHost;
  /** The root variables of the execution that asks for inputs; its own inputs are seen beside `inputs`. */
  readonly variable?: Scope["variable"];
}

/** The value of a template. @throws ExpressionError it cannot be rendered */
type RenderInput = (flow: Flow, template: InputTemplate) => JsonValue;

/** A renderer of defaults and checks. */
export function createInputRenderer(deps: ScopeDeps & { readonly server: ServerRoots }): RenderInput {
  const { server } = deps;
  return (flow, { template, inputs: own, host, variable: ofExecution }) => {
    const roots = { flow, server };
    const given = ofExecution?.("inputs");
    const inputs = isJsonObject(given) ? { ...given, ...own } : own;
    const variable = withVariables({ inputs }, ofExecution ?? ((name) => rootVariable(name, roots)));
    const scope = createScope(deps, host, { variable, authored: authoredBy(flow) });
    return renderValue(compileTemplate(template), scope);
  };
}
