/** A box beside a place of the text. */
import type { EditorView } from "@codemirror/view";

/** The least distance to the edges of the window, in pixels. */
const EDGE = 4;

/** One box; it is on the page while it has content. */
export class Popup {
  readonly dom = document.createElement("div");
  readonly #view: EditorView;
  #position = 0;

  constructor(view: EditorView, className: string) {
    this.#view = view;
    this.dom.className = `cm-tooltip ${className}`;
    // A click does not take the focus from the text.
    this.dom.addEventListener("mousedown", (event) => event.preventDefault());
    addEventListener("scroll", this.place, { capture: true, passive: true });
  }

  /** True while it is on the page. */
  get isShown(): boolean {
    return this.dom.isConnected;
  }

  /** Shows content at an offset, below its line or above it, where there is more room. */
  show(position: number, ...content: readonly Node[]): void {
    this.#position = position;
    this.dom.replaceChildren(...content);
    this.#view.dom.append(this.dom);
    this.place();
  }

  /** Takes it off the page. */
  hide(): void {
    this.dom.remove();
  }

  /** Ends it. */
  destroy(): void {
    this.hide();
    removeEventListener("scroll", this.place, { capture: true });
  }

  /** Puts it to its place again, after the text has moved. */
  readonly place = (): void => {
    if (!this.isShown) return;
    this.#view.requestMeasure({
      key: this,
      read: (view) => ({ at: view.coordsAtPos(this.#position), box: this.dom.getBoundingClientRect() }),
      write: ({ at, box }) => {
        const { style } = this.dom;
        style.visibility = at ? "" : "hidden";
        if (!at) return;
        const isBelow = at.bottom + box.height + EDGE <= innerHeight || at.top < innerHeight - at.bottom;
        style.top = `${isBelow ? at.bottom : Math.max(EDGE, at.top - box.height)}px`;
        style.left = `${Math.max(EDGE, Math.min(at.left, innerWidth - box.width - EDGE))}px`;
      },
    });
  };
}
