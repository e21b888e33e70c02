/** Two sources side by side; on small screens one below the other as changes of one text. */
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorView } from "@codemirror/view";
import { textExtensions, useShadowHost, yamlExtensions } from "./code_editor.tsx";

interface DiffProps {
  readonly before: string;
  readonly after: string;
  readonly beforeTitle: string;
  readonly afterTitle: string;
  /** Of another language than YAML. */
  readonly isPlain?: boolean;
}

const NARROW = "(max-width: 760px)";
const COLLAPSE = { margin: 4, minSize: 8 };

/** The differences; give it a `key` that changes with the sources. */
export function DiffView({ before, after, beforeTitle, afterTitle, isPlain = false }: DiffProps) {
  const extensionsOf = isPlain ? textExtensions : yamlExtensions;
  const host = useShadowHost((parent, root) => {
    if (matchMedia(NARROW).matches) {
      const merge = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: COLLAPSE });
      const extensions = [...extensionsOf(afterTitle, true), merge];
      const view = new EditorView({ doc: after, extensions, parent, root });
      return () => view.destroy();
    }
    const view = new MergeView({
      a: { doc: before, extensions: extensionsOf(beforeTitle, true) },
      b: { doc: after, extensions: extensionsOf(afterTitle, true) },
      collapseUnchanged: COLLAPSE,
      parent,
      root,
    });
    return () => view.destroy();
  });
  return (
    <figure class="diff">
      <figcaption>
        <span>{beforeTitle}</span>
        <span>{afterTitle}</span>
      </figcaption>
      <div ref={host} class="diff-body" />
    </figure>
  );
}
