/** The types of Elasticsearch and OpenSearch. */
import type { TaskDefinition } from "../../model/tasks/task_definition.ts";
import { getType, putType, requestType } from "./documents.ts";
import type { EngineKind } from "./engine.ts";
import { bulkType, loadType } from "./load.ts";
import { esqlType, pplType } from "./queries.ts";
import { scrollType, searchType } from "./search.ts";

const ELASTICSEARCH: EngineKind = { prefix: "elasticsearch", title: "Elasticsearch" };
const OPENSEARCH: EngineKind = { prefix: "opensearch", title: "OpenSearch" };
const TYPES = [bulkType, getType, loadType, putType, requestType, scrollType, searchType];

/** Types below `elasticsearch.` and `opensearch.`. */
export const SEARCH_TASKS: readonly TaskDefinition[] = Object.freeze([
  ...[ELASTICSEARCH, OPENSEARCH].flatMap((kind) => TYPES.map((type) => type(kind))),
  esqlType(ELASTICSEARCH),
  pplType(OPENSEARCH),
]);
