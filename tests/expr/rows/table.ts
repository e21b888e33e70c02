/** What a table of expression cases is. */
import type { ErrorRow, Row } from "../support.ts";

/** Cases of one section of the language over the same variables. */
export interface Table {
  readonly topic: string;
  /** Variables as data, or as JSON text where the kinds of numbers matter. */
  readonly data?: unknown;
  readonly rows?: readonly Row[];
  readonly errors?: readonly ErrorRow[];
  /** Templates and the whole messages of their errors. */
  readonly messages?: readonly Row[];
}
