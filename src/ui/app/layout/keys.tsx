/** Keys that work in all views, and the dialog that names them (`?`). */
import { signal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { may } from "../core/access.ts";
import { isShortcut, useKeydown } from "../core/keyboard.ts";
import { pagePath } from "../core/places.ts";
import { navigate } from "../core/router.ts";
import { Dialog } from "../kit/dialog.tsx";
import { t, type TextName } from "../texts/mod.ts";

/** Where `g` and a second key lead; `undefined` is the dashboard. */
const PLACES = {
  d: undefined,
  e: "executions",
  f: "flows",
  t: "triggers",
  n: "namespaces",
  l: "logs",
} as const;

const LIST_KEYS: readonly (readonly [keys: string, text: TextName])[] = [
  ["/", "keys.filter"],
  ["j", "keys.down"],
  ["k", "keys.up"],
  ["x", "keys.select"],
  ["Enter", "keys.enter"],
  ["r", "keys.replay"],
  [".", "keys.actions"],
];
/** Those of the list that change something. */
const CHANGING = "xr.";
/** Longest time between `g` and the second key. */
const SEQUENCE_MS = 1_500;

const isOpen = signal(false);

/** Shows the dialog. */
export function openKeys(): void {
  isOpen.value = true;
}

/** Listens to the keys; once a page. */
export function Keys() {
  const goAt = useRef(-Infinity);
  useKeydown((event) => {
    if (!isShortcut(event)) return;
    const isSecond = event.timeStamp - goAt.current < SEQUENCE_MS;
    goAt.current = event.key === "g" && !isSecond ? event.timeStamp : -Infinity;
    if (event.key === "?") openKeys();
    else if (isSecond && isPlace(event.key)) navigate(pagePath(PLACES[event.key]));
    else return;
    event.preventDefault();
    // A view that has the second key for itself must not see it.
    event.stopImmediatePropagation();
  }, { capture: true });
  return isOpen.value ? <KeysDialog /> : null;
}

function KeysDialog() {
  return (
    <Dialog title={t("keys.title")} onClose={() => isOpen.value = false}>
      <div class="keys">
        <section>
          <h3>{t("keys.everywhere")}</h3>
          <dl>
            <Key keys={["Ctrl", "K"]}>{t("keys.palette")}</Key>
            <Key keys={["?"]}>{t("keys.help")}</Key>
            <Key keys={["Esc"]}>{t("keys.close")}</Key>
            {Object.entries(PLACES).map(([key, view]) => (
              <Key key={key} keys={["g", key]}>{t(`nav.${view ?? "dashboard"}`)}</Key>
            ))}
          </dl>
        </section>
        <section>
          <h3>{t("keys.lists")}</h3>
          <dl>
            {LIST_KEYS.filter(([key]) => may("change") || !CHANGING.includes(key)).map(([key, text]) => (
              <Key key={key} keys={[key]}>{t(text)}</Key>
            ))}
          </dl>
        </section>
      </div>
    </Dialog>
  );
}

function Key({ keys, children }: { readonly keys: readonly string[]; readonly children: string }) {
  return (
    <div>
      <dt>{keys.map((key) => <kbd key={key}>{key}</kbd>)}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function isPlace(key: string): key is keyof typeof PLACES {
  return Object.hasOwn(PLACES, key);
}
