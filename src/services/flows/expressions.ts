/**
 * Renders expressions that a caller tries out. A caller who may enter the tenant may also run flows there, so expressions
 * may read the KV pairs of any namespace; secrets are usable and masked.
 */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { BUILT_IN_FUNCTION_PARAMETERS, FILTER_NAMES } from "../../expr/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { RenderExpression } from "../../rendering/expression_renderer.ts";

/** Expressions to render. */
export interface RenderRequest {
  readonly expressions: readonly string[];
  /** The root variables of the expressions. */
  readonly context: JsonObject;
  /** Namespace of the KV pairs and secrets; without it, expressions can use none. */
  readonly namespace?: string;
}

interface ExpressionsDeps {
  readonly render: RenderExpression;
  /** The parameter names of host functions. */
  readonly functions: ReadonlyMap<string, readonly string[]>;
}

/** The use cases of expressions. */
export class Expressions {
  readonly #deps: ExpressionsDeps;

  constructor(deps: ExpressionsDeps) {
    this.#deps = deps;
  }

  /** Names of filters, sorted. */
  get filterNames(): string[] {
    return [...FILTER_NAMES].sort();
  }

  /** The functions with their parameter names, sorted by name. */
  get functions(): { readonly name: string; readonly arguments: readonly string[] }[] {
    const all = new Map([...BUILT_IN_FUNCTION_PARAMETERS, ...this.#deps.functions]);
    return [...all].map(([name, parameters]) => ({ name, arguments: parameters }))
      .sort((a, b) => a.name < b.name ? -1 : 1);
  }

  /** `{rendered, errors}`: by expression, the text it renders to or the error message. */
  async render({ tenant }: Actor, request: RenderRequest): Promise<JsonObject> {
    const { expressions, context, namespace } = request;
    const rendered: JsonObject = {}, errors: JsonObject = {};
    for (const source of new Set(expressions)) {
      const result = await this.#deps.render(source, { tenant, namespace, context });
      if ("text" in result) setOwnProperty(rendered, source, result.text);
      else setOwnProperty(errors, source, result.error);
    }
    return { rendered, errors };
  }
}
