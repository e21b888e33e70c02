/** Quotas of tenants: how much a tenant may store. */
import { DomainError } from "../errors.ts";
import type { TenantId } from "../flows/flow.ts";
import { MAIN_TENANT } from "../flows/flow.ts";
import { publicTenantId } from "./tenant.ts";

/** What is limited: bytes of namespace files and of files of executions; numbers of the others. */
export const QUOTA_KINDS = ["fileBytes", "kvPairs", "secrets", "flows", "executions"] as const;

/** One of {@link QUOTA_KINDS}. */
export type QuotaKind = typeof QUOTA_KINDS[number];

/** The limit of the tenants other than `main`, and of single tenants by id; absent means unlimited. */
interface QuotaLimits {
  readonly others?: number;
  readonly tenants: ReadonlyMap<string, number>;
}

/** The limits of each kind; absent: none. */
export type QuotaOptions = { readonly [Kind in QuotaKind]?: QuotaLimits };

/** An addition that is being stored; counts until it ends. */
export interface QuotaHold {
  /** The addition was stored, or was not. */
  end(isStored: boolean): void;
}

/** Limits the bytes of files. */
export interface FileQuota {
  /** Calls `write` with the most bytes that may be written, at most `maxBytes`. @throws DomainError quota_exceeded */
  bounded<T>(tenant: TenantId, maxBytes: number, write: (maxBytes: number) => Promise<T>): Promise<T>;
  /** Counts bytes that will be stored. @throws DomainError quota_exceeded */
  holdBytes(tenant: TenantId, bytes: number): Promise<QuotaHold>;
}

const NAMES: Readonly<Record<QuotaKind, string>> = {
  fileBytes: "bytes of files",
  kvPairs: "KV pairs",
  secrets: "secrets",
  flows: "flows",
  executions: "executions",
};

/** Names of the options that set the limits. */
const OPTIONS: Readonly<Record<QuotaKind, string>> = {
  fileBytes: "--quota-file-bytes",
  kvPairs: "--quota-kv-pairs",
  secrets: "--quota-secrets",
  flows: "--quota-flows",
  executions: "--quota-executions",
};

/** The limit of a tenant; `undefined` if it has none. */
export function quotaLimitOf(options: QuotaOptions, tenant: TenantId, kind: QuotaKind): number | undefined {
  const limits = options[kind];
  const own = limits?.tenants.get(publicTenantId(tenant));
  return own ?? (tenant === MAIN_TENANT ? undefined : limits?.others);
}

/** The refusal of what would exceed a quota; `used` is what the tenant stores already. */
export function quotaExceeded(
  tenant: TenantId,
  kind: QuotaKind,
  { limit, used }: { readonly limit: number; readonly used: number },
): DomainError {
  return new DomainError(
    "quota_exceeded",
    `Quota Exceeded: tenant "${publicTenantId(tenant)}" may store ${limit} ${NAMES[kind]} and has ${used}; ` +
      `delete some, or ask the operator to raise ${OPTIONS[kind]}`,
  );
}
