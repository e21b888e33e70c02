/** A namespace as lists give it, and what it holds. */
import { get, type Page } from "../../api/client.ts";
import { apiPath } from "../../core/places.ts";

/** A namespace in a list. */
export interface NamespaceRow {
  readonly id: string;
  readonly description?: string;
}

/** What a page knows of its namespace. */
interface KnownNamespace extends NamespaceRow {
  /** False: it was not created, and no flow is in it or below it. The API gives every valid name all the same. */
  readonly exists: boolean;
}

/** A namespace. @throws ApiError 404: it was deleted */
export async function readNamespace(id: string, signal?: AbortSignal): Promise<KnownNamespace> {
  const named = { "filters[namespace][EQUALS]": id, size: 1 };
  const [namespace, { total }] = await Promise.all([
    get<NamespaceRow>(`/namespaces${apiPath(id)}`, {}, signal),
    get<Page<NamespaceRow>>("/namespaces/search", named, signal),
  ]);
  return { ...namespace, exists: total > 0 };
}

/** What each tab of a namespace gets. */
export interface TabProps {
  readonly namespace: string;
}

/** Numbers of things in a namespace itself. */
export interface NamespaceUsage {
  readonly flows: number;
  readonly executions: number;
  readonly files: number;
  readonly kv: number;
  readonly secrets: number;
}

/** Counts what a namespace holds, without the namespaces below it. */
export async function usageOf(namespace: string, signal?: AbortSignal): Promise<NamespaceUsage> {
  const path = `/namespaces${apiPath(namespace)}`;
  const only = { "filters[namespace][EQUALS]": namespace, size: 1 };
  const [flows, executions, files, kv, secrets] = await Promise.all([
    get<Page<unknown>>("/flows/search", only, signal),
    get<Page<unknown>>("/executions/search", only, signal),
    get<readonly unknown[]>(`${path}/files/search`, {}, signal),
    get<readonly unknown[]>(`${path}/kv`, {}, signal),
    get<{ readonly results: readonly { readonly namespace?: string }[] }>(
      `${path}/secrets`,
      { size: 1_000 },
      signal,
    ),
  ]);
  return {
    flows: flows.total,
    executions: executions.total,
    files: files.length,
    kv: kv.length,
    // Secrets of the environment belong to all namespaces.
    secrets: secrets.results.filter((each) => each.namespace === namespace).length,
  };
}
