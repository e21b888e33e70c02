/** The types of Elasticsearch and OpenSearch. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { getType, putType, requestType } from "./documents.ts";
import type { EngineKind } from "./engine.ts";
import { bulkType, loadType } from "./load.ts";
import { scrollType, searchType } from "./search.ts";

const KINDS: readonly EngineKind[] = [
  { prefix: "elasticsearch", title: "Elasticsearch" },
  { prefix: "opensearch", title: "OpenSearch" },
];
const TYPES = [bulkType, getType, loadType, putType, requestType, scrollType, searchType];

/** Types below `elasticsearch.` and `opensearch.`. */
export const SEARCH_TASKS: readonly TaskDefinition[] = Object.freeze(
  KINDS.flatMap((kind) => TYPES.map((type) => type(kind))),
);
