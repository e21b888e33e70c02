/**
 * A source in an editor. It lives in a shadow root: there the editor adopts its style sheets, which the content security
 * policy allows, instead of writing style elements.
 */
import { EditorState, type Extension, Prec } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  lineNumbers,
  ViewPlugin,
} from "@codemirror/view";
import { useEffect, useRef } from "preact/hooks";
import { closingBrackets, matchingBrackets } from "./code/brackets.ts";
import { folding } from "./code/folding.ts";
import { readingKeys, writingKeys } from "./code/keys.ts";
import { searching } from "./code/search.ts";
import { searchPanel } from "./code/search_panel.tsx";
import { templateMarks, yamlColours } from "./code/yaml_colours.ts";
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

/** Extensions of all editors. */
function readingExtensions(label: string, isReadOnly: boolean): Extension[] {
  return [
    lineNumbers(),
    drawSelection(),
    matchingBrackets,
    folding,
    yamlColours,
    templateMarks,
    editorTheme(),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorState.readOnly.of(isReadOnly),
    searching(searchPanel),
    readingKeys,
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

/** Keeps the cursor in sight when something beside the editor takes some of its height. */
const visibleCursor = ViewPlugin.define((view) => {
  let height = view.scrollDOM.clientHeight;
  const observer = new ResizeObserver(() => {
    const before = height;
    height = view.scrollDOM.clientHeight;
    if (height >= before || !view.hasFocus) return;
    const { head } = view.state.selection.main;
    const bottom = view.scrollDOM.getBoundingClientRect().top + before;
    const wasVisible = (view.coordsAtPos(head)?.bottom ?? Infinity) <= bottom;
    if (wasVisible) view.dispatch({ effects: EditorView.scrollIntoView(head) });
  });
  observer.observe(view.scrollDOM);
  return { destroy: () => observer.disconnect() };
});

/** Browsers would change the text on the page, although the editor refuses it. */
const READING = EditorView.domEventHandlers({ beforeinput: (event) => (event.preventDefault(), true) });

const EDITING: Extension = [
  Prec.highest(typeOver),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  closingBrackets,
  visibleCursor,
  // Escape, then Tab, leaves the editor: the editor itself keeps this promise of its key map.
  writingKeys,
];

/** An editor. */
export function CodeEditor({ source, label, extensions = [], isReadOnly = false, onReady }: CodeEditorProps) {
  const host = useShadowHost((parent, root) => {
    const editing = isReadOnly ? READING : EDITING;
    const all = [...extensions, editing, ...readingExtensions(label, isReadOnly)];
    const view = new EditorView({ doc: source, extensions: all, parent, root });
    onReady?.(view);
    return () => view.destroy();
  });
  return <div ref={host} class="code-editor" />;
}

/** An element with a shadow root that `mount` fills; what it returns ends it. */
function useShadowHost(mount: (parent: HTMLElement, root: ShadowRoot) => () => void) {
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
