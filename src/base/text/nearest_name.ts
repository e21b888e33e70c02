/** "Did you mean": the known name closest to a misspelt one. */

/** Edits that count as a misspelling; at most a third of the length of the name. */
const MAX_EDITS = 3;

/** A shorter word is part of too many names. */
const MIN_WORD = 4;

/** Work of looking at a known name, in cells of a distance matrix. */
const CELLS_PER_NAME = 10;

/** Work that searches may still do together, in cells of distance matrices. */
export interface SearchBudget {
  cells: number;
}

/** Takes the work of looking at that many names; false when no work is left. */
export function takeNames(budget: SearchBudget, count: number): boolean {
  budget.cells -= count * CELLS_PER_NAME;
  return budget.cells > 0;
}

/**
 * The known name with the fewest edits (insert, drop, replace, swap of neighbours) from `name`. When none is within the limit,
 * the only one that ends with `name` as a word of its own, as `errorMessage` ends with `message`; otherwise `undefined`, also
 * when the budget does not suffice.
 */
export function nearestName(
  name: string,
  known: Iterable<string>,
  { maxEdits = MAX_EDITS, budget = { cells: Infinity } }: {
    readonly maxEdits?: number;
    readonly budget?: SearchBudget;
  } = {},
): string | undefined {
  const candidates = [...known];
  if (!takeNames(budget, candidates.length)) return undefined;
  const limit = Math.min(maxEdits, Math.max(1, Math.floor(name.length / 3)));
  let nearest: string | undefined;
  let fewest = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= fewest) continue;
    budget.cells -= name.length * candidate.length;
    if (budget.cells <= 0) return undefined;
    const edits = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (edits >= fewest) continue;
    fewest = edits;
    nearest = candidate;
  }
  return nearest ?? onlyNameEndingWith(name, candidates);
}

function onlyNameEndingWith(name: string, candidates: readonly string[]): string | undefined {
  if (name.length < MIN_WORD) return undefined;
  const capitalised = name.charAt(0).toUpperCase() + name.slice(1);
  const endings = [capitalised, `-${name}`, `_${name}`];
  const found = candidates.filter((each) => endings.some((ending) => each.endsWith(ending)));
  return found.length === 1 ? found[0] : undefined;
}

/** Three rows of the distance matrix: a swap looks two rows back. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min(cell(last, j) + 1, cell(row, j - 1) + 1, cell(last, j - 1) + (isSame ? 0 : 1));
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwap) edits = Math.min(edits, cell(beforeLast, j - 2) + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return cell(last, b.length);
}

function cell(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}
