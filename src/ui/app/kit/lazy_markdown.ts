/** Markdown whose parser is loaded when the first text is drawn. */
import { lazyPart } from "./lazy_part.tsx";

/** See `Markdown`. */
export const LazyMarkdown = lazyPart(() => import("./markdown.tsx").then((module) => module.Markdown), 2);
