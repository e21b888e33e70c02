/** Compiles the conditions of a query. A filter counts the matching rows of a block by its summary, or selects the rows. */
import { EXECUTION_KINDS } from "../../../model/executions/execution.ts";
import type {
  ExecutionCondition,
  ExecutionConditions,
  RecordFact,
  TextCondition,
} from "../../../model/executions/execution_query.ts";
import type { TenantId } from "../../../model/flows/flow.ts";
import { STATES } from "../../../model/executions/state.ts";
import {
  boundsOf,
  durationStep,
  endedAfterStep,
  endStep,
  type FilterStep,
  flowStep,
  idStep,
  IdWordSteps,
  logLevelStep,
  maskStep,
  startIsNotStep,
  startStep,
  testStep,
  triggerStep,
} from "./filter_steps.ts";
import { type FlowCondition, type FlowTable, type FlowTables, mayShareFlow } from "./flow_index.ts";
import { type Doubt, FactStep, type FactVerdicts } from "./fact_step.ts";
import { FLAG } from "../rows/row.ts";
import { FACT_BITS, type RowColumns } from "../rows/row_columns.ts";
import { type BlockSummary, STATE_SLOTS } from "../rows/summary.ts";

type FactCondition = Extract<ExecutionCondition, { field: RecordFact["field"] }>;

interface FilterContext {
  readonly tenant: TenantId;
  /** Of {@link flowConditionsOf} the query. */
  readonly flows: FlowTables;
  readonly verdicts: FactVerdicts;
  /** Shared by all queries; one query runs at a time. */
  readonly lists: RowLists;
}

/** Work lists of one selection, reused by all queries: filling one for each query took 40 µs. */
export class RowLists {
  /** 0, 1, 2, …; read-only. */
  identity = new Uint32Array(0);
  /** The rows that pass. */
  rows = new Uint32Array(0);
  /** The rows that pass one of the groups. */
  groupRows = new Uint32Array(0);
  /** One byte for each row. */
  marks = new Uint8Array(0);

  /** Makes room for `count` rows. May discard the content of the lists. */
  fit(count: number): void {
    if (this.rows.length >= count) return;
    this.identity = Uint32Array.from({ length: count }, (_, row) => row);
    this.rows = new Uint32Array(count);
    this.groupRows = new Uint32Array(count);
    this.marks = new Uint8Array(count);
  }
}

const KIND_SLOTS = 4;
const KNOWN_STATES = 2 ** STATES.length - 1;

/** The conjunction of conditions. */
class ConjunctiveFilter {
  readonly factSteps: FactStep[] = [];
  readonly #context: FilterContext;
  readonly #idWords: IdWordSteps;
  /** Words that all rows must have. */
  readonly #words = new Set<string>();
  readonly #masks = new Uint32Array(KIND_SLOTS).fill(KNOWN_STATES);
  readonly #steps: FilterStep[] = [];
  #child: boolean | undefined;
  #minStart = -Infinity;
  #maxStart = Infinity;
  #flowConditions: FlowCondition[] = [];
  readonly #flowTables: FlowTable[] = [];
  readonly #accepts = new Uint8Array(FACT_BITS + 1);
  readonly #maskStep: FilterStep;
  readonly #startStep: FilterStep;
  /** Share of all flows whose rows pass. */
  readonly #flowShare: number;
  /** Lists of steps by what they leave out and begin with. */
  readonly #variants: (readonly FilterStep[] | undefined)[] = new Array(8);

  constructor(conditions: readonly ExecutionCondition[], context: FilterContext, idWords: IdWordSteps) {
    this.#context = context;
    this.#idWords = idWords;
    for (const condition of conditions) this.#add(condition);
    if (this.#flowConditions.length > 0) {
      this.#flowTables.push(context.flows.meeting(this.#flowConditions));
    }
    this.#fillAccepts();
    this.#maskStep = maskStep(this.#accepts);
    this.#startStep = startStep(this.#minStart, this.#maxStart);
    this.#flowShare = Math.min(1, ...this.#flowTables.map(({ share }) => share));
    this.#steps.unshift(...this.#flowTables.map((table) => flowStep(table.accepts)));
    // Last, because each remaining row may cost a read of its record.
    this.#steps.push(...this.factSteps);
  }

  /** The number of rows of the block that pass; `undefined` when the summary does not determine it. */
  countOf(summary: BlockSummary): number | undefined {
    if (summary.minStart > this.#maxStart || summary.maxStart < this.#minStart) return 0;
    if (this.#flowTables.some((table) => !mayShareFlow(table.bits, summary.flows))) return 0;
    if (this.#steps.some((step) => step.excludes?.(summary))) return 0;
    const count = this.#countMasked(summary.counts);
    if (count === 0) return 0;
    const isCovered = summary.minStart >= this.#minStart && summary.maxStart <= this.#maxStart;
    return isCovered && this.#child === undefined && this.#steps.every((step) => step.covers?.(summary))
      ? count
      : undefined;
  }

  /** True if rows of some flows do not pass. */
  get hasFlows(): boolean {
    return this.#flowTables.length > 0;
  }

  /** True if flow number and facts decide which rows of the block pass. */
  isOfFacts({ minStart, maxStart }: BlockSummary): boolean {
    const isCovered = minStart >= this.#minStart && maxStart <= this.#maxStart;
    return isCovered && this.#steps.length === this.#flowTables.length;
  }

  /** Like {@link FilterStep.refine}; skips the steps that `summary` makes redundant. */
  refine(
    block: RowColumns,
    from: Uint32Array,
    count: number,
    to: Uint32Array,
    summary?: BlockSummary,
  ): number {
    let rows = from;
    let kept = count;
    for (const step of this.#stepsFor(summary)) {
      kept = step.refine(block, rows, kept, to);
      if (kept === 0) return 0;
      rows = to;
    }
    if (rows !== to) to.set(rows.subarray(0, kept));
    return kept;
  }

  /** The step that fewer rows pass comes first, because the others read only these. */
  #stepsFor(summary: BlockSummary | undefined): readonly FilterStep[] {
    const { minStart, maxStart, rows } = summary ?? { minStart: -Infinity, maxStart: Infinity, rows: 0 };
    const isCovered = minStart >= this.#minStart && maxStart <= this.#maxStart;
    const masked = summary ? this.#countMasked(summary.counts) : 0;
    const isMasked = !summary || this.#child !== undefined || masked < rows;
    const flows = this.#flowShare * rows < masked ? this.#flowTables.length : 0;
    const variant = (isCovered ? 1 : 0) | (isMasked ? 2 : 0) | (flows > 0 ? 4 : 0);
    return this.#variants[variant] ??= [
      ...this.#steps.slice(0, flows),
      ...isMasked ? [this.#maskStep] : [],
      ...isCovered ? [] : [this.#startStep],
      ...this.#steps.slice(flows),
    ];
  }

  /** The number of rows with an accepted kind and state. */
  #countMasked(counts: BlockSummary["counts"]): number {
    let total = 0;
    for (let kind = 0; kind < KIND_SLOTS; kind++) {
      let mask = this.#masks[kind] as number;
      for (let slot = kind * STATE_SLOTS; mask !== 0; slot++, mask >>>= 1) {
        if ((mask & 1) === 1) total += counts[slot] as number;
      }
    }
    return total;
  }

  #add(condition: ExecutionCondition): void {
    switch (condition.field) {
      case "text":
        return this.#addText(condition);
      case "namespace":
      case "flowId":
      case "scope":
        this.#flowConditions.push(condition);
        return;
      case "state":
        return this.#allowStates(bitsOf(condition.states, STATES, condition.negated));
      case "kind":
        return this.#allowKinds(bitsOf(condition.kinds, EXECUTION_KINDS, condition.negated));
      case "startDate": {
        const [min, max] = boundsOf(condition);
        this.#minStart = Math.max(this.#minStart, min);
        this.#maxStart = Math.min(this.#maxStart, max);
        if (condition.operator === "NOT_EQUALS") this.#steps.push(startIsNotStep(condition.at));
        return;
      }
      case "endDate":
        this.#steps.push(endStep(condition));
        return;
      case "endedAfter":
        this.#steps.push(endedAfterStep(condition));
        return;
      case "duration":
        this.#steps.push(durationStep(condition));
        return;
      case "id":
        this.#steps.push(idStep(condition));
        return;
      case "child":
        if (this.#child === !condition.child) this.#allowStates(0);
        this.#child = condition.child;
        return;
      case "triggerExecutionId":
        this.#steps.push(triggerStep(condition));
        return;
      case "maxLogLevel":
        this.#steps.push(logLevelStep(condition.least));
        return;
      // First: hashes of the rows decide most of them.
      case "labels":
        this.factSteps.unshift(this.#factStep(condition));
        return;
      case "triggerId":
      case "inputs":
        this.factSteps.push(this.#factStep(condition));
    }
  }

  #factStep(condition: FactCondition): FactStep {
    const { tenant, verdicts } = this.#context;
    return new FactStep(factsOf(condition).map((fact) => verdicts.wanted(tenant, fact)), condition.negated);
  }

  /** Marks each accepted combination of state, kind and child flag. */
  #fillAccepts(): void {
    for (let facts = 0; facts <= FACT_BITS; facts++) {
      const state = facts & 0xff;
      const isChild = (facts & FLAG.child) !== 0;
      if (state >= STATE_SLOTS || (this.#child !== undefined && isChild !== this.#child)) continue;
      this.#accepts[facts] = (this.#masks[facts >>> 8 & 3] as number) >>> state & 1;
    }
  }

  #allowStates(bits: number): void {
    for (let kind = 0; kind < KIND_SLOTS; kind++) this.#masks[kind] = (this.#masks[kind] as number) & bits;
  }

  #allowKinds(bits: number): void {
    for (let kind = 0; kind < KIND_SLOTS; kind++) if ((bits >>> kind & 1) === 0) this.#masks[kind] = 0;
  }

  /** A word that occurs in the names of any flow selects flows. Any other word is searched in ids. */
  #addText({ words, negated }: TextCondition): void {
    const { flows } = this.#context;
    const occursInFlow = (word: string) => flows.hasAny(wordCondition(word));
    const isNew = (word: string) => negated || !this.#words.has(word);
    const [ofFlows, ofIds] = partition([...new Set(words)].filter(isNew), occursInFlow);
    const conditions = ofFlows.map(wordCondition);
    const idSteps = ofIds.map((word) => this.#idWords.of(word));
    if (!negated) {
      for (const word of words) this.#words.add(word);
      this.#flowConditions.push(...conditions);
      this.#steps.push(...idSteps);
      return;
    }
    if (ofIds.length === 0) this.#flowTables.push(flows.failing(conditions));
    else this.#steps.push(exceptStep([flowStep(flows.meeting(conditions).accepts), ...idSteps]));
  }
}

function wordCondition(word: string): FlowCondition {
  return { field: "word", word };
}

/** The conditions of a query that need a table of flows. */
export function flowConditionsOf({ conditions, groups }: ExecutionConditions): FlowCondition[] {
  return [conditions, ...groups].flat().flatMap((condition): FlowCondition[] => {
    switch (condition.field) {
      case "text":
        return condition.words.map(wordCondition);
      case "namespace":
      case "flowId":
      case "scope":
        return [condition];
      default:
        return [];
    }
  });
}

function factsOf(condition: FactCondition): RecordFact[] {
  const { field } = condition;
  if (field === "triggerId") return condition.ids.map((value) => ({ field, key: "", value }));
  return condition.anyOf.map(({ key, value }) => ({ field, key, value }));
}

/** Passes the rows that fail at least one of the steps. */
function exceptStep(steps: readonly FilterStep[]): FilterStep {
  const one = new Uint32Array(1);
  return testStep((block, row) => {
    one[0] = row;
    return steps.some((step) => step.refine(block, one, 1, one) === 0);
  });
}

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))];
}

function bitsOf<T>(chosen: readonly T[], all: readonly T[], negated: boolean): number {
  let bits = 0;
  for (const item of chosen) bits |= 1 << all.indexOf(item);
  return negated ? ~bits : bits;
}

/** The filter of a query: all conditions and, if there are groups, at least one group. */
export class ExecutionFilter {
  readonly #base: ConjunctiveFilter;
  readonly #groups: readonly ConjunctiveFilter[];
  readonly #factSteps: readonly FactStep[];
  readonly #lists: RowLists;

  constructor(query: ExecutionConditions, context: FilterContext) {
    const { conditions, groups } = withDefaultKind(query);
    this.#lists = context.lists;
    const idWords = new IdWordSteps();
    this.#base = new ConjunctiveFilter(conditions, context, idWords);
    this.#groups = groups.map((group) => new ConjunctiveFilter(group, context, idWords));
    this.#factSteps = [this.#base, ...this.#groups].flatMap((filter) => filter.factSteps);
  }

  /** True when the conditions include what only records say surely. */
  get hasRecordFacts(): boolean {
    return this.#factSteps.length > 0;
  }

  /** True when the last selection is not final, because some rows must be verified with their records. */
  get hasDoubts(): boolean {
    return this.#factSteps.some((step) => step.hasDoubts);
  }

  /** Removes and returns the rows to verify. */
  takeDoubts(): Doubt[] {
    return this.#factSteps.flatMap((step) => step.takeDoubts());
  }

  /** The doubts about a row that was accepted by label hash only. */
  doubtsOf(block: RowColumns, row: number): Doubt[] {
    return this.#factSteps.flatMap((step) => step.doubtsOf(block, row));
  }

  /** The number of rows of the block that pass; `undefined` when the summary does not determine it. */
  countOf(summary: BlockSummary): number | undefined {
    const count = this.#base.countOf(summary);
    if (count === 0 || this.#groups.length === 0) return count;
    return this.#groups.every((group) => group.countOf(summary) === 0) ? 0 : undefined;
  }

  /** True if the filter depends on the flows of rows. */
  get hasFlows(): boolean {
    return [this.#base, ...this.#groups].some((filter) => filter.hasFlows);
  }

  /** True if flow number, state, kind and child flag decide which rows of the block pass. */
  isOfFacts(summary: BlockSummary): boolean {
    return [this.#base, ...this.#groups].every((filter) => filter.isOfFacts(summary));
  }

  /** The rows of a block that pass, in order; valid until the next call of a filter with the same lists. */
  select(block: RowColumns, summary?: BlockSummary): Uint32Array {
    this.#lists.fit(block.count);
    const { rows, identity } = this.#lists;
    const count = this.#base.refine(block, identity, block.count, rows, summary);
    return rows.subarray(0, this.#groups.length === 0 ? count : this.#refineByGroups(block, count, summary));
  }

  #refineByGroups(block: RowColumns, count: number, summary: BlockSummary | undefined): number {
    const { rows, groupRows, marks } = this.#lists;
    marks.fill(0, 0, block.count);
    for (const group of this.#groups) {
      if (summary && group.countOf(summary) === 0) continue;
      const passed = group.refine(block, rows, count, groupRows, summary);
      for (let i = 0; i < passed; i++) marks[groupRows[i] as number] = 1;
    }
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = rows[i] as number;
      rows[kept] = row;
      kept += marks[row] as number;
    }
    return kept;
  }
}

/** The conditions without those on facts of which rows say nothing; the same object if there are none. */
export function withoutUnknown(query: ExecutionConditions): ExecutionConditions {
  const isUnknown = ({ field }: ExecutionCondition) => field === "triggerId" || field === "inputs";
  if (![query.conditions, ...query.groups].flat().some(isUnknown)) return query;
  const known = (conditions: readonly ExecutionCondition[]) => conditions.filter((each) => !isUnknown(each));
  return { conditions: known(query.conditions), groups: query.groups.map(known) };
}

/** A query without a condition on the kind matches only NORMAL executions. */
function withDefaultKind(query: ExecutionConditions): ExecutionConditions {
  const asksKind = (conditions: readonly ExecutionCondition[]) =>
    conditions.some(({ field }) => field === "kind");
  const normal = { field: "kind", kinds: ["NORMAL"], negated: false } as const;
  if (asksKind(query.conditions)) return query;
  if (!query.groups.some(asksKind)) return { ...query, conditions: [...query.conditions, normal] };
  return { ...query, groups: query.groups.map((group) => asksKind(group) ? group : [...group, normal]) };
}
