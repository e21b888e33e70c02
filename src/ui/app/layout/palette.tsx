/** The palette: finds views, actions and objects of the server, and opens or runs them (Ctrl K). */
import { signal } from "@preact/signals";
import { useKeydown } from "../core/keyboard.ts";
import { Dialog } from "../kit/dialog.tsx";
import { t } from "../texts/mod.ts";
import { type Hit, namedHits, objectHits } from "./palette_hits.ts";

const isOpen = signal(false);
const text = signal("");
const hits = signal<readonly Hit[]>([]);
const chosen = signal(0);
/** True while the server looks for the text. */
let isFinding = false;
/** Enter was pressed before there was a hit: the first one is run when the server has found it. */
let isRunWanted = false;

/** Opens it. */
export function openPalette(): void {
  isOpen.value = true;
  void find("");
}

/** The palette; once a page. */
export function Palette() {
  useKeydown((event) => {
    if (event.key.toLowerCase() !== "k" || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (!isOpen.value) openPalette();
  });
  if (!isOpen.value) return null;
  return (
    <Dialog
      title={t("nav.search")}
      onClose={close}
      actions={<span class="dim">↑ ↓ Enter Esc</span>}
    >
      <input
        class="palette"
        role="combobox"
        aria-expanded={hits.value.length > 0}
        aria-controls={hits.value.length > 0 ? "hits" : undefined}
        aria-activedescendant={hits.value.length > 0 ? hitId(chosen.value) : undefined}
        aria-label={t("nav.search")}
        value={text.value}
        onInput={(event) => void find(event.currentTarget.value)}
        onKeyDown={onKeyInField}
      />
      <Hits />
    </Dialog>
  );
}

function close(): void {
  isOpen.value = false;
  isRunWanted = false;
}

function Hits() {
  if (hits.value.length === 0) return <p class="dim" role="status">{t("palette.none")}</p>;
  return (
    <ul id="hits" class="hits" role="listbox" aria-label={t("nav.search")}>
      {hits.value.map((hit, index) => (
        <li
          key={`${hit.kind} ${hit.title}`}
          id={hitId(index)}
          role="option"
          aria-selected={index === chosen.value}
          onClick={() => run(hit)}
        >
          {hit.title}
          <span class="dim">{hit.kind}</span>
        </li>
      ))}
    </ul>
  );
}

function hitId(index: number): string {
  return `hit-${index}`;
}

function onKeyInField(event: KeyboardEvent): void {
  const count = hits.value.length;
  if (event.key === "ArrowDown") choose((chosen.value + 1) % Math.max(count, 1));
  else if (event.key === "ArrowUp") choose((chosen.value + count - 1) % Math.max(count, 1));
  else if (event.key === "Enter") run(hits.value[chosen.value]);
  else return;
  event.preventDefault();
}

function choose(index: number): void {
  chosen.value = index;
  document.getElementById(hitId(index))?.scrollIntoView({ block: "nearest" });
}

function run(hit: Hit | undefined): void {
  isRunWanted = !hit && isFinding;
  if (!hit) return;
  close();
  hit.run();
}

/** What has a name here is shown at once, objects when the server has found them. */
async function find(wanted: string): Promise<void> {
  text.value = wanted;
  chosen.value = 0;
  const named = namedHits(wanted);
  hits.value = named;
  isRunWanted = false;
  isFinding = true;
  // Without a connection the names remain; the view says that the server cannot be reached.
  const found = await objectHits(wanted).catch(() => []);
  if (text.value !== wanted) return;
  hits.value = [...named, ...found];
  isFinding = false;
  if (isRunWanted) run(hits.value[0]);
}
