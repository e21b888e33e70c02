/** Addresses of pages and of the API. The tenant `main` has no segment of its own. */
import { VIEWS } from "../../views.ts";

const ROOT = "/ui";
const MAIN = "main";

/** The tenant of an address. */
export function tenantOf(pathname: string): string {
  const [, , first = ""] = pathname.split("/");
  return first === "" || VIEWS.some((view) => view === first) ? MAIN : decodeURIComponent(first);
}

/** The segments of an address after the tenant, decoded. */
export function segmentsOf(pathname: string): string[] {
  const segments = pathname.split("/").slice(2).filter((segment) => segment !== "").map(decodeURIComponent);
  return tenantOf(pathname) === MAIN && segments[0] !== MAIN ? segments : segments.slice(1);
}

/** The address of a page of the present tenant. Empty segments at the end are left out. */
export function pagePath(...segments: readonly (string | undefined)[]): string {
  const tenant = tenantOf(location.pathname);
  const all = [...tenant === MAIN ? [] : [tenant], ...segments.filter((segment) => segment !== undefined)];
  return `${ROOT}/${all.map(encodeURIComponent).join("/")}`;
}

/** The address of the editor for a new dashboard, or for a copy of one. It is no segment: dashboards can have any id. */
export function newDashboardPath(copied?: string): string {
  return `${pagePath("dashboards")}?create${
    copied === undefined ? "" : `&copy=${encodeURIComponent(copied)}`
  }`;
}

/** Where the API of the present tenant is. */
export function apiRoot(): string {
  return `/api/v1/${encodeURIComponent(tenantOf(location.pathname))}`;
}

/** A path of the API, each part encoded. */
export function apiPath(...parts: readonly string[]): string {
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}
