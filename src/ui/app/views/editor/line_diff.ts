/** The differences of two texts, line by line. */

/** Lines that follow each other: the same in both texts, or different ones, of which one side may have none. */
interface DiffPart {
  readonly isSame: boolean;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Texts that differ in more lines are shown as one change: the search needs memory for the square of it. */
const MAX_EDITS = 1000;

/** The parts of two texts in their order, with the fewest changed lines. */
export function lineDiff(before: string, after: string): readonly DiffPart[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  const start = commonStart(a, b);
  const end = commonStart(a.slice(start).reverse(), b.slice(start).reverse());
  const [changedA, changedB] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return partsOf(a, b, [
    ...range(start).map((at): Pair => [at, at]),
    ...samePairs(changedA, changedB).map(([x, y]): Pair => [x + start, y + start]),
    ...range(end).map((at): Pair => [a.length - end + at, b.length - end + at]),
  ]);
}

/** What differs within two lines: the length of what begins both, and of what ends both after that. */
export function innerChange(before: string, after: string): { readonly start: number; readonly end: number } {
  // By characters: a half of one is not shown.
  const [a, b] = [[...before], [...after]];
  const start = commonStart(a, b);
  const end = commonStart(a.slice(start).reverse(), b.slice(start).reverse());
  return { start: a.slice(0, start).join("").length, end: a.slice(a.length - end).join("").length };
}

/** Indexes of a line in each text. */
type Pair = readonly [before: number, after: number];

function range(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
}

/** Lines that stay (Myers, "An O(ND) Difference Algorithm", 1986); none if there are too many changes. */
function samePairs(a: readonly string[], b: readonly string[]): Pair[] {
  // The furthest x on each diagonal k = x - y, at k + MAX_EDITS + 1.
  const furthest = new Int32Array(2 * MAX_EDITS + 3);
  const trace: Int32Array[] = [];
  const most = Math.min(MAX_EDITS, a.length + b.length);
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice());
    for (let k = -edits; k <= edits; k += 2) {
      let x = firstOn(k, edits, furthest);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[k + MAX_EDITS + 1] = x;
      if (x >= a.length && x - k >= b.length) return pairsOf(trace, a.length, b.length);
    }
  }
  return [];
}

/** Where a diagonal is entered: from the one below by a line that is new, or from the one above by one that is gone. */
function firstOn(k: number, edits: number, furthest: Int32Array): number {
  return isFromAbove(k, edits, furthest) ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
}

function isFromAbove(k: number, edits: number, furthest: Int32Array): boolean {
  return k === -edits || (k !== edits && at(furthest, k - 1) < at(furthest, k + 1));
}

function at(furthest: Int32Array, k: number): number {
  return furthest[k + MAX_EDITS + 1] ?? 0;
}

/** The way back from the end. */
function pairsOf(trace: readonly Int32Array[], lengthA: number, lengthB: number): Pair[] {
  const pairs: Pair[] = [];
  let [x, y] = [lengthA, lengthB];
  for (let edits = trace.length - 1; edits >= 0; edits--) {
    const furthest = trace[edits] ?? new Int32Array();
    const first = edits === 0 ? 0 : firstOn(x - y, edits, furthest);
    const before = edits === 0 ? 0 : isFromAbove(x - y, edits, furthest) ? x - y + 1 : x - y - 1;
    while (x > first) pairs.unshift([--x, --y]);
    [x, y] = [at(furthest, before), at(furthest, before) - before];
  }
  return pairs;
}

function partsOf(a: readonly string[], b: readonly string[], pairs: readonly Pair[]): DiffPart[] {
  const parts: DiffPart[] = [];
  let same: string[] = [];
  let [x, y] = [0, 0];
  const endSame = () => {
    if (same.length > 0) parts.push({ isSame: true, before: same, after: same });
    same = [];
  };
  for (const [nextX, nextY] of [...pairs, [a.length, b.length] as const]) {
    if (nextX > x || nextY > y) {
      endSame();
      parts.push({ isSame: false, before: a.slice(x, nextX), after: b.slice(y, nextY) });
    }
    if (nextX < a.length && nextY < b.length) same.push(a[nextX] ?? "");
    [x, y] = [nextX + 1, nextY + 1];
  }
  endSame();
  return parts;
}
