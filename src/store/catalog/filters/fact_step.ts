/**
 * Conditions on facts of the execution records. A row holds hashes of up to five labels, or a Bloom filter of more labels, and
 * nothing of triggers and inputs. Rows that cannot be decided are verified with the records. The verdicts on a fact are
 * cached, two bits for each row, while the summary of the block exists.
 */
import { isId } from "../../../base/id.ts";
import { keyWeight, LruCache } from "../../../base/lru.ts";
import type { RecordFact } from "../../../model/executions/execution_query.ts";
import type { TenantId } from "../../../model/flows/flow.ts";
import { CORRELATION_LABEL } from "../../../model/flows/label.ts";
import type { FilterStep } from "./filter_steps.ts";
import { FLAG, hashLabel, LABEL_WORDS, MAX_LABELS, setBloomBits, shortHash, tryPackId } from "../rows/row.ts";
import type { RowColumns } from "../rows/row_columns.ts";

/** Selects the executions of which the fact is true, by their records. */
export type VerifyFact = (
  tenant: TenantId,
  ids: readonly string[],
  fact: RecordFact,
) => Promise<ReadonlySet<string>>;

/** Facts with cached verdicts: 0.25 MB each for a million rows, if all blocks have rows in doubt or with the label. */
const REMEMBERED_FACTS = 12;
/** Executions verified at once. */
const VERIFY_IDS = 1_000;
/** The verdict on a row and a fact. `open` must be verified; `byHash` is wrong for one label in 33 million. */
const VERDICT = { no: 0, yes: 1, byHash: 2, open: 3 } as const;
/** Four open verdicts. */
const ALL_OPEN = 0xff;

/** The verdicts on the rows of a block, two bits each. */
class Verdicts {
  readonly #bits: Uint8Array;

  constructor(count: number, bits = 0) {
    this.#bits = new Uint8Array(count + 3 >> 2).fill(bits);
  }

  at(row: number): number {
    return (this.#bits[row >> 2] as number) >> (row & 3) * 2 & 3;
  }

  set(row: number, verdict: number): void {
    const shift = (row & 3) * 2;
    this.#bits[row >> 2] = (this.#bits[row >> 2] as number) & ~(3 << shift) | verdict << shift;
  }
}

/** A row and a fact to verify. */
export interface Doubt {
  readonly wanted: WantedFact;
  readonly block: RowColumns;
  readonly row: number;
}

/** A fact of a query, with its verdicts. */
class WantedFact {
  readonly fact: RecordFact;
  readonly #hash: number;
  readonly #bloom = new Uint32Array(LABEL_WORDS);
  /** For a correlation label: the id of the execution that has it implicitly, because its row omits it. */
  readonly #self: Uint32Array | undefined;
  readonly #short: number;
  /** `null`: it is true of no row of the block. */
  readonly #verdicts = new WeakMap<object, Verdicts | null>();

  constructor(fact: RecordFact) {
    this.fact = fact;
    this.#hash = hashLabel(fact);
    this.#short = shortHash(this.#hash);
    setBloomBits(this.#hash, this.#bloom, 0);
    const mayBeSelf = fact.key === CORRELATION_LABEL && isId(fact.value);
    this.#self = mayBeSelf ? tryPackId(fact.value) : undefined;
  }

  /** The verdicts on the rows of the block, updated by verification; `undefined` if it is true of no row. */
  verdictsOf(block: RowColumns): Verdicts | undefined {
    const known = this.#verdicts.get(block.identity);
    if (known !== undefined) return known ?? undefined;
    const verdicts = this.fact.field === "labels"
      ? this.#evaluate(block)
      : new Verdicts(block.count, ALL_OPEN);
    this.#verdicts.set(block.identity, verdicts ?? null);
    return verdicts;
  }

  #evaluate(block: RowColumns): Verdicts | undefined {
    const { labels, labelSlots, facts, count } = block;
    const hash = this.#hash;
    let verdicts: Verdicts | undefined;
    const set = (row: number, verdict: number) => (verdicts ??= new Verdicts(count)).set(row, verdict);
    for (let row = 0, at = 0; row < count; row++, at += labelSlots) {
      if (labelSlots === MAX_LABELS && labels[at + LABEL_WORDS] !== 0) {
        const short = this.#short;
        for (let slot = 0; slot < MAX_LABELS; slot++) {
          if (labels[at + slot] === short) set(row, VERDICT.byHash);
        }
      } else if (((facts[row] as number) & FLAG.moreLabels) !== 0) {
        if (this.#isInBloom(labels, at, labelSlots)) set(row, VERDICT.open);
      } else {
        for (let slot = 0; slot < labelSlots; slot++) {
          if (labels[at + slot] === hash) set(row, VERDICT.byHash);
        }
      }
    }
    const own = this.#self ? block.find(this.#self, 0) : -1;
    if (own >= 0) set(own, VERDICT.open);
    return verdicts;
  }

  /** Words from `slots` on are 0 in all rows of the block. */
  #isInBloom(labels: Uint32Array, at: number, slots: number): boolean {
    for (let i = 0; i < LABEL_WORDS; i++) {
      const bits = this.#bloom[i] as number;
      const own = i < slots ? labels[at + i] as number : 0;
      if (((own & bits) >>> 0) !== bits) return false;
    }
    return true;
  }
}

/** The recently queried facts, and their verification. */
export class FactVerdicts {
  readonly #verify: VerifyFact;
  readonly #known = new LruCache<string, WantedFact>(REMEMBERED_FACTS);

  constructor(verify: VerifyFact) {
    this.#verify = verify;
  }

  /** The fact with its cached verdicts. */
  wanted(tenant: TenantId, fact: RecordFact): WantedFact {
    const key = JSON.stringify([tenant, fact.field, fact.key, fact.value]);
    const known = this.#known.get(key) ?? new WantedFact(fact);
    this.#known.set(key, known, keyWeight(key));
    return known;
  }

  /** Verifies the doubts with the records. True when one of them is false. */
  async settle(tenant: TenantId, doubts: readonly Doubt[]): Promise<boolean> {
    let isRefuted = false;
    for (const [wanted, ofFact] of Map.groupBy(doubts, ({ wanted }) => wanted)) {
      for (let from = 0; from < ofFact.length; from += VERIFY_IDS) {
        const part = ofFact.slice(from, from + VERIFY_IDS);
        const ids = part.map(({ block, row }) => block.idAt(row));
        const holders = await this.#verify(tenant, ids, wanted.fact);
        part.forEach(({ block, row }, index) => {
          const has = holders.has(ids[index] as string);
          wanted.verdictsOf(block)?.set(row, has ? VERDICT.yes : VERDICT.no);
          if (!has) isRefuted = true;
        });
      }
    }
    return isRefuted;
  }
}

/** Passes rows of which one of the facts (negated: none) is true. Rows in doubt are collected and count as if it were false. */
export class FactStep implements FilterStep {
  readonly #wanted: readonly WantedFact[];
  readonly #negated: boolean;
  readonly #doubts: Doubt[] = [];

  constructor(wanted: readonly WantedFact[], negated: boolean) {
    this.#wanted = wanted;
    this.#negated = negated;
  }

  /** @inheritdoc */
  refine(block: RowColumns, from: Uint32Array, count: number, to: Uint32Array): number {
    const matchers = this.#wanted.map((wanted) => ({ verdicts: wanted.verdictsOf(block) }));
    const single = matchers.length === 1 ? matchers[0] : undefined;
    if (matchers.every(({ verdicts }) => !verdicts)) return this.#negated ? copyRows(from, count, to) : 0;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const row = from[i] as number;
      const verdict = single?.verdicts ? single.verdicts.at(row) : anyVerdict(matchers, row);
      if (verdict === VERDICT.open) this.#doubt(block, row);
      to[kept] = row;
      const holds = verdict === VERDICT.yes || verdict === VERDICT.byHash;
      if (holds !== this.#negated) kept++;
    }
    return kept;
  }

  /** True when there are doubts since the last {@link takeDoubts}. */
  get hasDoubts(): boolean {
    return this.#doubts.length > 0;
  }

  /** Removes and returns the doubts. */
  takeDoubts(): Doubt[] {
    return this.#doubts.splice(0);
  }

  /** The doubts about a row that was accepted by label hash only. */
  doubtsOf(block: RowColumns, row: number): Doubt[] {
    if (this.#negated) return [];
    return this.#wanted.filter((wanted) => wanted.verdictsOf(block)?.at(row) === VERDICT.byHash)
      .map((wanted) => ({ wanted, block, row }));
  }

  #doubt(block: RowColumns, row: number): void {
    for (const wanted of this.#wanted) {
      if (wanted.verdictsOf(block)?.at(row) === VERDICT.open) this.#doubts.push({ wanted, block, row });
    }
  }
}

/** A positive verdict if any fact has one; else `open` if any fact is open. */
function anyVerdict(matchers: readonly { readonly verdicts?: Verdicts }[], row: number): number {
  let isOpen = false;
  for (const { verdicts } of matchers) {
    const verdict = verdicts?.at(row);
    if (verdict === VERDICT.yes || verdict === VERDICT.byHash) return verdict;
    if (verdict === VERDICT.open) isOpen = true;
  }
  return isOpen ? VERDICT.open : VERDICT.no;
}

function copyRows(from: Uint32Array, count: number, to: Uint32Array): number {
  if (from !== to) to.set(from.subarray(0, count));
  return count;
}
