/** How folders of repositories and namespaces correspond. */
import { optionalText } from "../../model/tasks/task_definition.ts";
import type { JsonValue } from "../../base/json.ts";
import { normalizeFilePath } from "../../model/namespaces/file_path.ts";

/** The canonical path of a folder; `""` for the root. @throws DomainError invalid_argument */
export function folderOf(text: JsonValue | undefined): string {
  return normalizeFilePath(optionalText(text) ?? "");
}

/** The namespace of a flow at a path below the folder of a namespace: `a/b/flow.yml` of `prod` is in `prod.a.b`. */
export function namespaceBelow(namespace: string, path: string): string {
  return [namespace, ...path.split("/").slice(0, -1)].join(".");
}

/** The path of a flow below the folder of a namespace: the inverse of {@link namespaceBelow}. */
export function flowPath(
  namespace: string,
  flow: { readonly namespace: string; readonly id: string },
): string {
  const below = flow.namespace === namespace ? [] : flow.namespace.slice(namespace.length + 1).split(".");
  return [...below, `${flow.id}.yml`].join("/");
}

/** Whether a file holds a flow or a dashboard, by its name. */
export function isYamlPath(path: string): boolean {
  return /\.ya?ml$/i.test(path);
}

/** The id of what a file holds: its name without folders and ending. */
export function idOfPath(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1).replace(/\.ya?ml$/i, "");
}
