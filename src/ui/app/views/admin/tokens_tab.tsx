/** API tokens: list, create, revoke. The secret of a token is shown once. */
import { useSignal } from "@preact/signals";
import { get, type Page, send } from "../../api/client.ts";
import { access, May } from "../../core/access.ts";
import { ROLES } from "../../../../model/access/role.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { confirmed, Dialog } from "../../kit/dialog.tsx";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { CopyButton, Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

const PATH = "/api/v1/me/api-tokens";

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly prefix: string;
  readonly user: string;
  readonly role?: string;
  readonly iat: string;
  readonly exp?: string;
  readonly lastUsed?: string;
  readonly expired: boolean;
  /** Absent: all. */
  readonly tenants?: readonly string[];
}

/** The tab. */
export function TokensTab() {
  const tokens = useResource("tokens", (signal) => get<Page<TokenRow>>(PATH, {}, signal));
  const isOpen = useSignal(false);
  const secret = useSignal<string | undefined>(undefined);
  return (
    <>
      <div class="section-head">
        <p class="dim">{t("admin.tokensHint")}</p>
        <May>
          <button type="button" class="primary" onClick={() => isOpen.value = true}>
            {t("admin.createToken")}
          </button>
        </May>
      </div>
      <Loaded resource={tokens}>
        {({ results }) =>
          results.length === 0 ? <EmptyState title={t("admin.noTokens")} /> : (
            <Table
              label={t("admin.tokens")}
              rows={results}
              columns={columns(tokens.reload)}
              keyOf={({ id }) => id}
            />
          )}
      </Loaded>
      {isOpen.value && (
        <TokenForm
          onClose={() => isOpen.value = false}
          onCreated={(created) => (secret.value = created, tokens.reload())}
        />
      )}
      {secret.value !== undefined && (
        <SecretDialog
          secret={secret.value}
          onClose={() => secret.value = undefined}
        />
      )}
    </>
  );
}

const columns = (reload: () => Promise<void>): readonly Column<TokenRow>[] => [
  {
    name: "name",
    title: t("namespaces.name"),
    cell: ({ name, description, prefix }) => (
      <div>
        {name} <code class="dim">{prefix}…</code>
        {description && <div class="dim">{description}</div>}
      </div>
    ),
  },
  {
    name: "user",
    title: t("admin.userName"),
    cell: ({ user, role }) => role === undefined ? user : `${user} (${role})`,
  },
  {
    name: "tenants",
    title: t("admin.tenants"),
    cell: ({ tenants }) => tenants?.join(", ") ?? t("admin.allTenants"),
  },
  { name: "created", title: t("admin.created"), cell: ({ iat }) => <Time at={iat} /> },
  { name: "used", title: t("items.lastUsed"), cell: ({ lastUsed }) => <Time at={lastUsed} /> },
  {
    name: "expires",
    title: t("namespaces.expires"),
    cell: ({ exp, expired }) => {
      if (expired) return <Outcome tone="bad" text={t("admin.expired")} />;
      return exp ? <Time at={exp} /> : <span class="dim">{t("namespaces.never")}</span>;
    },
  },
  {
    name: "actions",
    right: "change",
    title: t("common.actions"),
    cell: (token) => (
      <button type="button" class="danger" onClick={() => void revoke(token, reload)}>
        {t("admin.revoke")}
      </button>
    ),
  },
];

async function revoke({ id, name }: TokenRow, reload: () => Promise<void>): Promise<void> {
  const [action, text] = [t("admin.revoke"), t("admin.confirmRevoke", { name })];
  if (!await confirmed({ title: action, text, action, isDangerous: true })) return;
  await attempt(() => send("DELETE", PATH + apiPath(id)), t("admin.revoked", { name }));
  await reload();
}

interface TokenFormProps {
  readonly onCreated: (secret: string) => Promise<void>;
  readonly onClose: () => void;
}

function TokenForm({ onCreated, onClose }: TokenFormProps) {
  const name = useSignal("");
  const description = useSignal("");
  const maxAge = useSignal("P90D");
  const own = access.value?.person.role ?? "admin";
  const role = useSignal("");
  const tenants = useSignal("");
  const onSend = async () => {
    const limited = tenants.value.split(/[\s,]+/).filter((each) => each !== "");
    const body = {
      name: name.value.trim(),
      description: description.value || undefined,
      maxAge: maxAge.value || undefined,
      role: role.value || undefined,
      ...(limited.length > 0 && { tenants: limited }),
    };
    const { fullToken } = await send<{ readonly fullToken: string }>("POST", PATH, { body });
    await onCreated(fullToken);
  };
  return (
    <FormDialog title={t("admin.createToken")} action={t("common.create")} onSend={onSend} onClose={onClose}>
      <Field title={t("namespaces.name")}>
        <input
          required
          value={name.value}
          onInput={(event) =>
            name.value = event.currentTarget.value}
        />
      </Field>
      <Field title={t("namespaces.description")}>
        <input
          value={description.value}
          onInput={(event) =>
            description.value = event.currentTarget.value}
        />
      </Field>
      <Field title={t("admin.validFor")}>
        <select
          value={maxAge.value}
          onChange={(event) =>
            maxAge.value = event.currentTarget.value}
        >
          {[7, 30, 90, 365].map((days) => (
            <option key={days} value={`P${days}D`}>{t("admin.days", { count: days })}</option>
          ))}
          <option value="">{t("admin.forever")}</option>
        </select>
      </Field>
      <Field title={t("admin.role")}>
        <select
          value={role.value}
          onChange={(event) =>
            role.value = event.currentTarget.value}
        >
          <option value="">{own}</option>
          {ROLES.slice(0, ROLES.indexOf(own)).map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </Field>
      <Field title={t("admin.tenants")} hint={t("admin.tenantsOfToken")}>
        <input
          value={tenants.value}
          onInput={(event) => tenants.value = event.currentTarget.value}
        />
      </Field>
    </FormDialog>
  );
}

function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title={t("admin.tokenCreated")} onClose={onClose}>
      <p>{t("admin.tokenOnce")}</p>
      <pre class="code" tabIndex={0}>{secret}</pre>
      <CopyButton text={secret} />
    </Dialog>
  );
}
