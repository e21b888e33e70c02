/** Named filters of a list, kept in this browser. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { kept } from "../core/kept.ts";
import { query } from "../core/router.ts";
import { t } from "../texts/mod.ts";
import { showToast } from "./feedback.tsx";

interface SavedView {
  readonly name: string;
  /** Parameters of the address, without `?`. */
  readonly search: string;
}

type Views = Readonly<Record<string, readonly SavedView[]>>;

const MAX_VIEWS = 50;
const { value: saved, change } = kept<Views>("sluice.savedViews", (stored) => stored as Views ?? {});

/** A menu with the saved views of a list, and a field that saves the present one. */
export function SavedViews({ list }: { readonly list: string }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const views = saved.value[list] ?? [];
  const close = () => menu.current?.removeAttribute("open");
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    close();
    menu.current?.querySelector("summary")?.focus();
  };
  useEffect(() => {
    const onPress = (event: Event) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) close();
    };
    addEventListener("pointerdown", onPress);
    return () => removeEventListener("pointerdown", onPress);
  }, []);
  return (
    <details ref={menu} class="menu-box" onKeyDown={onKeyDown}>
      <summary class="button">{t("saved.title")}</summary>
      <div class="menu-body">
        {views.length === 0 && <p class="dim">{t("saved.none")}</p>}
        <ul>
          {views.map((view) => (
            <li key={view.name} class="saved-view">
              <a href={`?${view.search}`} onClick={close}>{view.name}</a>
              <button
                type="button"
                class="plain"
                aria-label={t("saved.remove", { name: view.name })}
                onClick={() => remove(list, view)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
        <SaveForm onSave={(view) => store(list, view)} />
      </div>
    </details>
  );
}

function SaveForm({ onSave }: { readonly onSave: (view: SavedView) => void }) {
  const name = useSignal("");
  const save = (event: Event) => {
    event.preventDefault();
    onSave({ name: name.value.trim(), search: savedSearch(query.value) });
    name.value = "";
  };
  return (
    <form class="save-view" onSubmit={save}>
      <input
        aria-label={t("saved.name")}
        placeholder={t("saved.name")}
        maxLength={60}
        value={name.value}
        onInput={(event) => name.value = event.currentTarget.value}
      />
      <button type="submit" class="primary" disabled={name.value.trim() === ""}>{t("common.save")}</button>
    </form>
  );
}

/** What a view keeps of an address: all but the page. */
function savedSearch(address: URLSearchParams): string {
  const kept = new URLSearchParams(address);
  kept.delete("page");
  return kept.toString();
}

/** A name replaces the view that had it. */
function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-MAX_VIEWS);
}

function remove(list: string, view: SavedView): void {
  changeViews(list, (views) => views.filter(({ name }) => name !== view.name));
  const undo = () => store(list, view);
  showToast("good", t("saved.removed", { name: view.name }), undo);
}

function store(list: string, view: SavedView): void {
  changeViews(list, (views) => withView(views, view));
}

function changeViews(
  list: string,
  changed: (views: readonly SavedView[]) => readonly SavedView[],
): void {
  change((present) => ({ ...present, [list]: changed(present[list] ?? []) }));
}
