/** The steps of a filter. Each step narrows a list of rows of one block. */
import { isId } from "../../../base/id.ts";
import {
  type DateCondition,
  type DurationCondition,
  type EndedAfterCondition,
  type IdCondition,
  matchesDate,
  nameTest,
  type TriggerCondition,
} from "../../../model/executions/execution_query.ts";
import { LOG_LEVELS, type LogLevel } from "../../../model/flows/flow.ts";
import { IdSearch } from "./id_search.ts";
import { compareIds, FLAG, hashText, packId, tryPackId, unpackId } from "../rows/row.ts";
import { FACT_BITS, ID_WORDS, LEVEL_SHIFT, type RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, hasBit, TRIGGER_BITS } from "../rows/summary.ts";

/** One of 32 rows, below which a search of the native code is faster. */
const RARE_SHIFT = 5;

/** Words of a query with the tables of an {@link IdSearch}, of 0.5 MB each; for further words each id is decoded. */
const MAX_ID_SEARCHES = 4;

/** One step of a filter. */
export interface FilterStep {
  /** Copies the rows that pass from the first `count` of `from` to the front of `to`, in order; returns their number. `to` may be `from`. */
  refine(block: RowColumns, from: Uint32Array, count: number, to: Uint32Array): number;
  /** True when no row of the block can pass. */
  excludes?(summary: BlockSummary): boolean;
  /** True when every row of the block passes. */
  covers?(summary: BlockSummary): boolean;
}

/** Passes the rows for which `test` returns true. */
export function testStep(test: RowTest): FilterStep {
  return blockStep((block) => (row) => test(block, row));
}

type RowTest = (block: RowColumns, row: number) => boolean;

/** As {@link testStep}; `testOf` is called once for each block. */
function blockStep(testOf: (block: RowColumns) => (row: number) => boolean): FilterStep {
  return {
    refine(block, from, count, to) {
      const test = testOf(block);
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        to[kept] = row;
        if (test(row)) kept++;
      }
      return kept;
    },
  };
}

/** Passes rows whose state, kind and child flag have a 1 in the table. */
export function maskStep(accepts: Uint8Array): FilterStep {
  return {
    refine({ facts }, from, count, to) {
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        to[kept] = row;
        kept += accepts[(facts[row] as number) & FACT_BITS] as number;
      }
      return kept;
    },
  };
}

/** Passes rows with a start date from `min` to `max`, both inclusive. */
export function startStep(min: number, max: number): FilterStep {
  return {
    refine({ starts, startBase }, from, count, to) {
      const [least, most] = [min - startBase, max - startBase];
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        const start = starts[row] as number;
        to[kept] = row;
        if (start >= least && start <= most) kept++;
      }
      return kept;
    },
  };
}

/** Passes rows whose flow number has a 1 in the table. */
export function flowStep(accepts: Uint8Array): FilterStep {
  const first = accepts.indexOf(1);
  const only = accepts.indexOf(1, first + 1) < 0 ? first : undefined;
  return {
    refine({ flows }, from, count, to) {
      // So many rows of a list in order are all rows.
      if (only !== undefined && count === flows.length) return rowsOfFlow(flows, only, to);
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        to[kept] = row;
        if (accepts[flows[row] as number] === 1) kept++;
      }
      return kept;
    },
  };
}

/** Writes the rows of a flow to `to`; returns how many. Searches for the next one natively as long as there are few. */
function rowsOfFlow(flows: RowColumns["flows"], flowNo: number, to: Uint32Array): number {
  const few = flows.length >> RARE_SHIFT;
  let kept = 0;
  let row = flows.indexOf(flowNo);
  for (; row >= 0 && kept < few; row = flows.indexOf(flowNo, row + 1)) to[kept++] = row;
  if (row < 0) return kept;
  for (; row < flows.length; row++) {
    to[kept] = row;
    if (flows[row] === flowNo) kept++;
  }
  return kept;
}

/** Passes rows whose most severe log line has at least this level. */
export function logLevelStep(least: LogLevel): FilterStep {
  const min = LOG_LEVELS.indexOf(least);
  return testStep(({ facts }, row) => {
    const level = (facts[row] as number) >>> LEVEL_SHIFT;
    return level >= min && level < LOG_LEVELS.length;
  });
}

/** Passes rows started by one of the executions, compared by 40 bits of hash: with a million rows one query in a million is wrong. */
export function triggerStep({ ids, negated }: TriggerCondition): FilterStep {
  const wanted = ids.map((id) => [hashText(id), hashText(id, 1) & 0xff] as const);
  return {
    refine(block, from, count, to) {
      const { facts } = block;
      const columns: TriggerColumns = { triggers: block.triggers, triggerChecks: block.triggerChecks };
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        // Most rows have no trigger; this flag avoids reading the other columns.
        const isChild = ((facts[row] as number) & FLAG.child) !== 0;
        to[kept] = row;
        if ((isChild && hasTrigger(columns, row, wanted)) !== negated) kept++;
      }
      return kept;
    },
    excludes: ({ triggers }) =>
      !negated && !wanted.some(([hash]) => hasBit(triggers, hash & (TRIGGER_BITS - 1))),
  };
}

type TriggerColumns = Pick<RowColumns, "triggers" | "triggerChecks">;

function hasTrigger(
  { triggers, triggerChecks }: TriggerColumns,
  row: number,
  wanted: readonly (readonly [first: number, second: number])[],
): boolean {
  const hash = triggers[row] as number;
  for (const [first, second] of wanted) if (first === hash && triggerChecks[row] === second) return true;
  return false;
}

/** Passes rows with another start date. */
export function startIsNotStep(at: number): FilterStep {
  return blockStep(({ starts, startBase }) => (row) => startBase + (starts[row] as number) !== at);
}

/** Compares the end date. For an execution that has not ended only NOT_EQUALS is true. */
export function endStep(condition: DateCondition): FilterStep {
  const { operator, at } = condition;
  const [min, max] = boundsOf(condition);
  const isNegated = operator === "NOT_EQUALS";
  return {
    ...blockStep((block) => {
      const { starts, startBase } = block;
      return (row) => {
        const duration = block.durationAt(row);
        if (duration === undefined) return isNegated;
        const end = startBase + (starts[row] as number) + duration;
        return isNegated ? end !== at : end >= min && end <= max;
      };
    }),
    excludes: (summary) =>
      !isNegated &&
      (summary.minStart + summary.minDuration > max || summary.maxStart + summary.maxDuration < min),
    covers: ({ hasOpen, minStart, minDuration, maxStart, maxDuration }) =>
      !isNegated && !hasOpen && minStart + minDuration >= min && maxStart + maxDuration <= max,
  };
}

/** Passes rows that ended after an execution, in the order of end dates and ids. */
export function endedAfterStep({ endAt, id }: EndedAfterCondition): FilterStep {
  const last = new Uint32Array(ID_WORDS);
  packId(id, last, 0);
  return {
    ...blockStep((block) => {
      const { starts, startBase } = block;
      return (row) => {
        const duration = block.durationAt(row);
        if (duration === undefined) return false;
        const end = startBase + (starts[row] as number) + duration;
        return end > endAt || end === endAt && compareIds(block.ids, row * ID_WORDS, last, 0) > 0;
      };
    }),
    excludes: ({ maxStart, maxDuration }) => maxStart + maxDuration < endAt,
    covers: ({ hasOpen, minStart, minDuration }) => !hasOpen && minStart + minDuration > endAt,
  };
}

/** Compares the duration. For an execution that has not ended only NOT_EQUALS is true. */
export function durationStep({ operator, ms }: DurationCondition): FilterStep {
  return testStep((block, row) => {
    const duration = block.durationAt(row);
    return duration === undefined ? operator === "NOT_EQUALS" : matchesDate(operator, ms, duration);
  });
}

/** Compares the id. A single complete id is found by binary search; else each id is decoded, 80 ns a row. */
export function idStep({ operator, values }: IdCondition): FilterStep {
  const [value = ""] = values;
  const isSingle = operator === "EQUALS" || (operator === "IN" && values.length === 1);
  const whole = isSingle && isId(value) ? tryPackId(value) : undefined;
  if (whole) return wholeIdStep(whole);
  const test = nameTest(operator, values);
  return blockStep(({ idsOnce: ids }) => (row) => test(unpackId(ids, row * ID_WORDS)));
}

/** The accepted dates in whole milliseconds, both bounds inclusive. NOT_EQUALS accepts all. */
export function boundsOf({ operator, at }: DateCondition): [min: number, max: number] {
  switch (operator) {
    case "EQUALS":
      return [at, at];
    case "GREATER_THAN":
      return [at + 1, Infinity];
    case "GREATER_THAN_OR_EQUAL_TO":
      return [at, Infinity];
    case "LESS_THAN":
      return [-Infinity, at - 1];
    case "LESS_THAN_OR_EQUAL_TO":
      return [-Infinity, at];
    case "NOT_EQUALS":
      return [-Infinity, Infinity];
  }
}

/** The steps for the words of one query, which all of its conditions share. */
export class IdWordSteps {
  readonly #steps = new Map<string, FilterStep>();
  #tables = 0;

  /** Passes ids that contain the word, ignoring case. A complete id is found by binary search. */
  of(word: string): FilterStep {
    const step = this.#steps.get(word) ?? this.#stepOf(word);
    this.#steps.set(word, step);
    return step;
  }

  #stepOf(word: string): FilterStep {
    const whole = isId(word) ? tryPackId(word) : undefined;
    if (whole) return wholeIdStep(whole);
    if (!IdSearch.isPossible(word)) return { refine: () => 0, excludes: () => true };
    if (this.#tables++ < MAX_ID_SEARCHES) return searchStep(new IdSearch(word));
    const part = word.toLowerCase();
    return blockStep(({ idsOnce: ids }) => (row) =>
      unpackId(ids, row * ID_WORDS).toLowerCase().includes(part)
    );
  }
}

function searchStep(search: IdSearch): FilterStep {
  return {
    refine({ idsOnce: ids }, from, count, to) {
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        to[kept] = row;
        if (search.matches(ids, row * ID_WORDS)) kept++;
      }
      return kept;
    },
  };
}

function wholeIdStep(id: Uint32Array): FilterStep {
  return {
    refine(block, from, count, to) {
      const found = block.find(id, 0);
      if (found < 0 || !from.subarray(0, count).includes(found)) return 0;
      to[0] = found;
      return 1;
    },
    excludes: ({ range }) => compareIds(id, 0, range, 0) < 0 || compareIds(id, 0, range, 4) > 0,
  };
}
