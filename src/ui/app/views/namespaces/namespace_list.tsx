/** `/namespaces`: the tree of namespaces. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { navigate, query } from "../../core/router.ts";
import { EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { ICONS } from "../../layout/icons.tsx";
import { ViewHead } from "../../layout/shell.tsx";
import { t } from "../../texts/mod.ts";
import type { NamespaceRow } from "./namespace.ts";
import { type NamespaceNode, namespaceTree } from "./namespace_tree.ts";

const FILTERS: readonly FilterField[] = [{ name: "q", kind: "text", title: "common.search" }];
/** More are found by the filter. */
const MAX_SHOWN = 1_000;
const REFRESH_MS = 15_000;

/** The view. */
export function NamespaceList() {
  const q = query.value.get("q") ?? "";
  const isOpen = useSignal(false);
  const load = (signal: AbortSignal) =>
    get<Page<NamespaceRow>>("/namespaces/search", { q, size: MAX_SHOWN, sort: "id:asc" }, signal);
  const list = useResource(q, load, { refreshMs: REFRESH_MS });
  return (
    <>
      <ViewHead title={t("namespaces.title")}>
        <May>
          <button type="button" class="primary" onClick={() => isOpen.value = true}>
            {t("namespaces.create")}
          </button>
        </May>
      </ViewHead>
      <Filters fields={FILTERS} />
      <Loaded resource={list}>
        {({ results, total }) =>
          total === 0
            ? <EmptyState title={t(q === "" ? "namespaces.none" : "namespaces.noMatch")} />
            : (
              <div class="card">
                <Tree nodes={namespaceTree(results)} />
                {total > results.length && <p class="dim">{t("namespaces.more", { count: total })}</p>}
              </div>
            )}
      </Loaded>
      {isOpen.value && <CreateForm onClose={() => isOpen.value = false} />}
    </>
  );
}

function Tree({ nodes }: { readonly nodes: readonly NamespaceNode[] }) {
  return (
    <ul class="tree">
      {nodes.map(({ id, name, description, children }) => (
        <li key={id}>
          <a class="node" href={pagePath("namespaces", id)}>
            {ICONS.namespaces}
            <span>{name}</span>
            {description && <span class="dim">{description}</span>}
          </a>
          {children.length > 0 && <Tree nodes={children} />}
        </li>
      ))}
    </ul>
  );
}

function CreateForm({ onClose }: { readonly onClose: () => void }) {
  const id = useSignal("");
  const description = useSignal("");
  const onSend = async () => {
    const body = { id: id.value.trim(), ...(description.value !== "" && { description: description.value }) };
    await send("POST", "/namespaces", { body });
    return body.id;
  };
  return (
    <FormDialog
      title={t("namespaces.create")}
      action={t("common.create")}
      onSend={onSend}
      onSent={(created) => navigate(pagePath("namespaces", created))}
      onClose={onClose}
    >
      <Field title={t("namespaces.name")} hint={t("namespaces.nameHint")}>
        <input required value={id.value} onInput={(event) => id.value = event.currentTarget.value} />
      </Field>
      <Field title={t("namespaces.description")}>
        <input value={description.value} onInput={(event) => description.value = event.currentTarget.value} />
      </Field>
    </FormDialog>
  );
}
