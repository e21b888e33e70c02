/** The palette: finds views, flows, dashboards and executions, and goes there (Ctrl K). */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { get, type Page } from "../api/client.ts";
import { VIEWS } from "../../views.ts";
import { pagePath } from "../core/places.ts";
import { navigate } from "../core/router.ts";
import { Dialog } from "../kit/dialog.tsx";
import { t } from "../texts/mod.ts";

interface Hit {
  readonly title: string;
  readonly kind: string;
  readonly href: string;
}

const MAX_FLOWS = 8;
const MAX_DASHBOARDS = 4;
const EXECUTION_ID = /^[A-Za-z0-9]{22}$/;

const isOpen = signal(false);
const text = signal("");
const hits = signal<readonly Hit[]>([]);
const chosen = signal(0);

/** Opens it. */
export function openPalette(): void {
  text.value = "";
  isOpen.value = true;
  void find("");
}

/** The palette; once a page. */
export function Palette() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      openPalette();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (!isOpen.value) return null;
  return (
    <Dialog
      title={t("nav.search")}
      onClose={() => isOpen.value = false}
      actions={<span class="dim">↑ ↓ Enter Esc</span>}
    >
      <input
        class="palette"
        role="combobox"
        aria-expanded="true"
        aria-controls="hits"
        aria-label={t("nav.search")}
        value={text.value}
        onInput={(event) => void find(event.currentTarget.value)}
        onKeyDown={onKeyInField}
      />
      <ul id="hits" class="hits" role="listbox">
        {hits.value.map(({ title, kind, href }, index) => (
          <li key={href} role="option" aria-selected={index === chosen.value}>
            <a
              href={href}
              onClick={() =>
                isOpen.value = false}
            >
              {title}
              <span class="dim">{kind}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function onKeyInField(event: KeyboardEvent): void {
  const count = hits.value.length;
  if (event.key === "ArrowDown") chosen.value = (chosen.value + 1) % Math.max(count, 1);
  else if (event.key === "ArrowUp") chosen.value = (chosen.value + count - 1) % Math.max(count, 1);
  else if (event.key === "Enter") open(hits.value[chosen.value]);
  else return;
  event.preventDefault();
}

function open(hit: Hit | undefined): void {
  if (!hit) return;
  isOpen.value = false;
  navigate(hit.href);
}

async function find(wanted: string): Promise<void> {
  text.value = wanted;
  chosen.value = 0;
  hits.value = viewsLike(wanted);
  const found = wanted.trim() === ""
    ? []
    : (await Promise.all([executionsLike, flowsLike, dashboardsLike].map((like) => like(wanted.trim()))))
      .flat();
  if (text.value === wanted) hits.value = [...hits.value, ...found];
}

function viewsLike(wanted: string): Hit[] {
  return VIEWS.map((view) => ({
    title: view === "dashboards" ? t("nav.dashboard") : t(`nav.${view}` as "nav.flows"),
    kind: "",
    href: view === "dashboards" ? pagePath() : pagePath(view),
  })).filter(({ title }) => title.toLowerCase().includes(wanted.trim().toLowerCase()));
}

async function flowsLike(wanted: string): Promise<Hit[]> {
  const query = { q: wanted, size: MAX_FLOWS };
  const { results } = await get<Page<{ id: string; namespace: string }>>("/flows/search", query);
  return results.map(({ id, namespace }) => ({
    title: `${namespace}.${id}`,
    kind: t("common.flow"),
    href: pagePath("flows", "edit", namespace, id),
  }));
}

async function dashboardsLike(wanted: string): Promise<Hit[]> {
  const query = { q: wanted, size: MAX_DASHBOARDS };
  const { results } = await get<Page<{ id: string; title: string }>>("/dashboards", query);
  return results.map(({ id, title }) => ({
    title,
    kind: t("nav.dashboard"),
    href: pagePath("dashboards", id),
  }));
}

async function executionsLike(wanted: string): Promise<Hit[]> {
  if (!EXECUTION_ID.test(wanted)) return [];
  try {
    const { id, namespace, flowId } = await get<Record<string, string>>(`/executions/${wanted}`);
    const href = pagePath("executions", namespace, flowId, id);
    return [{ title: String(id), kind: t("executions.id"), href }];
  } catch {
    return []; // There is no such execution.
  }
}
