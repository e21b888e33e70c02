/** Requests that act on many executions. */
import type { Query } from "../../api/client.ts";
import type { LabelInfo } from "../../api/entities.ts";

/** States that a person can assign. */
export const ASSIGNABLE_STATES = ["SUCCESS", "WARNING", "FAILED", "KILLED", "CANCELLED"] as const;

/** What is done with them. */
export type BulkAction =
  | { readonly name: "restart" | "replay" | "resume" | "kill" | "delete" }
  | { readonly name: "labels"; readonly labels: readonly LabelInfo[] }
  | { readonly name: "change-status"; readonly state: string };

/** Executions by their ids, or all that match filters; `count` is the number that a person has seen. */
export interface BulkTarget {
  readonly count: number;
  readonly ids?: readonly string[];
  readonly filters?: Query;
}

interface BulkRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Query;
  readonly body?: unknown;
}

/** The request of an action. */
export function bulkRequest(action: BulkAction, { ids, filters = {} }: BulkTarget): BulkRequest {
  const { name } = action;
  return {
    method: name === "kill" || name === "delete" ? "DELETE" : "POST",
    path: `/executions${name === "delete" ? "" : `/${name}`}/${ids ? "by-ids" : "by-query"}`,
    query: { ...ids ? {} : filters, newStatus: name === "change-status" ? action.state : undefined },
    body: name !== "labels"
      ? ids
      : ids
      ? { executionsId: ids, executionLabels: action.labels }
      : action.labels,
  };
}

/** Labels as a person writes them: `key:value`, separated by commas or lines; `undefined` if one of them is neither. */
export function labelsIn(text: string): LabelInfo[] | undefined {
  const entries = text.split(/[,\n]/).map((entry) => entry.trim()).filter((entry) => entry !== "");
  const labels = entries.map((entry) => /^([^:\s]+)\s*:\s*(.+)$/.exec(entry));
  const isGood = labels.length > 0 && labels.every((label) => label !== null);
  return isGood ? labels.map(([, key = "", value = ""]) => ({ key, value })) : undefined;
}
