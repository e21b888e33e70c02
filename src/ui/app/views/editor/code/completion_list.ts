/** Completion: a list below the cursor of what can be written there. */
import { type EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import {
  type Command,
  EditorView,
  type KeyBinding,
  keymap,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { closed } from "./brackets.ts";
import { matchingOptions, type Option } from "./option_match.ts";
import { Popup } from "./popup.ts";

/** Where completion is asked for. */
export interface CompletionContext {
  readonly state: EditorState;
  readonly position: number;
  /** A person asked for it, by a key. */
  readonly isExplicit: boolean;
}

/** What can be written. */
export interface CompletionResult {
  /** Where the text begins that an option replaces. */
  readonly from: number;
  readonly options: readonly Option[];
  /** While what is typed matches, the options remain those; absent: they do not. */
  readonly validFor?: RegExp;
  /** What of the text behind the cursor an option replaces, too; absent: the rest of the word. */
  readonly rest?: RegExp;
  /** What is compared with the options in place of the text itself. */
  readonly comparedTo?: (typed: string) => string;
}

/** Finds what can be written; `null`: nothing. */
export type CompletionSource = (context: CompletionContext) => Promise<CompletionResult | null>;

/** The list that is shown. */
interface List {
  readonly result: CompletionResult;
  /** Those that match what is typed. */
  readonly options: readonly Option[];
  readonly chosen: number;
  /** When it came without being asked for; 0 once a person has used it. */
  readonly openedAt: number;
}

const PAUSE_MS = 60;
/** Enter that is pressed sooner was meant for the text. */
const REACTION_MS = 75;
const PAGE = 10;
/** Further options are shown when more is typed. */
const MAX_SHOWN = 500;
const LIST_ID = "completions";
const REST_OF_WORD = /^[\w.$-]*/;

const setList = StateEffect.define<List | undefined>();

const list = StateField.define<List | undefined>({
  create: () => undefined,
  update(present, { effects, docChanged, selection, state }) {
    const given = effects.findLast((effect) => effect.is(setList));
    if (given) return given.value as List | undefined;
    return present && (docChanged || selection) ? narrowed(present, state) : present;
  },
  provide: (field) =>
    EditorView.contentAttributes.from(field, (shown): Record<string, string> => ({
      "aria-autocomplete": "list",
      ...shown &&
        {
          "aria-controls": LIST_ID,
          "aria-activedescendant": optionId(shown.chosen),
          "aria-haspopup": "listbox",
        },
    })),
});

function optionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

/** The list for what is typed now; `undefined` if it is another thing. */
function narrowed({ result, openedAt }: List, state: EditorState): List | undefined {
  const { head, empty } = state.selection.main;
  const text = state.sliceDoc(result.from, head);
  if (!empty || head < result.from || !result.validFor?.test(text)) return undefined;
  return listOf(result, text, openedAt);
}

function listOf(result: CompletionResult, text: string, openedAt: number): List | undefined {
  const typed = result.comparedTo?.(text) ?? text;
  const options = matchingOptions(result.options, typed).slice(0, MAX_SHOWN);
  return options.length === 0 ? undefined : { result, options, chosen: 0, openedAt };
}

class Completion {
  readonly #view: EditorView;
  readonly #source: CompletionSource;
  readonly #popup: Popup;
  readonly #elements: HTMLElement[] = [];
  readonly #info = document.createElement("div");
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(view: EditorView, source: CompletionSource) {
    this.#view = view;
    this.#source = source;
    this.#popup = new Popup(view, "cm-tooltip-autocomplete");
    this.#info.className = "cm-completionInfo";
  }

  update({ startState, state, docChanged, geometryChanged, transactions }: ViewUpdate): void {
    const [before, now] = [startState.field(list), state.field(list)];
    if (before?.options !== now?.options) this.#draw(now);
    else if (before !== now) this.#choose(now);
    else if (geometryChanged) this.#popup.place();
    if (!docChanged) return;
    clearTimeout(this.#timer);
    const isTyped = transactions.some((transaction) => transaction.isUserEvent("input.type"));
    if (isTyped && !now) this.#timer = setTimeout(() => void this.ask(false), PAUSE_MS);
  }

  destroy(): void {
    clearTimeout(this.#timer);
    this.#popup.destroy();
  }

  /** Asks for what can be written at the cursor, and shows it if the cursor is still there. */
  async ask(isExplicit: boolean): Promise<void> {
    const { state } = this.#view;
    const { head } = state.selection.main;
    if (state.readOnly) return;
    const result = await this.#source({ state, position: head, isExplicit });
    const { doc, selection } = this.#view.state;
    if (!result || doc !== state.doc || selection.main.head !== head || !this.#view.hasFocus) return;
    const openedAt = isExplicit ? 0 : Date.now();
    this.#view.dispatch({ effects: setList.of(listOf(result, state.sliceDoc(result.from, head), openedAt)) });
  }

  #draw(shown: List | undefined): void {
    this.#elements.length = 0;
    if (!shown) return this.#popup.hide();
    const items = document.createElement("ul");
    items.id = LIST_ID;
    items.role = "listbox";
    items.append(...shown.options.map((option, index) => this.#item(option, index)));
    this.#popup.show(shown.result.from, items, this.#info);
    this.#choose(shown);
  }

  #item(option: Option, index: number): HTMLElement {
    const item = document.createElement("li");
    item.id = optionId(index);
    item.role = "option";
    item.textContent = option.displayLabel ?? option.label;
    if (option.detail !== undefined) {
      const detail = document.createElement("span");
      detail.className = "cm-completionDetail";
      detail.textContent = option.detail;
      item.append(" ", detail);
    }
    item.onclick = () => accept(this.#view, option);
    this.#elements.push(item);
    return item;
  }

  #choose(shown: List | undefined): void {
    for (const [index, element] of this.#elements.entries()) {
      element.ariaSelected = String(index === shown?.chosen);
      if (index === shown?.chosen) element.scrollIntoView({ block: "nearest" });
    }
    this.#info.textContent = shown?.options[shown.chosen]?.info ?? "";
    this.#info.hidden = this.#info.textContent === "";
    this.#popup.place();
  }
}

function accept(view: EditorView, { label, apply = label, cursor = apply.length }: Option): boolean {
  const shown = view.state.field(list);
  if (!shown) return false;
  const { from, rest = REST_OF_WORD } = shown.result;
  const { head } = view.state.selection.main;
  const [tail = ""] = rest.exec(view.state.sliceDoc(head, view.state.doc.lineAt(head).to)) ?? [];
  view.dispatch({
    changes: { from, to: head + tail.length, insert: apply },
    selection: { anchor: from + cursor },
    // The closing quote or bracket behind the cursor may be typed over.
    effects: [setList.of(undefined), ...cursor < apply.length ? [closed.of(from + cursor)] : []],
    userEvent: "input.complete",
    scrollIntoView: true,
  });
  return true;
}

/** Chooses the option that is so many steps further; from the last one the first follows. */
function step(by: number, isRing = false): Command {
  return (view) => {
    const shown = view.state.field(list);
    if (!shown) return false;
    const { options: { length }, chosen } = shown;
    const wanted = chosen + by;
    const next = isRing ? (wanted + length) % length : Math.max(0, Math.min(length - 1, wanted));
    view.dispatch({ effects: setList.of({ ...shown, chosen: next, openedAt: 0 }) });
    return true;
  };
}

/** Accepts the chosen option. Where that is written already, the list goes, and the key is used up or not. */
function acceptChosen({ isUsedUp }: { readonly isUsedUp: boolean }): Command {
  return (view) => {
    const shown = view.state.field(list);
    const option = shown?.options[shown.chosen];
    if (!shown || !option || Date.now() - shown.openedAt < REACTION_MS) return false;
    const { label, apply = label } = option;
    const isWritten = view.state.sliceDoc(shown.result.from, view.state.selection.main.head) === apply;
    if (!isWritten) return accept(view, option);
    view.dispatch({ effects: setList.of(undefined) });
    return isUsedUp;
  };
}

const close: Command = (view) => {
  if (!view.state.field(list)) return false;
  view.dispatch({ effects: setList.of(undefined) });
  return true;
};

/** Completion as one types, and by Ctrl-Space. */
export function completion(source: CompletionSource): Extension {
  const plugin = ViewPlugin.define((view) => new Completion(view, source));
  const ask: Command = (view) => (void view.plugin(plugin)?.ask(true), true);
  const keys: readonly KeyBinding[] = [
    { key: "Ctrl-Space", run: ask },
    { mac: "Alt-i", run: ask },
    { key: "Escape", run: close },
    { key: "ArrowDown", run: step(1, true) },
    { key: "ArrowUp", run: step(-1, true) },
    { key: "PageDown", run: step(PAGE) },
    { key: "PageUp", run: step(-PAGE) },
    // Behind a value that is written Enter begins a line, and Tab does not indent it.
    { key: "Enter", run: acceptChosen({ isUsedUp: false }) },
    { key: "Tab", run: acceptChosen({ isUsedUp: true }) },
  ];
  return [
    list,
    plugin,
    Prec.highest(keymap.of(keys)),
    EditorView.domEventHandlers({ blur: (_event, view) => close(view) }),
  ];
}
