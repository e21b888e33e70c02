/** A button that opens a list of actions. Those that are not possible stay there, with the reason. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** An action of a menu. */
interface MenuItem {
  readonly name: string;
  readonly title: string;
  /** Why it is not possible now. */
  readonly refusal?: string;
  readonly isDangerous?: boolean;
  readonly run: () => unknown;
}

interface MenuProps {
  readonly title: string;
  readonly items: readonly MenuItem[];
}

/** The menu. Arrow keys move, Escape closes. */
export function Menu({ title, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  // Before the next key arrives.
  useLayoutEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const onPress = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    addEventListener("pointerdown", onPress);
    return () => removeEventListener("pointerdown", onPress);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector("button")?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") close();
    else if (step !== 0) move(box.current, step);
    else return;
    event.preventDefault();
  };
  return (
    <div class="menu-box" ref={box} onKeyDown={onKeyDown}>
      <button type="button" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {title} <span aria-hidden="true">▾</span>
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={title}>
          {items.map(({ name, title: text, refusal, isDangerous, run }) => (
            <button
              key={name}
              type="button"
              role="menuitem"
              class={`plain ${isDangerous ? "danger" : ""}`}
              aria-disabled={refusal !== undefined}
              onClick={() => refusal === undefined && (close(), run())}
            >
              {text}
              {refusal !== undefined && <small>{refusal}</small>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function move(box: HTMLElement | null, step: number): void {
  const items = [...box?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []];
  const at = items.findIndex((item) => item === document.activeElement);
  items[(at + step + items.length) % items.length]?.focus();
}
