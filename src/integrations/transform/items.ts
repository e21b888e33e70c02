/** Values that an expression of the user transforms, each by itself: one value, or those of a file of Ion. */
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { PropertySchemas } from "../../model/flows/schema.ts";
import type { TaskContext } from "../../model/tasks/task_definition.ts";
import { storedRows } from "../fetched_rows.ts";
import { outputBudget } from "../output_budget.ts";
import { readRows } from "../row_files.ts";
import type { EvaluationWork } from "./jsonata/evaluation.ts";

/** Outputs of a transformed file. */
export function itemOutputs(uri: string, total: string): PropertySchemas {
  return {
    uri: { type: "string", description: uri },
    processedItemsTotal: { type: "integer", description: total },
  };
}

/** The result for a value. @throws Error the expression is malformed, fails, or takes too long */
export async function evaluatedValue(work: EvaluationWork, value: JsonValue): Promise<JsonValue> {
  const { withEvaluation } = await import("./jsonata/evaluation.ts");
  const [result = null] = await withEvaluation(
    work,
    (evaluation) => Array.fromAsync(evaluation.evaluate([value])),
  );
  return result;
}

interface ItemOptions {
  /** What the expression gets of a value; default is the value. */
  readonly before?: (value: JsonValue) => JsonValue;
  /** The rows of a result. */
  readonly after: (result: JsonValue) => readonly JsonValue[];
}

/** Stores the results for the values of the file `from`. Outputs: {@link itemOutputs}; metric: `records`. @throws Error as {@link evaluatedValue} */
export async function storedItems(
  context: TaskContext,
  work: EvaluationWork,
  { before = (value) => value, after }: ItemOptions,
): Promise<JsonObject> {
  const source = await context.fetchFile(String(context.properties.from).trim());
  const budget = await outputBudget(source);
  const values = async function* () {
    for await (const value of readRows(source)) yield before(value);
  };
  const { withEvaluation } = await import("./jsonata/evaluation.ts");
  const { uri, size } = await withEvaluation(work, (evaluation) => {
    const rows = async function* () {
      for await (const result of evaluation.evaluate(values())) yield* after(result);
    };
    return storedRows(context, rows(), budget);
  });
  context.metric("records", size);
  return { uri, processedItemsTotal: size };
}
