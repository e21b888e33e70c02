/**
 * The expression language of flow definitions: `{{ … }}` and `{% … %}` in texts. Compiles once, renders many times.
 * Pure: variables, host functions, time and randomness come from a {@link Scope}; every loop and size has a limit.
 */
export { type Elsewhere, type HostFunction, type RootTemplate, type Scope } from "./context.ts";
export { ExpressionError, type ExpressionErrorCode } from "../languages/values/mod.ts";
export { renderDeep, renderText, renderValue } from "./evaluate.ts";
export { FILTER_NAMES } from "./filters/registry.ts";
export { iterationsPath, OWN_ITERATION } from "./functions/outputs.ts";
export { BUILT_IN_FUNCTION_NAMES, BUILT_IN_FUNCTION_PARAMETERS } from "./functions/registry.ts";
export { DEFAULT_LIMITS, type ExpressionLimits } from "../languages/values/mod.ts";
export { isTruthyText } from "../base/text/truthy_text.ts";
export { printValue } from "../languages/values/mod.ts";
export { RenderTime } from "./render_time.ts";
export { inspectTemplate, type Reference, type TemplateFacts } from "./references.ts";
export { compileTemplate, type Template } from "./template.ts";
export { TEST_NAMES } from "./tests.ts";
