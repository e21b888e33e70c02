/** What a crash run found wrong. */

/** Kinds of what must never happen. */
export const FINDING_KINDS = ["lost", "doubled", "stuck", "illegal", "orphaned"] as const;

/** One of {@link FINDING_KINDS}. */
export type FindingKind = typeof FINDING_KINDS[number];

/** Examples of each kind that are told in full. */
const MAX_EXAMPLES = 10;

/** Counts findings, each once however often it is seen, and keeps a few examples. */
export class Findings {
  readonly #seen = new Map<FindingKind, Set<string>>(FINDING_KINDS.map((kind) => [kind, new Set()]));
  readonly examples: string[] = [];

  /** Takes note of one. `what` says which thing, so that it counts once. */
  add(kind: FindingKind, what: string, detail: string): void {
    const seen = this.#seen.get(kind);
    if (!seen || seen.has(what)) return;
    seen.add(what);
    if (seen.size <= MAX_EXAMPLES) this.examples.push(`${kind}: ${what}: ${detail}`);
  }

  /** Number of findings of a kind. */
  count(kind: FindingKind): number {
    return this.#seen.get(kind)?.size ?? 0;
  }

  /** Number of findings. */
  get total(): number {
    return FINDING_KINDS.reduce((sum, kind) => sum + this.count(kind), 0);
  }
}
