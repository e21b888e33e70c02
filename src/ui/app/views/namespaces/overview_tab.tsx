/** What a namespace is for and what it holds. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { countText } from "../../core/numbers.ts";
import { apiPath, pagePath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { Loaded } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { t, type TextName } from "../../texts/mod.ts";
import { type NamespaceRow, type NamespaceUsage, type TabProps, usageOf } from "./namespace.ts";

const COUNTS: readonly (readonly [keyof NamespaceUsage, TextName])[] = [
  ["flows", "nav.flows"],
  ["executions", "nav.executions"],
  ["files", "namespaces.files"],
  ["kv", "namespaces.kv"],
  ["secrets", "namespaces.secrets"],
];

/** The tab. */
export function OverviewTab({ namespace }: TabProps) {
  const usage = useResource(namespace, (signal) => usageOf(namespace, signal), { refreshMs: 15_000 });
  return (
    <>
      <Description namespace={namespace} />
      <Loaded resource={usage} rows={3}>
        {(counts) => (
          <ul class="cards counts">
            {COUNTS.map(([name, title]) => (
              <li key={name}>
                <a class="card count" href={pagePath("namespaces", namespace, name)}>
                  <strong>{countText(counts[name])}</strong>
                  <span>{t(title)}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <Below namespace={namespace} />
    </>
  );
}

function Description({ namespace }: TabProps) {
  const isOpen = useSignal(false);
  const path = `/namespaces${apiPath(namespace)}`;
  const loaded = useResource(namespace, (signal) => get<NamespaceRow>(path, {}, signal));
  return (
    <Loaded resource={loaded} rows={1}>
      {(row) => (
        <div class="section-head">
          <p class={row.description ? "" : "dim"}>{row.description || t("namespaces.noDescription")}</p>
          <May>
            <button type="button" onClick={() => isOpen.value = true}>{t("namespaces.describe")}</button>
          </May>
          {isOpen.value && (
            <DescriptionForm
              row={row}
              reload={loaded.reload}
              onClose={() => isOpen.value = false}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}

interface DescriptionFormProps {
  readonly row: NamespaceRow;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

function DescriptionForm({ row, reload, onClose }: DescriptionFormProps) {
  const text = useSignal(row.description ?? "");
  const onSend = async () => {
    const path = `/namespaces${apiPath(row.id)}`;
    // A change replaces all members; those that changed meanwhile are kept.
    const present = await get<NamespaceRow>(path);
    await send("PUT", path, { body: { ...present, description: text.value } });
    await reload();
  };
  return (
    <FormDialog title={t("namespaces.describe")} action={t("common.save")} onSend={onSend} onClose={onClose}>
      <Field title={t("namespaces.description")}>
        <textarea
          value={text.value}
          onInput={(event) =>
            text.value = event.currentTarget.value}
        />
      </Field>
    </FormDialog>
  );
}

/** The namespaces below, if there are any. */
function Below({ namespace }: TabProps) {
  const below = useResource(namespace, (signal) => {
    const query = { "filters[namespace][STARTS_WITH]": `${namespace}.`, size: 100, sort: "id:asc" };
    return get<Page<NamespaceRow>>("/namespaces/search", query, signal);
  });
  const rows = below.data?.results ?? [];
  if (rows.length === 0) return null;
  return (
    <section class="section">
      <h2>{t("namespaces.below")}</h2>
      <ul class="links">
        {rows.map(({ id }) => (
          <li key={id}>
            <a class="button" href={pagePath("namespaces", id)}>{id}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
