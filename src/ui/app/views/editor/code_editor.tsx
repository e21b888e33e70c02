/**
 * A source in an editor. It lives in a shadow root: there the editor adopts its style sheets, which the content security
 * policy allows, instead of writing style elements.
 */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentService,
  indentUnit,
} from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { editorTheme } from "./editor_theme.ts";

interface CodeEditorProps {
  /** The text at the beginning. */
  readonly source: string;
  /** For screen readers. */
  readonly label: string;
  /** Further extensions; those of the first render apply. */
  readonly extensions?: readonly Extension[];
  readonly isReadOnly?: boolean;
  /** Called with the editor when it is there. */
  readonly onReady?: (view: EditorView) => void;
}

/** A line that ends with a key, so that its value follows below; the first group is what the value is indented beyond. */
const KEY_WITHOUT_VALUE = /^(\s*(?:- +)*)[\w.-]+:\s*(?:[|>][+-]?\s*)?(?:#.*)?$/;

/** A key at the end of a source has no value, so the syntax does not say that the next line belongs to it. */
const indentAfterKey = indentService.of((context, position) => {
  const [, before] = KEY_WITHOUT_VALUE.exec(context.lineAt(position, -1).text) ?? [];
  return before === undefined ? undefined : before.length + context.unit;
});

/** Extensions of all editors of YAML. */
export function yamlExtensions(label: string, isReadOnly = false): Extension[] {
  return [yaml(), indentUnit.of("  "), indentAfterKey, ...textExtensions(label, isReadOnly)];
}

/** Extensions of all editors. */
export function textExtensions(label: string, isReadOnly = false): Extension[] {
  return [
    lineNumbers(),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    foldGutter(),
    editorTheme(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorState.readOnly.of(isReadOnly),
    keymap.of([...searchKeymap, ...foldKeymap]),
  ];
}

/** Where a text replaces a selection, browsers themselves write its style as an attribute, which the policy refuses. */
const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || empty || view.composing) return false;
    event.preventDefault();
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert());
    return true;
  },
});

const EDITING: Extension = [
  Prec.highest(typeOver),
  history(),
  lintGutter(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  indentOnInput(),
  closeBrackets(),
  autocompletion({ icons: false, activateOnTypingDelay: 60 }),
  // Escape, then Tab, leaves the editor: the editor itself keeps this promise of its key map.
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...lintKeymap, ...historyKeymap, indentWithTab]),
];

/** An editor. */
export function CodeEditor({ source, label, extensions = [], isReadOnly = false, onReady }: CodeEditorProps) {
  const host = useShadowHost((parent, root) => {
    const editing = isReadOnly ? [] : EDITING;
    const all = [...extensions, ...yamlExtensions(label, isReadOnly), editing, keymap.of(defaultKeymap)];
    const view = new EditorView({ doc: source, extensions: all, parent, root });
    onReady?.(view);
    return () => view.destroy();
  });
  return <div ref={host} class="code-editor" />;
}

/** An element with a shadow root that `mount` fills; what it returns ends it. */
export function useShadowHost(mount: (parent: HTMLElement, root: ShadowRoot) => () => void) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    const parent = document.createElement("div");
    parent.style.height = "100%";
    root.replaceChildren(parent);
    // Escape and other keys are those of the editor, not of the page around it.
    const keep = (event: KeyboardEvent) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    };
    element.addEventListener("keydown", keep);
    const end = mount(parent, root);
    return () => (end(), element.removeEventListener("keydown", keep));
  }, []);
  return host;
}
