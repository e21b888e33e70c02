/** Tenants with their quotas: list, create, rename, delete. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import { May } from "../../core/access.ts";
import { countText } from "../../core/numbers.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { sizeText } from "../../core/sizes.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, Loaded } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { t } from "../../texts/mod.ts";

const PATH = "/api/v1/tenants";
const MAIN = "main";
const MAX_SHOWN = 200;

interface Quota {
  readonly kind: string;
  readonly used: number;
  readonly limit: number;
}

interface TenantRow {
  readonly id: string;
  readonly name: string;
  readonly quotas?: readonly Quota[];
}

interface Editing {
  /** Absent: a new one. */
  readonly tenant?: TenantRow;
}

/** The tab. */
export function TenantsTab() {
  const tenants = useResource("tenants", loadTenants);
  const editing = useSignal<Editing | undefined>(undefined);
  const edit = (tenant: TenantRow) => editing.value = { tenant };
  return (
    <>
      <div class="section-head">
        <p class="dim">{t("admin.tenantsHint")}</p>
        <May right="administer">
          <button type="button" class="primary" onClick={() => editing.value = {}}>
            {t("admin.createTenant")}
          </button>
        </May>
      </div>
      <Loaded resource={tenants}>
        {(rows) => (
          <Table
            label={t("admin.tenants")}
            rows={rows}
            columns={columns(edit, tenants.reload)}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
      {editing.value && (
        <TenantForm
          tenant={editing.value.tenant}
          reload={tenants.reload}
          onClose={() => editing.value = undefined}
        />
      )}
    </>
  );
}

/** The list has no quotas; each tenant has them. */
async function loadTenants(signal: AbortSignal): Promise<readonly TenantRow[]> {
  const { results } = await get<Page<TenantRow>>(`${PATH}/search`, { size: MAX_SHOWN }, signal);
  return await Promise.all(results.map(({ id }) => get<TenantRow>(PATH + apiPath(id), {}, signal)));
}

const columns = (
  edit: (tenant: TenantRow) => void,
  reload: () => Promise<void>,
): readonly Column<TenantRow>[] => [
  { name: "id", title: "Id", cell: ({ id }) => <a href={hrefOf(id)}>{id}</a> },
  { name: "name", title: t("namespaces.name"), cell: ({ name }) => name },
  { name: "quotas", title: t("admin.quotas"), cell: ({ quotas = [] }) => <QuotaList quotas={quotas} /> },
  {
    name: "actions",
    right: "administer",
    title: t("common.actions"),
    cell: (tenant) => (
      <span class="row-actions">
        <button type="button" onClick={() => edit(tenant)}>{t("admin.rename")}</button>
        {tenant.id !== MAIN && (
          <button
            type="button"
            class="danger"
            onClick={() => void remove(tenant, reload)}
          >
            {t("common.delete")}
          </button>
        )}
      </span>
    ),
  },
];

function hrefOf(id: string): string {
  return id === MAIN ? "/ui/" : `/ui/${encodeURIComponent(id)}/`;
}

function QuotaList({ quotas }: { readonly quotas: readonly Quota[] }) {
  if (quotas.length === 0) return <span class="dim">{t("admin.noQuotas")}</span>;
  return (
    <ul>
      {quotas.map(({ kind, used, limit }) => {
        const show = kind === "fileBytes" ? sizeText : (value: number) => countText(value);
        const text = t("admin.quota", { kind, used: show(used), limit: show(limit) });
        return (
          <li key={kind}>
            {text}
            <progress aria-label={text} value={used} max={Math.max(limit, 1)} />
          </li>
        );
      })}
    </ul>
  );
}

async function remove({ id }: TenantRow, reload: () => Promise<void>): Promise<void> {
  const [title, action] = [t("admin.deleteTenant"), t("common.delete")];
  const text = t("admin.confirmTenant", { tenant: id });
  if (!await confirmed({ title, text, action, isDangerous: true, phrase: id })) return;
  await attempt(() => send("DELETE", PATH + apiPath(id)), t("admin.tenantDeleted", { tenant: id }));
  await reload();
}

interface TenantFormProps {
  readonly tenant?: TenantRow;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

function TenantForm({ tenant, reload, onClose }: TenantFormProps) {
  const id = useSignal(tenant?.id ?? "");
  const name = useSignal(tenant?.name ?? "");
  const onSend = async () => {
    const body = { id: id.value.trim(), name: name.value.trim() || id.value.trim() };
    if (tenant) await send("PUT", PATH + apiPath(tenant.id), { body });
    else await send("POST", PATH, { body });
    await reload();
  };
  return (
    <FormDialog
      title={t(tenant ? "admin.rename" : "admin.createTenant")}
      action={t("common.save")}
      onSend={onSend}
      onClose={onClose}
    >
      {!tenant && (
        <Field title="Id">
          <input required value={id.value} onInput={(event) => id.value = event.currentTarget.value} />
        </Field>
      )}
      <Field title={t("namespaces.name")}>
        <input value={name.value} onInput={(event) => name.value = event.currentTarget.value} />
      </Field>
    </FormDialog>
  );
}
