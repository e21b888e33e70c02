/** What the rules of axe-core read of each element of a page, as a hash. */

/** How the elements of a page are shown. */
export interface ElementForms {
  /** Size of the window and colour scheme. */
  readonly window: string;
  /** Hashes in the order of the document. The rules find the same in elements with the same hash. */
  readonly hashes: readonly string[];
}

/** What a page keeps when its forms were read. */
export interface ReadPage {
  /** In the order of the hashes. */
  readonly elements: readonly Element[];
  /** Whether something has changed since then. */
  hasChanged: boolean;
  readonly changes: MutationObserver;
}

/**
 * The form of an element is made of that of its parent, its attributes, whether it has text, its colours and size, the kinds of its children,
 * what covers it, and, for small controls, the distance from the control before. Numbers and ids within values do not count, nor which name
 * it has, where links lead, or how a look came about. It runs in the page, so it uses nothing of this module; the page keeps a `ReadPage` as
 * `readPage`.
 */
export function elementForms(): ElementForms {
  const { innerWidth, innerHeight, devicePixelRatio } = globalThis;
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  // Shapes of icons have no text, no name and no controls.
  const elements = [...document.querySelectorAll<HTMLElement | SVGElement>("*:not(svg[aria-hidden=true] *)")];
  const changes = new MutationObserver(() => readPage.hasChanged = true);
  const readPage: ReadPage = { elements, hasChanged: false, changes };
  changes.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  Object.assign(globalThis, { readPage });
  /** Attributes of which only whether they have a value counts: rules ask whether there is a name, not which. */
  const isPresence = /^(href|src|d|points|transform|value|datetime|aria-label|title|placeholder|data-.*)$/;
  const counts = new Map<string, number>();
  for (const { id } of elements) counts.set(id, (counts.get(id) ?? 0) + 1);
  /** Forms without what is inside of them. */
  const outer = new Map<Element | null, string>();
  let control = new DOMRect();
  const hashes = elements.map((element) => {
    const isControl = element.tabIndex >= 0;
    const isText = hasText(element);
    const form = hash(`${outer.get(element.parentElement)} ${tag(element)} ${look(element)} ${isText}`);
    outer.set(element, form);
    const cover = isControl || isText ? coverOf(element) : "";
    return hash(`${form} ${content(element)} ${isControl ? place(element) : ""} ${cover}`);
  });
  return { window: `${innerWidth} ${innerHeight} ${devicePixelRatio} ${isDark}`, hashes };

  function tag(element: Element): string {
    // How classes and styles look counts by itself.
    const named = [...element.attributes].filter(({ name }) => name !== "class" && name !== "style");
    const attributes = named.map(({ name, value }) => `${name}=${attribute(name, value)}`);
    return [element.tagName, ...attributes].join(" ");
  }

  function attribute(name: string, value: string): string {
    if (isPresence.test(name)) return value && "…";
    const isReference = ["for", "headers"].includes(name) ||
      /^aria-.*(by|controls|owns|descendant|details|message)$/.test(name);
    if (isReference) {
      return value.split(" ").map((id) => `${!!document.getElementById(id)?.textContent}`).join();
    }
    if (name === "id") return `${counts.get(value)}`;
    return plain(value);
  }

  function plain(text: string): string {
    return text.replace(/\b(?=[a-z]*\d)[0-9a-z]{16,}/gi, "…").replace(/\d+(\.\d+)?/g, "0");
  }

  function look(element: Element): string {
    const style = getComputedStyle(element);
    const { color, backgroundColor, backgroundImage, opacity, fontSize, fontWeight, display, visibility } =
      style;
    const parts = [
      color,
      backgroundColor,
      backgroundImage,
      opacity,
      fontSize,
      fontWeight,
      display,
      visibility,
    ];
    return `${parts.join(" ")} ${style.position} ${style.textDecorationLine}`;
  }

  function hasText(element: Element): boolean {
    return [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.nodeValue?.trim());
  }

  function content(element: Element): string {
    const kinds = new Set(
      [...element.children].map((child) => `${child.tagName} ${child.getAttribute("role")}`),
    );
    if (element === document.documentElement) {
      const landmarks = ["title", "main", "h1"].map((name) => !!document.querySelector(name));
      return `${[...landmarks, ...kinds]}`;
    }
    const text = (element.textContent ?? "").trim().toLowerCase();
    const label = element.getAttribute("aria-label")?.toLowerCase();
    const labels = (element as HTMLInputElement).labels;
    return `${[...kinds].sort()} ${text !== ""} ${label?.includes(text)} ${
      labels && [...labels].map((label) => !!label.textContent?.trim())
    }`;
  }

  /** Targets of 24 pixels suffice if they do not overlap, as does the distance of smaller ones from others. */
  function place(element: Element): string {
    const last = control;
    control = element.getBoundingClientRect();
    const { x, y, width, height } = control;
    const sizes = [width, height].map((size) => Math.round(Math.min(size, 24)));
    const [left, top] = [x + width / 2, y + height / 2];
    const gaps = [last.left - left, left - last.right, last.top - top, top - last.bottom];
    const gap = Math.round(Math.max(0, Math.min(Math.max(...gaps), 24)));
    return `${sizes} ${isOverlap(last, control)} ${Math.min(...sizes) < 24 && gap}`;
  }

  function isOverlap(one: DOMRect, other: DOMRect): boolean {
    return one.left < other.right && other.left < one.right && one.top < other.bottom &&
      other.top < one.bottom;
  }

  /** What is in front of its middle. */
  function coverOf(element: Element): string {
    const { x, y, width, height } = element.getBoundingClientRect();
    if (width === 0 || height === 0) return "";
    const front = document.elementFromPoint(x + width / 2, y + height / 2);
    if (!front || element.contains(front) || front.contains(element)) return "";
    return `${front.tagName} ${front.className}`;
  }

  function hash(text: string): string {
    let [one, two] = [0xdeadbeef, 0x41c6ce57];
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      one = Math.imul(one ^ code, 2654435761);
      two = Math.imul(two ^ code, 1597334677);
    }
    return (one >>> 0).toString(36) + (two >>> 0).toString(36);
  }
}
