/** `transform.Aggregate`. */
import {
  type JsonObject,
  type JsonValue,
  ownProperty,
  setOwnProperty,
  stringifyJson,
} from "../../base/json.ts";
import { compareNumbers } from "../../languages/values/mod.ts";
import { dynamicChoice, dynamicProperty } from "../../model/flows/schema.ts";
import { defineTask } from "../../model/tasks/task_definition.ts";
import { declaredFields, type Field } from "./fields.ts";
import { compileRecordExpression, type RecordExpression } from "./record_expression.ts";
import { RecordSteps } from "./record_steps.ts";
import { castTo, compute, mean, numberFrom } from "./record_values.ts";
import {
  counters,
  Counts,
  FROM,
  OUTPUT_PROPERTIES,
  RECORD_OUTPUTS,
  recordOutputs,
  sourceOf,
} from "./records.ts";

/** Groups are held in memory. */
const MAX_GROUPS = 100_000;
/** Aggregates of all groups, some 60 bytes each. */
const MAX_CELLS = 4_000_000;
/** Of the fields that the records of groups have in common. */
const MAX_COMMON_CHARS = 64 * 1024 * 1024;

/** One record of the result for each group of records. */
export const aggregateRecords = defineTask({
  type: "transform.Aggregate",
  title: "Aggregate records",
  description:
    "Groups records by fields and computes counts, sums, means and extremes. The groups are held in memory: at most 100,000.",
  properties: {
    from: FROM,
    groupBy: dynamicProperty("list", "Fields that the records of a group have in common.", {
      required: true,
      items: { type: "string", description: "A field." },
    }),
    aggregates: dynamicProperty(
      "map",
      "Fields of the result by name: `count()`, `sum(x)`, `avg(x)`, `min(x)`, `max(x)`, `first(x)` or `last(x)`, or a map of `expr` and `type`.",
      { required: true },
    ),
    onError: dynamicChoice(
      ["FAIL", "SKIP", "NULL"],
      "FAIL",
      "What happens if a value cannot be aggregated: the task fails, the record is left out, or the result is null.",
    ),
    ...OUTPUT_PROPERTIES,
  },
  outputs: RECORD_OUTPUTS,
  metrics: counters({
    processed: "Records that were read.",
    groups: "Groups of the result.",
    failed: "Records with a value that cannot be aggregated.",
  }),
  examples: [{
    title: "Totals by customer",
    yaml: `id: totals
type: io.svc.plugin.transform.Aggregate
from: "{{ outputs.orders.uri }}"
groupBy: [customer_id]
aggregates:
  orders: count()
  total: {expr: sum(amount), type: DECIMAL}`,
  }],
  async run(context) {
    const { from, groupBy, aggregates, onError } = context.properties;
    const names = Array.isArray(groupBy) ? groupBy.map(String) : [];
    const columns = declaredFields("aggregates", aggregates).map(columnOf);
    const input = await sourceOf(context, from);
    const counts = new Counts("processed", "groups", "failed");
    const groups = new Groups(names, columns);
    for await (const record of input.records) {
      counts.add("processed");
      const error = groups.add(record, onError === "NULL");
      if (!error) continue;
      counts.add("failed");
      if (onError === "FAIL") throw error;
    }
    const results = async function* (): AsyncGenerator<JsonObject> {
      for (const result of groups.results(onError === "NULL")) {
        counts.add("groups");
        yield await Promise.resolve(result);
      }
    };
    const outputs = await recordOutputs(context, [input], results());
    counts.report(context);
    return outputs;
  },
});

/** What a group keeps of a column: one value and the number of values. */
interface Cell {
  value: JsonValue;
  count: number;
  isFailed: boolean;
}

type Step = (cell: Cell, value: JsonValue) => void;

function ignoringNull(step: Step): Step {
  return (cell, value) => {
    if (value === null) return;
    step(cell, value);
    cell.count++;
  };
}

function extreme(sign: 1 | -1): Step {
  return ignoringNull((cell, value) => {
    const number = numberFrom(value);
    const isBetter = cell.count === 0 || compareNumbers(number, numberFrom(cell.value)) * sign > 0;
    if (isBetter) cell.value = number;
  });
}

const total = ignoringNull((cell, value) => {
  cell.value = compute("+", cell.value ?? 0, value);
});

const STEPS: ReadonlyMap<string, Step> = new Map<string, Step>([
  ["sum", total],
  ["avg", total],
  ["min", extreme(-1)],
  ["max", extreme(1)],
  ["first", (cell, value) => {
    if (cell.count++ === 0) cell.value = value;
  }],
  ["last", (cell, value) => {
    cell.value = value;
  }],
]);

interface Column extends Field {
  readonly read: RecordExpression;
  readonly step: Step;
  readonly isMean: boolean;
}

function columnOf(field: Field): Column {
  const [, name = "", argument = ""] = /^(\w+)\s*\((.*)\)$/s.exec(field.source) ?? [];
  if (name === "count" && argument.trim() === "") {
    const step: Step = (cell) => {
      cell.value = ++cell.count;
    };
    return { ...field, isMean: false, step, read: () => null };
  }
  const step = STEPS.get(name);
  if (step) return { ...field, step, isMean: name === "avg", read: compileRecordExpression(argument) };
  throw new Error(
    `Invalid aggregates: "${field.name}" must be one of count(), ${
      [...STEPS.keys()].map((each) => `${each}(x)`).join(", ")
    }`,
  );
}

class Groups {
  readonly #names: readonly string[];
  readonly #columns: readonly Column[];
  readonly #groups = new Map<string, { readonly common: JsonValue[]; readonly cells: Cell[] }>();
  #commonChars = 0;

  constructor(names: readonly string[], columns: readonly Column[]) {
    this.#names = names;
    this.#columns = columns;
  }

  /** Adds a record; with `isKept` a value that cannot be aggregated only makes its own result null. */
  add(record: JsonObject, isKept: boolean): Error | undefined {
    const read = this.#read(record, isKept);
    if (read.error && !isKept) return read.error;
    const common = this.#names.map((name) => ownProperty(record, name) ?? null);
    const key = stringifyJson(common);
    const group = this.#groups.get(key) ?? this.#newGroup(key, common);
    let failure = read.error;
    this.#columns.forEach(({ step }, index) => {
      const cell = group.cells[index] as Cell, value = read.values[index];
      try {
        if (value instanceof Error) throw value;
        step(cell, value ?? null);
      } catch (error) {
        cell.isFailed = isKept;
        failure ??= error as Error;
      }
    });
    return failure;
  }

  #read(record: JsonObject, isKept: boolean) {
    let error: Error | undefined;
    const steps = new RecordSteps();
    const values = this.#columns.map(({ name, read, step, isMean }): JsonValue | Error => {
      try {
        const value = steps.read(read(record, steps));
        // A trial, so that a record that is left out changes nothing.
        if (!isKept) step({ value: isMean ? 0 : null, count: 0, isFailed: false }, value);
        return value;
      } catch (cause) {
        error ??= new Error(`Cannot aggregate "${name}": ${(cause as Error).message}`);
        return error;
      }
    });
    return { values, error };
  }

  #newGroup(key: string, common: JsonValue[]) {
    if (this.#groups.size >= MAX_GROUPS) {
      throw new Error(`Cannot aggregate: there are more than ${MAX_GROUPS} groups`);
    }
    if ((this.#groups.size + 1) * this.#columns.length > MAX_CELLS) {
      throw new Error(
        `Cannot aggregate: ${this.#columns.length} aggregates of all groups are more than ${MAX_CELLS}; ask for fewer aggregates, or group by fewer values`,
      );
    }
    this.#commonChars += key.length;
    if (this.#commonChars > MAX_COMMON_CHARS) {
      throw new Error(`Cannot aggregate: groupBy has values of more than ${MAX_COMMON_CHARS} characters`);
    }
    const cells = this.#columns.map((): Cell => ({ value: null, count: 0, isFailed: false }));
    const group = { common, cells };
    this.#groups.set(key, group);
    return group;
  }

  *results(isNullAllowed: boolean): Generator<JsonObject> {
    for (const { common, cells } of this.#groups.values()) {
      const result: JsonObject = {};
      this.#names.forEach((name, index) => setOwnProperty(result, name, common[index] ?? null));
      this.#columns.forEach((column, index) => {
        setOwnProperty(result, column.name, resultOf(column, cells[index] as Cell, isNullAllowed));
      });
      yield result;
    }
  }
}

function resultOf({ name, type, isMean }: Column, cell: Cell, isNullAllowed: boolean): JsonValue {
  if (cell.isFailed) return null;
  const value = isMean && cell.count > 0 ? mean(cell.value, cell.count) : cell.value;
  try {
    return type === undefined ? value : castTo(type, value);
  } catch (error) {
    if (isNullAllowed) return null;
    throw new Error(`Cannot aggregate "${name}": ${(error as Error).message}`);
  }
}
