/** The scroll position of a page, kept until the person comes back to it. */

/** A page that is not long enough after this time has become shorter. Whatever the person does ends the wait before. */
const MAX_WAIT_MS = 60_000;
const GESTURES = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

let restoring = new AbortController();

/** Stores the position with the present entry of the history. */
export function keepPosition(): void {
  history.replaceState({ top: scrollY }, "");
}

/** Goes to the top of a new page. */
export function startAtTop(): void {
  restoring.abort();
  scrollTo(0, 0);
}

/** Goes to the position that is stored with an entry as soon as the page is that long, unless the person acts before. */
export function restorePosition(state: unknown): void {
  restoring.abort();
  const top = (state as { readonly top?: number } | null)?.top ?? 0;
  if (top === 0) return;
  const controller = restoring = new AbortController();
  const { signal } = controller;
  const end = () => controller.abort();
  const observer = new ResizeObserver(() => {
    scrollTo(0, top);
    if (scrollY >= top - 1) end();
  });
  observer.observe(document.body);
  signal.addEventListener("abort", () => observer.disconnect());
  for (const gesture of GESTURES) addEventListener(gesture, end, { signal });
  setTimeout(end, MAX_WAIT_MS);
}
