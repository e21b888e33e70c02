/** Columns of results, and rows as lists of their cells. */

/** Most columns of a result: MySQL and SQL Server allow as many. */
const MAX_COLUMNS = 4_096;
/** A row of a few bytes repeats all names. */
const [MAX_NAME_CHARS, MAX_NAMES_CHARS] = [2_048, 256 * 1024];

/** What a server sent is no message of its protocol. */
export class MalformedMessage extends Error {}

/** Refuses a result that is too wide. @throws MalformedMessage */
export function checkColumns(columns: readonly { readonly name: string }[]): void {
  if (columns.length > MAX_COLUMNS) {
    throw new MalformedMessage(
      `The result has ${columns.length} columns; the limit is ${MAX_COLUMNS}: select fewer of them`,
    );
  }
  let chars = 0;
  for (const { name } of columns) {
    chars += name.length;
    if (name.length <= MAX_NAME_CHARS && chars <= MAX_NAMES_CHARS) continue;
    throw new MalformedMessage(
      `The names of the columns are too long; the limits are ${MAX_NAME_CHARS} characters for a name ` +
        `and ${MAX_NAMES_CHARS} for all: name columns with AS, or select fewer of them`,
    );
  }
}

/** Refuses a list that lacks cells: a row of two bytes would stand for all columns. @throws MalformedMessage */
export function checkRow(columns: readonly unknown[], cells: readonly unknown[]): void {
  if (cells.length >= columns.length) return;
  throw new MalformedMessage(`A row has ${cells.length} cells, the result has ${columns.length} columns`);
}
