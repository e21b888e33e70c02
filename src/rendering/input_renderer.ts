/** Renders defaults of inputs and checks of flows, before an execution exists. */
import type { JsonObject, JsonValue } from "../base/json.ts";
import { compileTemplate, renderValue, type Scope } from "../expr/mod.ts";
import type { Flow } from "../model/flows/flow.ts";
import {
  authoredBy,
  createScope,
  rootVariable,
  type ScopeDeps,
  type ServerRoots,
  withVariables,
} from "./scope.ts";

/** A template of a flow, and what it sees besides the common root variables. */
interface InputTemplate {
  readonly template: string;
  /** The inputs before a default, or all of them for a check. */
  readonly inputs: JsonObject;
  readonly host: Pick<Scope, "functions" | "elsewhere">;
}

/** The value of a template. @throws ExpressionError it cannot be rendered */
type RenderInput = (flow: Flow, template: InputTemplate) => JsonValue;

/** A renderer of defaults and checks. */
export function createInputRenderer(deps: ScopeDeps & { readonly server: ServerRoots }): RenderInput {
  const { server } = deps;
  return (flow, { template, inputs, host }) => {
    const roots = { flow, server };
    const variable = withVariables({ inputs }, (name) => rootVariable(name, roots));
    const scope = createScope(deps, host, { variable, authored: authoredBy(flow) });
    return renderValue(compileTemplate(template), scope);
  };
}
