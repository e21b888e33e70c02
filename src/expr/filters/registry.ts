/** Every filter by name. A new filter is one entry of a table. */
import type { Filter } from "../entry.ts";
import { DATA_FILTERS } from "./data.ts";
import { DATE_FILTERS } from "./date.ts";
import { ENCODING_FILTERS } from "./encoding.ts";
import { FORMAT_FILTERS } from "./format.ts";
import { LIST_FILTERS } from "./list.ts";
import { NUMBER_FILTERS } from "./number.ts";
import { REGEX_FILTERS } from "./regex.ts";
import { TEXT_FILTERS } from "./text.ts";

/** Filters by name. */
export const FILTERS: ReadonlyMap<string, Filter> = new Map([
  ...TEXT_FILTERS,
  ...FORMAT_FILTERS,
  ...LIST_FILTERS,
  ...NUMBER_FILTERS,
  ...DATA_FILTERS,
  ...ENCODING_FILTERS,
  ...REGEX_FILTERS,
  ...DATE_FILTERS,
]);

/** Every filter name. */
export const FILTER_NAMES: readonly string[] = [...FILTERS.keys()];
