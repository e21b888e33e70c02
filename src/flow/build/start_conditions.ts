/** `checks` of a flow: conditions on its inputs, evaluated before an execution is created. */
import { type JsonObject, type JsonValue, objectsOf, ownProperty } from "../../base/json.ts";
import { ExpressionError, isTruthyText, printValue } from "../../expr/mod.ts";
import { scalarText, textOf } from "../schema/describe.ts";
import { hasExpression } from "../source/report.ts";

/** What a failed check causes, the most restrictive first. */
const CHECK_BEHAVIORS = ["BLOCK_EXECUTION", "FAIL_EXECUTION", "CREATE_EXECUTION"] as const;

type CheckBehavior = typeof CHECK_BEHAVIORS[number];

/** A check whose condition does not hold. */
export interface FailedCheck {
  readonly message: string;
  readonly style: string;
  readonly behavior: CheckBehavior;
}

/** Renders a template with the inputs of the execution. @throws ExpressionError it cannot be rendered */
type RenderCheck = (template: string) => JsonValue;

/**
 * The checks that fail, in the order of the flow. A check whose condition cannot be rendered fails and blocks the
 * execution, whatever its `behavior` is.
 */
export function failedChecks(definition: JsonObject, render: RenderCheck): FailedCheck[] {
  return objectsOf(ownProperty(definition, "checks")).flatMap((check) => {
    const outcome = holds(ownProperty(check, "condition") ?? ownProperty(check, "when"), render);
    return outcome === true ? [] : [failure(check, outcome || undefined, render)];
  });
}

/** The failed checks of the most restrictive behaviour among them: they decide. */
export function decisiveChecks(failed: readonly FailedCheck[]): readonly FailedCheck[] {
  const behavior = CHECK_BEHAVIORS.find((candidate) => failed.some((check) => check.behavior === candidate));
  return failed.filter((check) => check.behavior === behavior);
}

/** The value of a condition, or why it cannot be rendered. */
function holds(condition: JsonValue | undefined, render: RenderCheck): boolean | string {
  if (!hasExpression(condition)) return isTruthyText(scalarText(condition) ?? "");
  const rendered = rendering(condition, render);
  return "reason" in rendered ? rendered.reason : isTruthyText(rendered.text);
}

function failure(check: JsonObject, reason: string | undefined, render: RenderCheck): FailedCheck {
  const template = textOf(check, "message") ?? "";
  const rendered = hasExpression(template) ? rendering(template, render) : { text: template };
  const message = "reason" in rendered ? template : rendered.text;
  if (reason !== undefined) {
    const text = `${message} (the condition cannot be evaluated: ${reason})`;
    return { message: text, style: "ERROR", behavior: "BLOCK_EXECUTION" };
  }
  const behavior = textOf(check, "behavior");
  return {
    message,
    style: textOf(check, "style") ?? "INFO",
    behavior: CHECK_BEHAVIORS.find((candidate) => candidate === behavior) ?? "BLOCK_EXECUTION",
  };
}

/** The text of a template, or why it cannot be rendered. */
function rendering(template: string, render: RenderCheck): { text: string } | { reason: string } {
  try {
    return { text: printValue(render(template)) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { reason: error.message };
  }
}
