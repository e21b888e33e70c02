/** Secrets of a namespace. Values are set and replaced, never shown. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { pageIn } from "../../core/page_number.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import type { Column } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";
import {
  Example,
  hasItem,
  InheritedItems,
  inheritedItems,
  ItemActions,
  ItemList,
  ITEMS_PER_PAGE,
  KeyField,
} from "./item_list.tsx";
import type { TabProps } from "./namespace.ts";

/** Own secrets that are compared with inherited ones. */
const MAX_OWN = 1_000;
const EXAMPLE = `- id: call
  type: io.svc.plugin.core.http.Request
  uri: https://api.example.com/orders
  headers:
    authorization: "Bearer {{ secret('API_TOKEN') }}"`;

interface SecretRow {
  readonly key: string;
  /** Absent: of the environment of the server. */
  readonly namespace?: string;
  readonly description?: string;
  readonly lastUsed?: string;
  /** `<namespace>.<flow>`. */
  readonly lastUsedBy?: string;
}

interface Editing {
  /** Absent: a new one. */
  readonly secret?: SecretRow;
}

/** The tab. */
export function SecretsTab({ namespace }: TabProps) {
  const editing = useSignal<Editing | undefined>(undefined);
  const path = `/namespaces${apiPath(namespace)}/secrets`;
  const wanted = { page: pageIn(query.value), size: ITEMS_PER_PAGE, sort: "key:asc" };
  const list = useResource(
    path + wanted.page,
    (signal) => get<Page<SecretRow>>(path, wanted, signal),
  );
  const hasEnvironment = list.data?.results.some((secret) => secret.namespace === undefined) ?? false;
  return (
    <>
      <div class="section-head">
        <p class="dim">{t("namespaces.secretsHint", { expression: "{{ secret('NAME') }}" })}</p>
        <May>
          <button type="button" class="primary" onClick={() => editing.value = {}}>
            {t("namespaces.secretCreate")}
          </button>
        </May>
      </div>
      {hasEnvironment && <p class="notice">{t("items.environmentSecrets")}</p>}
      <ItemList
        label={t("namespaces.secrets")}
        list={list}
        columns={columns(namespace, (secret) => editing.value = { secret }, list.reload)}
        keyOf={({ key, namespace: owner }) => `${owner ?? ""} ${key}`}
        empty={
          <EmptyState title={t("namespaces.secretsNone")}>
            <Example text={t("items.secretsHint")} code={EXAMPLE} />
          </EmptyState>
        }
      />
      <InheritedSecrets namespace={namespace} />
      {editing.value && (
        <SecretForm
          namespace={namespace}
          path={path}
          secret={editing.value.secret}
          reload={list.reload}
          onClose={() => editing.value = undefined}
        />
      )}
    </>
  );
}

/** Secrets of the namespaces above. Those of the environment are read last, so they hide none. */
function InheritedSecrets({ namespace }: TabProps) {
  const path = `/namespaces${apiPath(namespace)}`;
  const items = useResource(path, async (signal) => {
    const [own, usable] = await Promise.all([
      get<Page<SecretRow>>(`${path}/secrets`, { size: MAX_OWN }, signal),
      get<Record<string, readonly string[]>>(`${path}/inherited-secrets`, {}, signal),
    ]);
    const above = Object.entries(usable).filter(([owner]) => owner !== namespace);
    return inheritedItems(
      own.results.filter((secret) => secret.namespace === namespace).map(({ key }) => key),
      above.flatMap(([owner, keys]) => keys.map((key) => ({ namespace: owner, key }))),
    );
  });
  return <InheritedItems items={items.data ?? []} tab="secrets" />;
}

const columns = (
  namespace: string,
  edit: (secret: SecretRow) => void,
  reload: () => Promise<void>,
): readonly Column<SecretRow>[] => [
  { name: "key", title: t("namespaces.name"), cell: ({ key }) => <code>{key}</code> },
  {
    name: "description",
    title: t("namespaces.description"),
    cell: ({ description }) => description ?? <span class="dim">–</span>,
  },
  {
    name: "owner",
    title: t("namespaces.owner"),
    cell: (secret) => secret.namespace ?? t("namespaces.environment"),
  },
  {
    name: "used",
    title: t("items.lastUsed"),
    cell: ({ lastUsed, lastUsedBy }) => (
      <>
        <Time at={lastUsed} /> {lastUsedBy && <code>{lastUsedBy}</code>}
      </>
    ),
  },
  {
    name: "actions",
    right: "change",
    title: t("common.actions"),
    cell: (secret) =>
      secret.namespace === namespace
        ? (
          <ItemActions
            name={secret.key}
            editTitle={t("namespaces.replace")}
            edit={() => edit(secret)}
            remove={() => void remove(secret, reload)}
          />
        )
        : <span class="dim">{t("namespaces.readOnly")}</span>,
  },
];

async function remove({ namespace = "", key }: SecretRow, reload: () => Promise<void>): Promise<void> {
  const [title, action] = [t("namespaces.secretDelete"), t("common.delete")];
  const text = t("namespaces.secretConfirm", { key });
  if (!await confirmed({ title, text, action, isDangerous: true, phrase: key })) return;
  const path = `/namespaces${apiPath(namespace)}/secrets${apiPath(key)}`;
  await attempt(() => send("DELETE", path), t("namespaces.secretDeleted", { key }));
  await reload();
}

interface SecretFormProps extends TabProps {
  /** Of the secrets of the namespace. */
  readonly path: string;
  readonly secret?: SecretRow;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

function SecretForm({ namespace, path, secret, reload, onClose }: SecretFormProps) {
  const key = useSignal(secret?.key ?? "");
  const taken = useSignal<string | undefined>(undefined);
  const value = useSignal("");
  const description = useSignal(secret?.description ?? "");
  const onSend = async () => {
    const name = key.value.trim();
    if (!secret && await hasItem(path, { namespace, key: name })) {
      taken.value = name;
      throw new Error(t("items.secretExists", { key: name }));
    }
    const body = { key: name, value: value.value, description: description.value || undefined };
    await send("PUT", path, { body });
    await reload();
  };
  return (
    <FormDialog
      title={secret ? secret.key : t("namespaces.secretCreate")}
      action={t("common.save")}
      done={t("namespaces.secretSaved", { key: key.value })}
      onSend={onSend}
      onClose={onClose}
    >
      {!secret && <KeyField title={t("namespaces.name")} value={key} taken={taken} />}
      <Field title={t("namespaces.value")} hint={t("namespaces.secretOnce")}>
        <textarea
          required
          autocomplete="off"
          spellcheck={false}
          value={value.value}
          onInput={(event) => value.value = event.currentTarget.value}
        />
      </Field>
      <Field title={t("namespaces.description")}>
        <input value={description.value} onInput={(event) => description.value = event.currentTarget.value} />
      </Field>
    </FormDialog>
  );
}
