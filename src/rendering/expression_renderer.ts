/** Renders expressions that belong to no execution: those that a caller tries out. */
import type { Clock } from "../base/clock.ts";
import { type JsonObject, ownProperty } from "../base/json.ts";
import { compileTemplate, type HostFunction, renderText } from "../expr/mod.ts";
import { HostCalls, type HostValues, isRenderError } from "./host_functions/mod.ts";

/** The text of one expression, or why there is none. */
export type RenderedText = { readonly text: string } | { readonly error: string };

/** Renders one expression; secrets are masked in what it gives. */
export type RenderExpression = (
  source: string,
  scope: { readonly tenant: string; readonly namespace?: string; readonly context: JsonObject },
) => Promise<RenderedText>;

/** What rendering needs from the server. */
interface ExpressionRendererDeps {
  readonly clock: Clock;
  readonly timeZone: string;
  readonly random: () => number;
  /** What functions such as `kv()` read. */
  readonly values: HostValues;
}

const NO_FUNCTIONS: ReadonlyMap<string, HostFunction> = new Map();

/** A renderer whose variables are the members of the context; functions that read data need a namespace to read in. */
export function createExpressionRenderer(
  { clock, timeZone, random, values }: ExpressionRendererDeps,
): RenderExpression {
  return async (source, { tenant, namespace, context }) => {
    const calls = new HostCalls(values, { tenant, namespace: namespace ?? "" });
    const scope = {
      variable: (name: string) => ownProperty(context, name),
      functions: namespace === undefined ? NO_FUNCTIONS : calls.functions,
      now: clock.now(),
      timeZone,
      random,
    };
    try {
      const template = compileTemplate(source);
      return { text: calls.mask(await calls.run(() => renderText(template, scope))) };
    } catch (error) {
      if (isRenderError(error)) return { error: calls.mask(error.message) };
      throw error;
    }
  };
}
