/** How the editor looks: the colours of the style sheets, which shadow roots inherit. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { Decoration, EditorView, MatchDecorator, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { tags } from "@lezer/highlight";
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
const MONO = "var(--mono)";

/** Colours and sizes. */
export function editorTheme(): Extension {
  const size = `${preferences.value.editorFontSize}px`;
  return [
    EditorView.theme({
      "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--card)", fontSize: size },
      // The element around it shows the focus.
      "&.cm-focused": { outline: "none" },
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
      ".cm-tooltip": {
        backgroundColor: "var(--card)",
        color: "var(--text)",
        border: "1px solid var(--line)",
        borderRadius: "8px",
        boxShadow: "0 6px 24px rgb(0 0 0 / 18%)",
        fontFamily: "system-ui, sans-serif",
        fontSize: "13px",
      },
      ".cm-tooltip-autocomplete > ul": { fontFamily: MONO },
      ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
        backgroundColor: "color-mix(in srgb, var(--link) 18%, var(--card))",
        color: "var(--text)",
      },
      ".cm-completionInfo": { maxWidth: "340px", padding: "8px 12px" },
      ".cm-completionDetail": { color: "var(--dim)", fontStyle: "normal" },
      ".cm-diagnostic": { padding: "6px 10px" },
      ".cm-diagnosticAction": {
        backgroundColor: "var(--link)",
        color: "light-dark(#fff, #0f1217)",
        borderRadius: "6px",
        padding: "3px 8px",
        cursor: "pointer",
      },
      ".cm-panels": { backgroundColor: "var(--soft)", color: "var(--text)" },
      ".cm-textfield, .cm-button": {
        backgroundColor: "var(--card)",
        backgroundImage: "none",
        border: "1px solid var(--line)",
        borderRadius: "6px",
        color: "var(--text)",
      },
      ".cm-template": {
        backgroundColor: "color-mix(in srgb, var(--held) 13%, transparent)",
        borderRadius: "3px",
      },
      ...RUN_MARKS,
      ".cm-changedLine": { backgroundColor: "color-mix(in srgb, var(--busy) 10%, transparent)" },
      ".cm-merge-a .cm-changedText": { background: "color-mix(in srgb, var(--bad) 28%, transparent)" },
      ".cm-merge-b .cm-changedText": { background: "color-mix(in srgb, var(--good) 28%, transparent)" },
      ".cm-collapsedLines": { background: "var(--soft)", color: "var(--dim)" },
      // Few fonts have the character that the package shows here.
      ".cm-collapsedLines:before, .cm-collapsedLines:after": { content: "'⋯'" },
    }),
    highlighting,
    templates,
  ];
}

/** Colours of the parts of YAML. */
const highlighting = syntaxHighlighting(HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--link)" },
  { tag: [tags.string, tags.content, tags.attributeValue], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.typeName], color: "var(--held)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--dim)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--dim)" },
  { tag: tags.meta, color: "var(--warn)" },
]));

const matcher = new MatchDecorator({
  regexp: /\{\{.*?\}\}|\{%.*?%\}/g,
  decoration: Decoration.mark({ class: "cm-template" }),
});

/** Marks what the server renders. */
const templates = ViewPlugin.define(
  (view) => ({
    decorations: matcher.createDeco(view),
    update(change: ViewUpdate) {
      this.decorations = matcher.updateDeco(change, this.decorations);
    },
  }),
  { decorations: (plugin) => plugin.decorations },
);
