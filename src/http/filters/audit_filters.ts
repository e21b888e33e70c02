/** Reads the filters of the audit log. */
import type { Instant } from "../../base/time/clock.ts";
import { isId } from "../../base/id.ts";
import { AUDIT_TYPES, type AuditFilter, type AuditPlace } from "../../model/audit.ts";
import { parseQueryInstant } from "../forms/params.ts";
import { badRequest } from "../refusals.ts";

/**
 * `userId`, `operation`, `type`, `namespace` (with those below it), `flowId`, `executionId`, `q`, `startDate`, `endDate`.
 * @throws DomainError bad_request
 */
export function readAuditFilter(query: URLSearchParams): AuditFilter {
  const text = (name: string) => query.get(name) || undefined;
  const ids = ["flowId", "executionId"].flatMap((name): [string, string][] => {
    const id = text(name);
    return id === undefined ? [] : [[name, id]];
  });
  return {
    user: text("userId"),
    operation: text("operation"),
    type: readType(text("type")),
    namespace: text("namespace"),
    resources: new Map(ids),
    text: text("q"),
    from: readInstant(query, "startDate"),
    to: readInstant(query, "endDate"),
  };
}

/** The place as text, opaque to clients. */
export function auditCursor({ at, id }: AuditPlace): string {
  return `${at}-${id}`;
}

/** The `cursor` of the previous response; `undefined` when absent. @throws DomainError bad_request */
export function readAuditCursor(query: URLSearchParams): AuditPlace | undefined {
  const text = query.get("cursor");
  if (!text) return undefined;
  const [, at = "", id = ""] = /^(\d{1,15})-(\w+)$/.exec(text) ?? [];
  if (isId(id)) return { at: Number(at), id };
  throw badRequest(`"cursor" must be the one of the previous response, but received "${text.slice(0, 100)}"`);
}

function readType(text: string | undefined): AuditFilter["type"] {
  const type = AUDIT_TYPES.find((each) => each === text);
  if (type !== undefined || text === undefined) return type;
  throw badRequest(`"type" must be one of ${AUDIT_TYPES.join(", ")}, but received "${text.slice(0, 100)}"`);
}

function readInstant(query: URLSearchParams, name: string): Instant | undefined {
  const text = query.get(name);
  if (!text) return undefined;
  const instant = parseQueryInstant(text);
  if (instant !== undefined) return instant;
  throw badRequest(
    `"${name}" must be a date such as "2026-01-15T10:30:00Z", but received "${text.slice(0, 100)}"`,
  );
}
