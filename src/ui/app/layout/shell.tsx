/** The frame of all views: navigation at the side, a bar at the top, the view, messages and questions. */
import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { View } from "../../views.ts";
import { may } from "../core/access.ts";
import { pagePath } from "../core/places.ts";
import { segments } from "../core/router.ts";
import { Questions } from "../kit/dialog.tsx";
import { Boundary, Toasts } from "../kit/feedback.tsx";
import { t } from "../texts/mod.ts";
import { ICONS } from "./icons.tsx";
import { Keys, openKeys } from "./keys.tsx";
import { ProblemBanner, RoleBanner } from "./problem_banner.tsx";
import { pageTitle } from "./page_title.ts";
import { openPalette, Palette } from "./palette.tsx";
import { UserMenu } from "./user_menu.tsx";

const isMenuOpen = signal(false);
const NAVIGATION = [
  ...["dashboard", "executions", "flows", "triggers", "namespaces", "logs"],
  ...["plugins", "blueprints", "admin", "settings"],
] as readonly Exclude<View | "dashboard", "dashboards">[];

/** The page around a view. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const title = pageTitle(segments.value);
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <div class={`shell ${isMenuOpen.value ? "open" : ""}`}>
      <a class="skip" href="#main">{t("nav.skip")}</a>
      <Navigation />
      <div class="column">
        <TopBar />
        <ProblemBanner />
        <RoleBanner />
        <main id="main" tabIndex={-1}>
          <Boundary key={segments.value.slice(0, 3).join("/")}>{children}</Boundary>
        </main>
      </div>
      <Palette />
      <Keys />
      <Questions />
      <Toasts />
    </div>
  );
}

function Navigation() {
  const present = segments.value[0] ?? "dashboard";
  return (
    <nav class="side" aria-label={t("nav.main")} onClick={() => isMenuOpen.value = false}>
      <a class="brand" href={pagePath()}>
        {ICONS.logo}
        <span>Sluice</span>
      </a>
      {NAVIGATION.filter((view) => view !== "admin" || may("server")).map((view) => (
        <a
          key={view}
          href={view === "dashboard" ? pagePath() : pagePath(view)}
          aria-current={present === view || (view === "dashboard" && present === "dashboards")
            ? "page"
            : undefined}
        >
          {ICONS[view]}
          <span>{t(`nav.${view}` as "nav.flows")}</span>
        </a>
      ))}
    </nav>
  );
}

function TopBar() {
  return (
    <header class="top">
      <button
        type="button"
        class="plain menu"
        aria-label={t("nav.menu")}
        aria-expanded={isMenuOpen.value}
        onClick={() => isMenuOpen.value = !isMenuOpen.value}
      >
        {ICONS.menu}
      </button>
      <button type="button" class="search" onClick={openPalette}>
        {ICONS.search}
        <span>{t("nav.search")}</span>
        <kbd>Ctrl K</kbd>
      </button>
      <UserMenu />
      <button type="button" class="plain help" aria-label={t("keys.open")} onClick={openKeys}>?</button>
    </header>
  );
}

/** The head of a view: its title, what it is about, and its actions at the right. */
export function ViewHead({ title, above, children }: {
  readonly title: ComponentChildren;
  /** Where it belongs, above the title. */
  readonly above?: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="view-head">
      <div>
        {above && <div class="above">{above}</div>}
        <h1>{title}</h1>
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}

interface Tab {
  readonly name: string;
  readonly title: ComponentChildren;
  readonly href: string;
}

/** Tabs as links: each has an address. */
export function Tabs({ tabs, present, label }: {
  readonly tabs: readonly Tab[];
  readonly present: string;
  readonly label: string;
}) {
  const list = useRef<HTMLElement>(null);
  // On small screens the row scrolls.
  useEffect(() => {
    list.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [present]);
  return (
    <nav ref={list} class="tabs" aria-label={label}>
      {tabs.map(({ name, title, href }) => (
        <a key={name} href={href} aria-current={name === present ? "page" : undefined}>{title}</a>
      ))}
    </nav>
  );
}
