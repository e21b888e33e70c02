/** What refers to a namespace, as a list in dialogs. */
import { get } from "../../api/client.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { t } from "../../texts/mod.ts";

/** What the API says of the use of a namespace and of those below it. */
export interface References {
  readonly children: readonly string[];
  readonly webhooks: readonly string[];
  readonly executions: { readonly total: number };
  readonly references: readonly {
    readonly kind: "FLOW" | "TRIGGER" | "DASHBOARD" | "NAMESPACE";
    readonly id: string;
    readonly line?: number;
    readonly edited: boolean;
  }[];
}

/** References that are shown. */
const MAX_SHOWN = 20;

/** What refers to a namespace. */
export function referencesTo(namespace: string): Promise<References> {
  return get(`/namespaces${apiPath(namespace)}/usage`);
}

/** The references that a rename does not change, each with a link; nothing without any. */
export function ReferenceList({ references }: Pick<References, "references">) {
  const open = references.filter(({ edited }) => !edited);
  if (open.length === 0) return null;
  return (
    <div class="notice warn">
      {t("items.references", { count: open.length })}
      <ul>
        {open.slice(0, MAX_SHOWN).map(({ kind, id, line }) => (
          <li key={`${id} ${line}`}>
            <a href={hrefOf(kind, id)} target="_blank">{id}</a>
            {line !== undefined && ` :${line}`}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Ids of flows have no dots. */
function hrefOf(kind: string, id: string): string {
  if (kind === "DASHBOARD") return pagePath("dashboards", id);
  if (kind === "NAMESPACE") return pagePath("namespaces", id);
  const dot = id.lastIndexOf(".");
  return pagePath("flows", "edit", id.slice(0, dot), id.slice(dot + 1), "editor");
}
