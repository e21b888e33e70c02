/**
 * Searches texts for texts in linear time. The platform's search takes text × sought: 20 s for a text of 400,000
 * characters and one of 100,000.
 */

/** Longest text that the platform searches for in linear time, near enough. */
const SHORT = 8;

/** As `text.indexOf(sought, from)`. */
export function indexOfText(text: string, sought: string, from = 0): number {
  const { length } = sought;
  if (length <= SHORT) return text.indexOf(sought, from);
  const head = sought.slice(0, SHORT);
  const last = text.length - length;
  // Characters that may be compared in vain.
  let left = text.length - from;
  for (let at = text.indexOf(head, from); at >= 0 && at <= last; at = text.indexOf(head, at + 1)) {
    if (text.startsWith(sought, at)) return at;
    left -= length;
    if (left < 0) return matchesOf(text, sought, at + 1).next().value ?? -1;
  }
  return -1;
}

/** As `text.lastIndexOf(sought)`. */
export function lastIndexOfText(text: string, sought: string): number {
  const { length } = sought;
  if (length <= SHORT) return text.lastIndexOf(sought);
  const head = sought.slice(0, SHORT);
  let left = text.length;
  for (let at = text.lastIndexOf(head, text.length - length); at >= 0; at = text.lastIndexOf(head, at - 1)) {
    if (text.startsWith(sought, at)) return at;
    left -= length;
    if (left < 0 || at === 0) break;
  }
  return left < 0 ? lastOf(matchesOf(text, sought, 0)) : -1;
}

/** As `text.includes(sought)`. */
export function includesText(text: string, sought: string): boolean {
  return indexOfText(text, sought) >= 0;
}

/** As `text.split(separator)`. */
export function splitByText(text: string, separator: string): string[] {
  if (separator.length <= SHORT) return text.split(separator);
  const parts: string[] = [];
  let from = 0;
  for (let at = indexOfText(text, separator); at >= 0; at = indexOfText(text, separator, from)) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

function lastOf(offsets: Iterable<number>): number {
  let last = -1;
  for (const at of offsets) last = at;
  return last;
}

/** Offsets of the matches, also of those that overlap (algorithm of Knuth, Morris and Pratt). */
function* matchesOf(text: string, sought: string, from: number): Generator<number, undefined> {
  const { length } = sought;
  const borders = bordersOf(sought);
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (sought.charCodeAt(matched) === code) matched++;
    if (matched < length) continue;
    yield at - length + 1;
    matched = borders[matched - 1] as number;
  }
}

/** For each prefix, the length of its longest proper prefix that it also ends with. */
function bordersOf(sought: string): Int32Array {
  const borders = new Int32Array(sought.length);
  for (let at = 1, matched = 0; at < sought.length; at++) {
    const code = sought.charCodeAt(at);
    while (matched > 0 && sought.charCodeAt(matched) !== code) matched = borders[matched - 1] as number;
    if (sought.charCodeAt(matched) === code) matched++;
    borders[at] = matched;
  }
  return borders;
}
