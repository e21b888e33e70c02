/** The audit log, for callers that are not limited to tenants: its records name users and addresses. */
import { type Context, Hono } from "hono";
import { toIso } from "../../../base/time/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { AuditFilter, AuditRecord } from "../../../model/audit.ts";
import { publicTenantId } from "../../../model/access/tenant.ts";
import { MAIN_TENANT } from "../../../model/flows/flow.ts";
import type { AuditLog } from "../../../services/audit/audit_log.ts";
import type { AppEnv } from "../../env.ts";
import { auditCursor, readAuditCursor, readAuditFilter } from "../../filters/audit_filters.ts";
import { queryOf, readPaging } from "../../forms/params.ts";
import { csvResponse } from "../../responses/csv.ts";
import { listText, textResponse } from "../../responses/text_stream.ts";

/**
 * `GET /auditlogs/search`, and `GET /auditlogs/export/by-query/csv` and `…/json`, relative to the tenant. The records of the
 * tenant; for `main` those of the whole server, or of `tenantId`.
 */
export function auditLogRoutes(audit: AuditLog): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/auditlogs/search", async (c) => {
    const query = queryOf(c);
    const { size } = readPaging(query);
    const { results, next } = await audit.search(filterOf(c), size, readAuditCursor(query));
    const cursor = next && auditCursor(next);
    return c.json({
      results: results.map(itemOf),
      total: results.length + (next ? 1 : 0),
      ...(next && { isTotalExact: false }),
      cursor,
      nextCursor: cursor,
    });
  });
  routes.get("/auditlogs/export/by-query/csv", (c) => {
    return csvResponse(c, rowsOf(audit.all(filterOf(c))), "auditlogs.csv");
  });
  routes.get("/auditlogs/export/by-query/json", (c) => {
    return textResponse(c, listText(textsOf(audit.all(filterOf(c))), { before: "[", after: "]" }), {
      "content-type": "application/json",
      "content-disposition": 'attachment; filename="auditlogs.json"',
    });
  });
  return routes;
}

function filterOf(c: Context<AppEnv>): AuditFilter {
  const query = queryOf(c);
  const tenant = publicTenantId(c.get("actor").tenant);
  const given = query.get("tenantId") || undefined;
  return { ...readAuditFilter(query), tenant: tenant === MAIN_TENANT ? given : tenant };
}

function itemOf(record: AuditRecord): object {
  const { id, tenant, type, at, user, address, operation, method, status, tokenId, resources } = record;
  const detail = { operation, method, status, tokenId, ...Object.fromEntries(resources) };
  return {
    auditLog: { id, tenantId: tenant, type, detail, date: toIso(at), userId: user, ipAddress: address },
    user: { id: user, username: user },
  };
}

async function* textsOf(pieces: AsyncIterable<readonly AuditRecord[]>): AsyncGenerator<string[]> {
  for await (const records of pieces) yield records.map((record) => JSON.stringify(itemOf(record)));
}

async function* rowsOf(pieces: AsyncIterable<readonly AuditRecord[]>): AsyncGenerator<JsonObject[]> {
  for await (const records of pieces) yield records.map(rowOf);
}

function rowOf(record: AuditRecord): JsonObject {
  return {
    date: toIso(record.at),
    userId: record.user,
    tokenId: record.tokenId ?? null,
    ipAddress: record.address,
    type: record.type,
    operation: record.operation,
    method: record.method,
    status: record.status,
    tenantId: record.tenant ?? null,
    resources: record.resources.map(([name, id]) => `${name}=${id}`).join(" "),
    id: record.id,
  };
}
