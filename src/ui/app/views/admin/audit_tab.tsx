/** The audit log: who changed what, when and from where, newest first. */
import { useSignal } from "@preact/signals";
import { AUDIT_TYPES } from "../../../../model/audit.ts";
import { get, type Page, type Query, urlOf } from "../../api/client.ts";
import { query } from "../../core/router.ts";
import { useResource } from "../../core/resource.ts";
import { attempt, EmptyState, Loaded } from "../../kit/feedback.tsx";
import { filterQuery } from "../../kit/filter_query.ts";
import { type FilterField, Filters } from "../../kit/filters.tsx";
import { type Column, Table } from "../../kit/table.tsx";
import { Time } from "../../kit/values.tsx";
import { t } from "../../texts/mod.ts";

interface AuditRow {
  readonly id: string;
  readonly tenantId?: string;
  readonly type: string;
  readonly date: string;
  readonly userId: string;
  readonly ipAddress: string;
  readonly detail: Readonly<Record<string, string | number>>;
}

interface AuditPage extends Page<{ readonly auditLog: AuditRow }> {
  /** Where older records begin; absent at the end. */
  readonly cursor?: string;
}

const SIZE = 50;
const FIELDS: readonly FilterField[] = [
  { name: "userId", title: "admin.user", kind: "text" },
  { name: "q", title: "admin.resource", kind: "text" },
  { name: "operation", title: "admin.operation", kind: "text" },
  { name: "type", title: "flows.type", kind: "choice", choices: AUDIT_TYPES },
  { name: "startDate", title: "admin.from", kind: "date" },
  { name: "endDate", title: "admin.to", kind: "date" },
];

/** The tab. */
export function AuditTab() {
  const filters = filterQuery(FIELDS, query.value);
  const key = JSON.stringify(filters);
  const older = useSignal<{ readonly key: string; readonly pages: readonly AuditPage[] }>({ key, pages: [] });
  const page = useResource(key, (signal) => search(filters, undefined, signal));
  return (
    <>
      <div class="section-head">
        <p class="dim">{t("admin.auditHint")}</p>
        <a class="button" href={urlOf("/auditlogs/export/by-query/csv", filters)} download>
          {t("common.export", { format: "CSV" })}
        </a>
      </div>
      <Filters fields={FIELDS} />
      <Loaded resource={page}>
        {(first) => {
          const known = older.value.key === key ? older.value.pages : [];
          const pages = [first, ...known];
          const cursor = pages.at(-1)?.cursor;
          const rows = pages.flatMap(({ results }) => results.map(({ auditLog }) => auditLog));
          const load = async () => {
            const next = await attempt(() => search(filters, cursor));
            if (next) older.value = { key, pages: [...known, next] };
          };
          return (
            <>
              {rows.length === 0 && !cursor
                ? <EmptyState title={t("admin.noAudit")} />
                : <Table label={t("admin.audit")} rows={rows} columns={COLUMNS()} keyOf={({ id }) => id} />}
              {cursor && (
                <button type="button" class="older" onClick={() => void load()}>{t("logs.older")}</button>
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const COLUMNS = (): readonly Column<AuditRow>[] => [
  { name: "time", title: t("logs.time"), cell: ({ date }) => <Time at={date} /> },
  {
    name: "user",
    title: t("admin.user"),
    cell: ({ userId, detail: { tokenId } }) => (
      <div>
        {userId}
        {tokenId && <div class="dim">{tokenId}</div>}
      </div>
    ),
  },
  {
    name: "operation",
    title: t("admin.operation"),
    cell: ({ detail: { operation, status } }) => (
      <div>
        {operation} {Number(status) >= 400 && <span class="state bad">{status}</span>}
      </div>
    ),
  },
  { name: "resource", title: t("admin.resource"), cell: (row) => resourceOf(row) },
  { name: "address", title: t("admin.address"), cell: ({ ipAddress }) => ipAddress },
];

/** Tenant and ids, each with its name. */
function resourceOf(
  { tenantId, detail: { operation: _o, method: _m, status: _s, tokenId: _t, ...ids } }: AuditRow,
) {
  const parts = [...tenantId ? [tenantId] : [], ...Object.values(ids)];
  return parts.join(" / ");
}

function search(filters: Query, cursor?: string, signal?: AbortSignal): Promise<AuditPage> {
  return get<AuditPage>("/auditlogs/search", { ...filters, size: SIZE, cursor }, signal);
}
