/** The description of one operation, without method, path and access, which its route has. */
import { CLOSED_PARAMETERS } from "./parameters.ts";
import {
  ANYTHING,
  BYTES,
  FLAG,
  INSTANT,
  INTEGER,
  listOf,
  MAP,
  objectOf,
  type Schema,
  TEXT,
} from "./schema.ts";

/** Bodies by media type. */
export type Content = Readonly<Record<string, Schema>>;

/** What an operation takes and returns. */
export interface OperationDetails {
  /** Names of query parameters; `name[]` may be repeated, `name!` is required. */
  readonly query?: readonly string[];
  /** Request headers, beside those of every request. */
  readonly headers?: readonly string[];
  readonly body?: Content;
  /** The operation has a meaning without its body. */
  readonly isBodyOptional?: boolean;
  /** Of success; 200 by default. */
  readonly status?: number;
  /** Absent: a successful response has no body. */
  readonly response?: Content;
  /** Further successful responses, without a body: the description by status. */
  readonly also?: Readonly<Record<string, string>>;
}

/** An operation. */
export interface Operation extends OperationDetails {
  /** One line, without full stop. */
  readonly summary: string;
}

/** Operations by method and path. Paths are relative to the tenant, or to `/api/v1`, or to the root, as `{name}` templates. */
export type Operations = readonly (readonly [key: string, summary: string, details?: OperationDetails])[];

/** JSON of that schema. */
export function json(schema: Schema): Content {
  return { "application/json": schema };
}

/** A file. */
export const FILE: Content = { "application/octet-stream": BYTES };
/** A CSV table. */
export const CSV: Content = { "text/csv": TEXT };
/** Plain text. */
export const PLAIN_TEXT: Content = { "text/plain": TEXT };
/** A stream of events whose data are JSON. */
export const EVENTS: Content = { "text/event-stream": TEXT };
/**
 * The source of a flow, or of several. `text/yaml` is first since some generators encode as JSON what is neither a text type
 * nor bytes; bytes are for generators that know no text type.
 */
export const YAML: Content = {
  "text/yaml": TEXT,
  "application/x-yaml": TEXT,
  "application/octet-stream": BYTES,
};
/** Any JSON. */
export const ANY_JSON: Content = json(ANYTHING);
/** Any JSON object. */
export const JSON_OBJECT: Content = json(MAP);
/** A list of texts. */
export const TEXTS: Content = json(listOf(TEXT));
/** Values of inputs, one part each; files as file parts. Parts have no schema: for a union a generator writes invalid Python. */
export const INPUT_FORM: Content = { "multipart/form-data": MAP };
/** An expression or another short text; as bytes for clients that cannot send plain text. */
export const TEXT_BODY: Content = { "text/plain": TEXT, "application/octet-stream": BYTES };

/** A form with a file in the part of that name. */
export function fileForm(part: string): Content {
  return { "multipart/form-data": objectOf({ [part]: BYTES }) };
}

/** Parameters of every paged list. */
export const PAGE = ["page", "size", "sort[]"] as const;
/** Filters of lists of flows; here and below, `filters` stands for `filters[field][OPERATOR]`. */
export const FLOW_FILTERS = ["q", "scope", "namespace", "flowId", "labels[]", "filters"] as const;
/** Of executions. */
export const EXECUTION_FILTERS = [
  ...["q", "scope", "namespace", "flowId", "startDate", "endDate", "timeRange", "state[]", "labels[]"],
  ...["triggerId[]", "triggerExecutionId", "inputs[]", "childFilter", "kind", "filters"],
] as const;
/** Of log lines. */
export const LOG_FILTERS = [
  ...["q", "scope", "namespace", "flowId", "executionId", "triggerId", "minLevel"],
  ...["startDate", "endDate", "timeRange", "filters"],
] as const;
/** Of triggers. */
export const TRIGGER_FILTERS = [
  ...["q", "scope", "namespace", "flowId", "triggerId", "workerId", "triggerState", "filters"],
] as const;

const WHOLE = ["page", "size", "revision", "maxRows", "maxTaskRuns", "attempt", "revisions"];
const FLAGS = [
  ...["allowDeleted", "allowDelete", "source", "wait", "delete", "override", "failOnError", "disabled"],
  ...[
    "allowNamespaceChild",
    "destinationOnly",
    "expandAll",
    "existing",
    "isOnKillCascade",
    "latestRevision",
    "valueClusters",
  ],
  ...["includeNonTerminated", "arrayOf", "all", "details"],
];
const INSTANTS = ["startDate", "endDate", "scheduleDate"];

/** The schema of a parameter by its name; texts have no entry. */
export const PARAMETER_SCHEMAS: ReadonlyMap<string, Schema> = new Map<string, Schema>([
  ...WHOLE.map((name): [string, Schema] => [name, INTEGER]),
  ...FLAGS.map((name): [string, Schema] => [name, FLAG]),
  ...INSTANTS.map((name): [string, Schema] => [name, INSTANT]),
  ...CLOSED_PARAMETERS,
]);
