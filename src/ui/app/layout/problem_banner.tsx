/** Says above all views what keeps the server from its work, and the person from changes. */
import { may } from "../core/access.ts";
import { useResource } from "../core/resource.ts";
import { t } from "../texts/mod.ts";

interface Health {
  readonly status: string;
  readonly reason?: string;
}

const REFRESH_MS = 15_000;

/** Nothing while the server works. */
export function ProblemBanner() {
  const { data } = useResource("health", readHealth, { refreshMs: REFRESH_MS });
  if (!data?.reason) return null;
  return <div class="notice bad banner" role="alert">{data.status}: {data.reason}</div>;
}

/** Nothing for a person who may change something. */
export function RoleBanner() {
  return may("change") ? null : <div class="notice banner" role="status">{t("me.readOnly")}</div>;
}

/** The response has a body for each status. */
async function readHealth(signal: AbortSignal): Promise<Health> {
  const response = await fetch("/health", { signal });
  return await response.json();
}
