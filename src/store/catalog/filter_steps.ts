/** The parts of a filter that look at rows one by one. Each narrows a list of rows of one block. */
import { isId } from "../../base/id.ts";
import type { DateCondition, TriggerCondition } from "../../model/executions/execution_query.ts";
import { LOG_LEVELS, type LogLevel } from "../../model/flows/flow.ts";
import { hashText } from "./hash.ts";
import { IdSearch } from "./id_search.ts";
import { compareIds, FLAG, tryPackId } from "./row.ts";
import { ID_WORDS, LEVEL_SHIFT, type RowColumns } from "./row_columns.ts";
import { type BlockSummary, hasBit, TRIGGER_BITS } from "./summary.ts";

/** One part of a filter. */
export interface FilterStep {
  /** Writes those of the first `count` rows of `from` that pass to the front of `to`, in their order; gives their number. Both may be the same. */
  refine(block: RowColumns, from: Uint32Array, count: number, to: Uint32Array): number;
  /** True when no row of the block can pass. */
  excludes?(summary: BlockSummary): boolean;
  /** True when every row of the block passes. */
  covers?(summary: BlockSummary): boolean;
}

/** Rows for which a test holds. */
export function testStep(test: (block: RowColumns, row: number) => boolean): FilterStep {
  return {
    refine(block, from, count, to) {
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        to[kept] = row;
        if (test(block, row)) kept++;
      }
      return kept;
    },
  };
}

/** Bits of the facts word that {@link maskStep} looks at: state, kind and whether it is a child. */
export const FACT_BITS = 0x07ff;

/** State, kind and childhood with a 1 in the table. */
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

/** Start within bounds, both included. */
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

/** Flow numbers with a 1 in the table. */
export function flowStep(accepts: Uint8Array): FilterStep {
  return {
    refine({ flows }, from, count, to) {
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

/** Most severe log line of at least that level. */
export function logLevelStep(least: LogLevel): FilterStep {
  const min = LOG_LEVELS.indexOf(least);
  return testStep(({ facts }, row) => {
    const level = (facts[row] as number) >>> LEVEL_SHIFT;
    return level >= min && level < LOG_LEVELS.length;
  });
}

/** Started by one of some executions, by 40 bits of hash: among a million rows one in a million queries errs. */
export function triggerStep({ ids, negated }: TriggerCondition): FilterStep {
  const wanted = ids.map((id) => [hashText(id), hashText(id, 1) & 0xff] as const);
  return {
    refine(block, from, count, to) {
      const { facts } = block;
      let kept = 0;
      for (let i = 0; i < count; i++) {
        const row = from[i] as number;
        // The column tells of most rows that they have no trigger, without a look at the row.
        const isChild = ((facts[row] as number) & FLAG.child) !== 0;
        to[kept] = row;
        if ((isChild && hasTrigger(block, row, wanted)) !== negated) kept++;
      }
      return kept;
    },
    excludes: ({ triggers }) =>
      !negated && !wanted.some(([hash]) => hasBit(triggers, hash & (TRIGGER_BITS - 1))),
  };
}

function hasTrigger(
  { triggers, triggerChecks }: RowColumns,
  row: number,
  wanted: readonly (readonly [first: number, second: number])[],
): boolean {
  const hash = triggers[row] as number;
  for (const [first, second] of wanted) if (first === hash && triggerChecks[row] === second) return true;
  return false;
}

/** A start date other than the one given. */
export function startIsNotStep(at: number): FilterStep {
  return testStep((block, row) => block.startAt(row) !== at);
}

/** The end date compared; no comparison but NOT_EQUALS holds for what has not ended. */
export function endStep(condition: DateCondition): FilterStep {
  const { operator, at } = condition;
  const [min, max] = boundsOf(condition);
  const isNegated = operator === "NOT_EQUALS";
  return {
    ...testStep((block, row) => {
      const duration = block.durationAt(row);
      if (duration === undefined) return isNegated;
      const end = block.startAt(row) + duration;
      return isNegated ? end !== at : end >= min && end <= max;
    }),
    excludes: (summary) =>
      !isNegated &&
      (summary.minStart + summary.minDuration > max || summary.maxStart + summary.maxDuration < min),
    covers: ({ hasOpen, minStart, minDuration, maxStart, maxDuration }) =>
      !isNegated && !hasOpen && minStart + minDuration >= min && maxStart + maxDuration <= max,
  };
}

/** The dates, in whole milliseconds and both included, that a comparison admits. NOT_EQUALS admits all. */
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

/** Ids that contain a word, ignoring case; a whole id is looked up instead. */
export function idWordStep(word: string): FilterStep {
  const whole = isId(word) ? tryPackId(word) : undefined;
  if (whole) return wholeIdStep(whole);
  if (!IdSearch.isPossible(word)) return { refine: () => 0, excludes: () => true };
  const search = new IdSearch(word);
  return {
    refine({ ids }, from, count, to) {
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
