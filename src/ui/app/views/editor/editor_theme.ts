/** How the editor looks: the colours of the style sheets, which shadow roots inherit. */
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { preferences } from "../../core/preferences.ts";

const TONES = ["idle", "busy", "good", "warn", "bad", "held"];
const RUN_MARKS = {
  ".cm-run": {
    marginLeft: "14px",
    padding: "0 7px",
    borderRadius: "99px",
    fontSize: "0.8em",
    color: "var(--tone)",
    backgroundColor: "color-mix(in srgb, var(--tone) 13%, transparent)",
  },
  ...Object.fromEntries(TONES.map((tone) => [`.cm-run.${tone}`, { "--tone": `var(--${tone})` }])),
};
/** Colours of problems: under the text, in the gutter, beside the explanation. */
const SEVERITIES = Object.fromEntries(
  Object.entries({ error: "var(--bad)", warning: "var(--warn)", info: "var(--link)" }).flatMap((
    [name, color],
  ) => [
    [`.cm-wrong.${name}`, { textDecoration: `underline wavy ${color}` }],
    [`.cm-sign.${name}`, { color, fontWeight: 700 }],
    [`.cm-diagnostic.${name}`, { borderLeftColor: color }],
  ]),
);
const MONO = "var(--mono)";

/** The text and the gutters. */
const TEXT = {
  ".cm-scroller": { fontFamily: MONO, lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--text)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--dim)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--link) 7%, transparent)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--link) 26%, transparent)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 22%, transparent)" },
};
/** Boxes beside the text. */
const POPUPS = {
  ".cm-tooltip": {
    position: "fixed",
    zIndex: 500,
    backgroundColor: "var(--card)",
    color: "var(--text)",
    border: "1px solid var(--line)",
    borderRadius: "8px",
    boxShadow: "0 6px 24px rgb(0 0 0 / 18%)",
    fontFamily: "system-ui, sans-serif",
    fontSize: "13px",
    maxWidth: "min(720px, 96vw)",
  },
  ".cm-tooltip-autocomplete": { display: "flex", flexWrap: "wrap" },
  ".cm-tooltip-autocomplete ul": {
    flex: "1 1 250px",
    margin: 0,
    padding: 0,
    maxHeight: "13em",
    overflow: "hidden auto",
    listStyle: "none",
    fontFamily: MONO,
    whiteSpace: "nowrap",
  },
  ".cm-tooltip li": {
    padding: "2px 8px",
    overflow: "hidden",
    textOverflow: "ellipsis",
    lineHeight: 1.4,
    cursor: "pointer",
  },
  ".cm-tooltip li[aria-selected=true]": {
    backgroundColor: "color-mix(in srgb, var(--link) 18%, var(--card))",
  },
  ".cm-completionInfo": {
    flex: "1 1 200px",
    maxWidth: "340px",
    maxHeight: "13em",
    overflow: "auto",
    padding: "8px 12px",
    whiteSpace: "pre-line",
  },
  ".cm-completionInfo[hidden]": { display: "none" },
  ".cm-completionDetail": { color: "var(--dim)" },
  ".cm-problem": { maxWidth: "min(480px, 96vw)" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "4px solid var(--dim)" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--link)",
    color: "light-dark(#fff, #0f1217)",
    border: "none",
    borderRadius: "6px",
    padding: "3px 8px",
    cursor: "pointer",
  },
};
/** The search. */
const PANELS = {
  ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--text)", zIndex: 300 },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-search form, .cm-replace": { display: "flex", flexWrap: "wrap", alignItems: "center", gap: "6px" },
  ".cm-search": { padding: "6px 8px" },
  ".cm-replace": { flexBasis: "100%" },
  ".cm-textfield, .cm-button": {
    font: "inherit",
    fontSize: "13px",
    minHeight: "26px",
    padding: "2px 8px",
    backgroundColor: "var(--card)",
    border: "1px solid var(--line)",
    borderRadius: "6px",
    color: "var(--text)",
  },
  // The package has gradients of its own.
  ".cm-button, .cm-button:active": { minWidth: "28px", cursor: "pointer", backgroundImage: "none" },
  ".cm-button[aria-pressed=true]": { borderColor: "var(--link)", color: "var(--link)" },
};
/** Marks within the text. */
const MARKS = {
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--warn) 26%, transparent)" },
  ".cm-searchMatch-selected, .cm-searchMatch-selected .cm-searchMatch": {
    backgroundColor: "color-mix(in srgb, var(--warn) 60%, transparent)",
  },
  ".cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--good) 26%, transparent)" },
  ".cm-nonmatchingBracket": { backgroundColor: "color-mix(in srgb, var(--bad) 26%, transparent)" },
  ".cm-foldGutter span": { padding: "0 3px", cursor: "pointer" },
  ".cm-folded": {
    padding: "0 6px",
    borderRadius: "4px",
    backgroundColor: "var(--soft)",
    color: "var(--dim)",
    cursor: "pointer",
  },
  ".yaml-key": { color: "var(--link)" },
  ".yaml-atom": { color: "var(--held)" },
  ".yaml-comment": { color: "var(--dim)", fontStyle: "italic" },
  ".yaml-sign": { color: "var(--dim)" },
  ".yaml-meta": { color: "var(--warn)" },
  ".cm-template": {
    backgroundColor: "color-mix(in srgb, var(--held) 13%, transparent)",
    borderRadius: "3px",
  },
  ...SEVERITIES,
  ".cm-signs": { width: "1.2em", textAlign: "center" },
  ...RUN_MARKS,
};

/** Colours and sizes. */
export function editorTheme(): Extension {
  const size = `${preferences.value.editorFontSize}px`;
  return EditorView.theme({
    "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--card)", fontSize: size },
    // The element around it shows the focus.
    "&.cm-focused": { outline: "none" },
    ...TEXT,
    ...POPUPS,
    ...PANELS,
    ...MARKS,
  });
}
