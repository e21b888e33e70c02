/** Users: list, create, change role, tenants, password and log-in, delete. For admins. */
import { useSignal } from "@preact/signals";
import { type Role, ROLES } from "../../../../model/access/role.ts";
import { get, type Page, send } from "../../api/client.ts";
import { access } from "../../core/access.ts";
import { apiPath } from "../../core/places.ts";
import { useResource } from "../../core/resource.ts";
import { query } from "../../core/router.ts";
import { confirmed } from "../../kit/dialog.tsx";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { Field, FormDialog } from "../../kit/form.tsx";
import { Outcome } from "../../kit/outcome.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

const PATH = "/api/v1/users";
/** More than a server can have. */
const MAX_SHOWN = 1_001;
const FIELDS: readonly FilterField[] = [{ name: "q", kind: "text", title: "common.search" }];

interface UserRow {
  readonly username: string;
  readonly role: Role;
  /** Absent: all. */
  readonly tenants?: readonly string[];
  readonly disabled: boolean;
  readonly configured: boolean;
  readonly created?: string;
}

/** The tab. */
export function UsersTab() {
  return access.value?.isProtected ? <UserList /> : <EmptyState title={t("admin.noUsers")} />;
}

function UserList() {
  const users = useResource("users", (signal) => get<Page<UserRow>>(PATH, { size: MAX_SHOWN }, signal));
  const editing = useSignal<{ readonly user?: UserRow } | undefined>(undefined);
  const wanted = (query.value.get("q") ?? "").toLowerCase();
  return (
    <>
      <div class="section-head">
        <p class="dim">{t("admin.roleHint")}</p>
        <button type="button" class="primary" onClick={() => editing.value = {}}>
          {t("admin.createUser")}
        </button>
      </div>
      <Filters fields={FIELDS} />
      <Loaded resource={users}>
        {({ results }) => (
          <Table
            label={t("admin.users")}
            rows={results.filter(({ username }) => username.toLowerCase().includes(wanted))}
            columns={columns((user) => editing.value = { user }, users.reload)}
            keyOf={({ username }) => username}
          />
        )}
      </Loaded>
      {editing.value && (
        <UserForm
          user={editing.value.user}
          reload={users.reload}
          onClose={() => editing.value = undefined}
        />
      )}
    </>
  );
}

const columns = (
  edit: (user: UserRow) => void,
  reload: () => Promise<void>,
): readonly Column<UserRow>[] => [
  { name: "name", title: t("admin.userName"), cell: ({ username }) => username },
  {
    name: "role",
    title: t("admin.role"),
    cell: ({ role, disabled }) => (
      <div>
        {role} {disabled && <Outcome tone="bad" text={t("admin.disabled")} />}
      </div>
    ),
  },
  {
    name: "tenants",
    title: t("admin.tenants"),
    cell: ({ tenants }) => tenants?.join(", ") ?? t("admin.allTenants"),
  },
  { name: "created", title: t("admin.created"), cell: ({ created }) => <Time at={created} /> },
  {
    name: "actions",
    title: t("common.actions"),
    cell: (user) => {
      if (user.configured) return <span class="dim">{t("admin.configured")}</span>;
      return (
        <span class="row-actions">
          <button type="button" onClick={() => edit(user)}>{t("common.edit")}</button>
          <button type="button" class="danger" onClick={() => void remove(user, reload)}>
            {t("common.delete")}
          </button>
        </span>
      );
    },
  },
];

async function remove({ username: name }: UserRow, reload: () => Promise<void>): Promise<void> {
  const [title, action] = [`${t("common.delete")}: ${name}`, t("common.delete")];
  if (!await confirmed({ title, text: t("admin.confirmUser", { name }), action, isDangerous: true })) return;
  await attempt(() => send("DELETE", PATH + apiPath(name)), t("admin.userDeleted", { name }));
  await reload();
}

interface UserFormProps {
  /** Absent: a new one. */
  readonly user?: UserRow;
  readonly reload: () => Promise<void>;
  readonly onClose: () => void;
}

function UserForm({ user, reload, onClose }: UserFormProps) {
  const username = useSignal(user?.username ?? "");
  const role = useSignal<string>(user?.role ?? "viewer");
  const tenants = useSignal(user?.tenants?.join(", ") ?? "");
  const password = useSignal("");
  const disabled = useSignal(user?.disabled ?? false);
  const onSend = async () => {
    const limited = tenants.value.split(/[\s,]+/).filter((each) => each !== "");
    const body = {
      role: role.value,
      tenants: limited.length > 0 ? limited : null,
      password: password.value || undefined,
      ...(user ? { disabled: disabled.value } : { username: username.value.trim() }),
    };
    if (user) await send("PATCH", PATH + apiPath(user.username), { body });
    else await send("POST", PATH, { body });
    await reload();
  };
  return (
    <FormDialog
      title={user ? `${t("common.edit")}: ${user.username}` : t("admin.createUser")}
      action={t("common.save")}
      onSend={onSend}
      onClose={onClose}
    >
      {!user && (
        <Field title={t("admin.userName")}>
          <input
            required
            autocomplete="off"
            value={username.value}
            onInput={(event) => username.value = event.currentTarget.value}
          />
        </Field>
      )}
      <Field title={t("admin.role")} hint={t("admin.roleHint")}>
        <select value={role.value} onChange={(event) => role.value = event.currentTarget.value}>
          {ROLES.map((each) => <option key={each} value={each}>{each}</option>)}
        </select>
      </Field>
      <Field title={t("admin.tenants")} hint={t("admin.tenantsOfToken")}>
        <input value={tenants.value} onInput={(event) => tenants.value = event.currentTarget.value} />
      </Field>
      <Field
        title={t(user ? "admin.newPassword" : "admin.password")}
        hint={user && t("admin.keepPassword")}
      >
        <input
          type="password"
          autocomplete="new-password"
          required={!user}
          value={password.value}
          onInput={(event) => password.value = event.currentTarget.value}
        />
      </Field>
      {user && (
        <label class="check-field">
          <input
            type="checkbox"
            checked={disabled.value}
            onChange={(event) => disabled.value = event.currentTarget.checked}
          />
          {t("admin.disabled")}
        </label>
      )}
    </FormDialog>
  );
}
