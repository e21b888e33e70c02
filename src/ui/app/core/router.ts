/** The address of the page as signals. All that a person can share is in it: view, tab, filters, selection. */
import { computed, signal } from "@preact/signals";
import { segmentsOf } from "./places.ts";
import { keepPosition, restorePosition, startAtTop } from "./scrolling.ts";

interface Address {
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

const address = signal<Address>(currentAddress());

/** Segments of the path after the tenant, decoded. */
export const segments = computed(() => segmentsOf(address.value.pathname));
/** Parameters of the address. */
export const query = computed(() => new URLSearchParams(address.value.search));
/** Fragment without `#`. */
export const fragment = computed(() => decodeURIComponent(address.value.hash.slice(1)));

interface Guard {
  /** Why the page must not be left without asking; `undefined` if nothing would be lost. */
  readonly reason: () => string | undefined;
  /** A change of this parameter leaves the page, too. */
  readonly parameter?: string;
}

let guard: Guard | undefined;

/** Asks before the page is left while `reason` returns one; returns the function that ends it. */
export function guardLeaving(
  reason: Guard["reason"],
  { parameter }: Pick<Guard, "parameter"> = {},
): () => void {
  const next = { reason, parameter };
  guard = next;
  return () => {
    if (guard === next) guard = undefined;
  };
}

/** True if the page may be left for an address: nothing is lost by that, or the person was asked and wants it. */
export function mayGoTo(url: string): boolean {
  return !isLeft(new URL(url, location.href)) || mayLeave();
}

/** True if leaving the page would lose something. */
export function hasLosses(): boolean {
  return guard?.reason() !== undefined;
}

/** True if the page is that of these segments, or one below it, for example a tab. */
export function isWithin(...path: readonly string[]): boolean {
  return path.every((segment, index) => segments.peek()[index] === segment);
}

interface NavigateOptions {
  /** The present address is not kept in the history. */
  readonly replace?: boolean;
  /** The person was asked before, because something had to be changed in between. */
  readonly isAsked?: boolean;
}

/** Goes to an address of the UI. */
export function navigate(url: string, { replace = false, isAsked = false }: NavigateOptions = {}): void {
  if (!isAsked && !mayGoTo(url)) return;
  const target = new URL(url, location.href);
  if (replace) {
    history.replaceState(null, "", target);
  } else {
    keepPosition();
    history.pushState(null, "", target);
  }
  if (isOtherPage(target)) startAtTop();
  address.value = currentAddress();
}

/** Sets parameters of the address; `undefined` and empty values remove them. */
export function setQuery(changes: Readonly<Record<string, string | readonly string[] | undefined>>): void {
  const next = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    next.delete(name);
    for (const each of Array.isArray(value) ? value : [value]) if (each) next.append(name, each);
  }
  const text = next.toString();
  navigate(`${location.pathname}${text === "" ? "" : `?${text}`}`, { replace: true });
}

/** Follows links within the UI without loading the page, and the buttons of the browser. */
export function startRouter(): void {
  addEventListener("popstate", ({ state }) => {
    // The browser has moved already. A refusal moves back, whichever direction it was.
    if (isLeft(new URL(location.href)) && !mayLeave()) {
      return history.pushState(null, "", hrefOf(address.peek()));
    }
    if (isOtherPage(location)) restorePosition(state);
    address.value = currentAddress();
  });
  addEventListener("beforeunload", (event) => {
    if (guard?.reason() !== undefined) event.preventDefault();
  });
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || !isFollowed(event, link)) return;
    event.preventDefault();
    navigate(link.href);
  });
}

function isFollowed(event: MouseEvent, link: HTMLAnchorElement): boolean {
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!isPlain || event.defaultPrevented || link.target !== "" || link.hasAttribute("download")) return false;
  const isElsewhere = link.origin !== location.origin || !/^\/ui(?:\/|$)/.test(link.pathname) ||
    /^\/ui\/(?:login|logout|setup|assets)\b/.test(link.pathname);
  return !isElsewhere && !(link.pathname === location.pathname && link.hash !== "");
}

function isOtherPage({ pathname }: Pick<Address, "pathname">): boolean {
  return pathname !== address.peek().pathname;
}

function isLeft(target: URL): boolean {
  if (isOtherPage(target)) return true;
  const name = guard?.parameter;
  return name !== undefined && target.searchParams.get(name) !== query.peek().get(name);
}

function mayLeave(): boolean {
  const reason = guard?.reason();
  return reason === undefined || confirm(reason);
}

function hrefOf({ pathname, search, hash }: Address): string {
  return pathname + search + hash;
}

function currentAddress(): Address {
  const { pathname, search, hash } = location;
  return { pathname, search, hash };
}
