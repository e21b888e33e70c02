/** Addresses of executions, and links to those of which only the id is known. */
import { useEffect } from "preact/hooks";
import { get } from "../../api/client.ts";
import type { ExecutionRow } from "../../api/entities.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { navigate, segments } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";

/** The address of an execution, with parameters of a tab. */
export function executionHref(
  { namespace, flowId, id }: Pick<ExecutionRow, "namespace" | "flowId" | "id">,
  tab?: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const text = new URLSearchParams(query).toString();
  return `${pagePath("executions", namespace, flowId, id, tab)}${text === "" ? "" : `?${text}`}`;
}

/** A link to an execution; its address has no flow, as that is not known here. */
export function ExecutionLink({ id }: { readonly id: string }) {
  return <a class="mono" href={pagePath("executions", id)}>{id}</a>;
}

/** `/executions/:id`: redirects to the page of that execution. */
export function ExecutionById() {
  const [, id = ""] = segments.value;
  const found = useResource(id, (signal) => get<ExecutionRow>(apiPath("executions", id), {}, signal));
  return <Loaded resource={found}>{(execution) => <Redirect to={executionHref(execution)} />}</Loaded>;
}

function Redirect({ to }: { readonly to: string }) {
  useEffect(() => navigate(to, { replace: true }), [to]);
  return null;
}
