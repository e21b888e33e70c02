/**
 * Rendering expressions for a caller who tries them out. A caller who may enter the tenant may also write a flow there and
 * run it, so the KV pairs of a namespace that he names are his to read; secrets can be used, and are shown as stars.
 */
import { type JsonObject, setOwnProperty } from "../../base/json.ts";
import { BUILT_IN_FUNCTION_NAMES, FILTER_NAMES } from "../../expr/mod.ts";
import type { Actor } from "../../model/access/actor.ts";
import type { RenderExpression } from "../../rendering/expression_renderer.ts";

/** What is to be rendered. */
export interface RenderRequest {
  readonly expressions: readonly string[];
  /** Its members are the variables that the expressions see. */
  readonly context: JsonObject;
  /** Whose KV pairs and secrets the expressions may use; none without it. */
  readonly namespace?: string;
}

/** What the service works with. */
interface ExpressionsDeps {
  readonly render: RenderExpression;
  /** Functions of the server that expressions may call beside the built-in ones. */
  readonly functions: ReadonlySet<string>;
}

/** The use cases of expressions. */
export class Expressions {
  readonly #deps: ExpressionsDeps;

  constructor(deps: ExpressionsDeps) {
    this.#deps = deps;
  }

  /** Names of filters, in order. */
  get filterNames(): string[] {
    return [...FILTER_NAMES].sort();
  }

  /** Names of functions, in order. */
  get functionNames(): string[] {
    return [...new Set([...BUILT_IN_FUNCTION_NAMES, ...this.#deps.functions])].sort();
  }

  /** What each expression renders to, under `rendered`, or why it cannot be rendered, under `errors`; both by expression. */
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
