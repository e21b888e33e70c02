/** Filters that print data as JSON and YAML. */
import { jsonText } from "../print.ts";
import type { Filter, FilterEntry } from "../entry.ts";
import { yamlText } from "../yaml.ts";

const TO_JSON: Filter = { parameters: [], apply: (input) => jsonText(input) };

/** Filters that print data. */
export const JSON_FILTERS: readonly FilterEntry[] = [
  ["toJson", TO_JSON],
  ["json", TO_JSON],
  ["yaml", { parameters: [], apply: (input) => input === null ? null : yamlText(input) }],
];
