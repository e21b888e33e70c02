/** What lists show instead of a large value. */
import { flattenString } from "../../base/text/flatten_string.ts";
import type { JsonObject } from "../../base/json.ts";
import { publicTenantId } from "../access/tenant.ts";
import type { TenantId } from "../flows/flow.ts";

/** Bytes of JSON text up to which lists show inputs, outputs, variables and trigger variables of an execution. */
export const MAX_LISTED_VALUE_BYTES = 64 * 1024;
/** The same for the rows of a page that has reached {@link MAX_FULL_PAGE_CHARS}. */
export const MAX_LISTED_VALUE_BYTES_BEYOND = 1024;
/** Characters of a page after which its values are shortened harder. */
export const MAX_FULL_PAGE_CHARS = 32 * 1024 * 1024;

/** Bytes of values in all that a page or an event of one execution shows; further ones are shortened. */
export const MAX_VIEWED_VALUE_BYTES = 4 * 1024 * 1024;

/** Task runs that such a page or event shows: the first ones. */
export const MAX_VIEWED_TASK_RUNS = 10_000;

/** Characters that are left of a shortened text. */
const SHORTENED_TEXT_CHARS = 256;

/** Stands for a value: its size, and where the execution has it in full. */
export function shortenedValue(tenant: TenantId, executionId: string, bytes: number): JsonObject {
  return { $shortened: { bytes, uri: executionUri(tenant, executionId) } };
}

/** Stands for task runs that are not shown. */
export function shortenedTaskRuns(tenant: TenantId, executionId: string, taskRuns: number): JsonObject {
  return { taskRuns, uri: executionUri(tenant, executionId) };
}

function executionUri(tenant: TenantId, executionId: string): string {
  return `/api/v1/${publicTenantId(tenant)}/executions/${executionId}`;
}

/** The start of a text that is longer than `maxChars`, with a mark; else the text. */
export function shortenedText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  // Flat, because a part of a text keeps the whole text in memory.
  return flattenString(`${text.slice(0, SHORTENED_TEXT_CHARS)}… [shortened, ${text.length} characters]`);
}
