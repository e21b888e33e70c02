/** Reads the records of files of CSV by the package `csv-parse`. */
import type { Options } from "csv-parse";
import { readTextFile } from "./row_files.ts";

/** Limit of a record: an opening quote without a closing one makes the rest of the file a part of its field. */
const MAX_RECORD_BYTES = 32 * 1024 * 1024;

/** The fields of each record, which may differ in number. `leaveOut` makes a malformed record be left out. */
export async function csvRecords(
  path: string,
  charset: string | undefined,
  { leaveOut, ...options }: Options & { readonly leaveOut?: (reason: string) => void },
): Promise<AsyncIterable<readonly string[]>> {
  const { parse } = await import("csv-parse");
  const { Readable } = await import("node:stream");
  const parser = parse({
    bom: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_BYTES,
    skip_records_with_error: leaveOut !== undefined,
    on_skip: (error) => {
      // The parser would lose the rest of the file.
      if (error?.code === "CSV_MAX_RECORD_SIZE") throw error;
      leaveOut?.(error?.message ?? "a row is malformed");
      return undefined;
    },
    ...options,
  });
  const source = Readable.from(readTextFile(path, charset));
  source.on("error", (error) => parser.destroy(error));
  return source.pipe(parser);
}
