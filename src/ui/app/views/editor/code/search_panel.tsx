/** The panel that looks for a text, replaces it, and goes to a line. */
import type { EditorView, Panel, ViewUpdate } from "@codemirror/view";
import { signal } from "@preact/signals";
import { render } from "preact";
import { t } from "../../../texts/mod.ts";
import {
  closeSearch,
  focusField,
  goToLine,
  goToMatch,
  replaceMatches,
  search,
  selectedMatch,
  setSearch,
} from "./search.ts";
import type { Query } from "./text_search.ts";

/** The panel of an editor, above its text. */
export function searchPanel(view: EditorView): Panel {
  const dom = document.createElement("div");
  dom.className = "cm-search";
  const state = signal(view.state);
  const replacement = signal("");
  const Content = () => {
    const { kind } = state.value.field(search);
    return kind === "line" ? <LineForm view={view} /> : <SearchForm {...{ view, state, replacement }} />;
  };
  dom.addEventListener("keydown", (event) => onKey(event, view));
  return {
    dom,
    top: true,
    mount: () => {
      render(<Content />, dom);
      focusField(dom);
    },
    update: (update: ViewUpdate) => void (state.value = update.state),
    destroy: () => render(null, dom),
  };
}

function onKey(event: KeyboardEvent, view: EditorView): void {
  const { key, shiftKey, ctrlKey, metaKey } = event;
  const isNext = key === "F3" || (key === "g" && (ctrlKey || metaKey));
  const isFind = key === "f" && (ctrlKey || metaKey);
  if (key === "Escape") closeSearch(view);
  else if (isNext || (key === "Enter" && shiftKey)) goToMatch(shiftKey ? -1 : 1)(view);
  else if (isFind) focusField(view.dom);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function LineForm({ view }: { readonly view: EditorView }) {
  const go = (event: SubmitEvent) => {
    event.preventDefault();
    const field = (event.currentTarget as HTMLFormElement).elements.namedItem("line");
    goToLine(view, Number((field as HTMLInputElement).value));
  };
  return (
    <form onSubmit={go}>
      <label>
        {t("search.line")} <input name="line" class="cm-textfield" type="number" min={1} required autofocus />
      </label>
      <button type="submit" class="cm-button">{t("search.go")}</button>
    </form>
  );
}

interface SearchFormProps {
  readonly view: EditorView;
  readonly state: { readonly value: EditorView["state"] };
  readonly replacement: { value: string };
}

function SearchForm({ view, state, replacement }: SearchFormProps) {
  const { query, matches } = state.value.field(search);
  const change = (changed: Partial<Query>) =>
    view.dispatch({ effects: setSearch.of({ query: { ...query, ...changed } }) });
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    goToMatch(1)(view);
  };
  return (
    <form role="search" onSubmit={onSubmit}>
      <input
        class="cm-textfield"
        aria-label={t("search.find")}
        placeholder={t("search.find")}
        value={query.text}
        onInput={(event) => change({ text: event.currentTarget.value })}
      />
      <span role="status">{`${selectedMatch(state.value) + 1} / ${matches.length}`}</span>
      <Button title={t("search.previous")} text="↑" onClick={() => goToMatch(-1)(view)} />
      <Button title={t("search.next")} text="↓" type="submit" />
      <Toggle title={t("search.case")} text="Aa" name="isCaseSensitive" {...{ query, change }} />
      <Toggle title={t("search.word")} text="|ab|" name="isWholeWord" {...{ query, change }} />
      <Toggle title={t("search.regExp")} text=".*" name="isRegExp" {...{ query, change }} />
      <Button title={t("common.close")} text="×" onClick={() => closeSearch(view)} />
      {!state.value.readOnly && (
        <span class="cm-replace">
          <input
            class="cm-textfield"
            aria-label={t("search.replaceBy")}
            placeholder={t("search.replaceBy")}
            value={replacement.value}
            onInput={(event) => replacement.value = event.currentTarget.value}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || event.shiftKey) return;
              event.preventDefault();
              replaceMatches(view, replacement.value, false);
            }}
          />
          <Button text={t("search.replace")} onClick={() => replaceMatches(view, replacement.value, false)} />
          <Button
            text={t("search.replaceAll")}
            onClick={() => replaceMatches(view, replacement.value, true)}
          />
        </span>
      )}
    </form>
  );
}

interface ButtonProps {
  readonly text: string;
  readonly title?: string;
  readonly type?: "button" | "submit";
  readonly onClick?: () => unknown;
  readonly isPressed?: boolean;
}

function Button({ text, title, type = "button", onClick, isPressed }: ButtonProps) {
  return (
    <button
      type={type}
      class="cm-button"
      title={title}
      aria-label={title}
      aria-pressed={isPressed}
      onClick={() => void onClick?.()}
    >
      {text}
    </button>
  );
}

interface ToggleProps {
  readonly text: string;
  readonly title: string;
  readonly name: Exclude<keyof Query, "text">;
  readonly query: Query;
  readonly change: (changed: Partial<Query>) => void;
}

function Toggle({ name, query, change, ...button }: ToggleProps) {
  return <Button {...button} isPressed={query[name]} onClick={() => change({ [name]: !query[name] })} />;
}
