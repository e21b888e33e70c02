/** Keys of a page that work outside of its fields. */
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * Calls the function with each key that is pressed while the component is shown; in the capture phase it sees the key
 * before all others. It listens from the moment that the component is in the page: an effect would do so a frame later.
 */
export function useKeydown(onKey: (event: KeyboardEvent) => void, { capture = false } = {}): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  useLayoutEffect(() => {
    const listener = (event: KeyboardEvent) => latest.current(event);
    addEventListener("keydown", listener, { capture });
    return () => removeEventListener("keydown", listener, { capture });
  }, []);
}

/** True if the key is pressed alone, and belongs to no field or dialog: it may be a shortcut of the page. */
export function isShortcut(event: KeyboardEvent): boolean {
  return !event.metaKey && !event.ctrlKey && !event.altKey && !isTyping(event);
}

function isTyping(event: KeyboardEvent): boolean {
  // The source editor is in a shadow root: outside of it the target of its events is the element around it.
  const path = event.composedPath();
  const [target] = path;
  if (!(target instanceof HTMLElement)) return false;
  const isField = target instanceof HTMLInputElement
    ? !["checkbox", "radio"].includes(target.type)
    : target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName);
  return isField || path.some((element) => element instanceof HTMLDialogElement);
}
