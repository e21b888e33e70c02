/** The types that transform records. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { aggregateRecords } from "./aggregate.ts";
import { filterRecords } from "./filter.ts";
import { grokItems, grokValue } from "./grok_tasks.ts";
import { transformItems, transformValue } from "./jsonata/tasks.ts";
import { mapRecords } from "./map.ts";
import { selectRecords } from "./select.ts";
import { unnestRecords } from "./unnest.ts";
import { zipRecords } from "./zip.ts";

/** Types below `transform.`. */
export const TRANSFORM_TASKS: readonly TaskDefinition[] = Object.freeze([
  aggregateRecords,
  filterRecords,
  grokItems,
  grokValue,
  mapRecords,
  selectRecords,
  transformItems,
  transformValue,
  unnestRecords,
  zipRecords,
]);
