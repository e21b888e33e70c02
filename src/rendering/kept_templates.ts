/** Compiled templates that are kept, by the size of their sources. */
import { RecentCache } from "../base/lru.ts";
import { compileTemplate, type Template } from "../expr/mod.ts";

/** Weight of a template without characters. */
const TEMPLATE_CHARS = 100;

/** Compiles templates, and keeps the recently used ones up to a number of characters of their sources. */
export class KeptTemplates {
  readonly #templates: RecentCache<string, Template>;

  constructor(maxChars: number) {
    this.#templates = new RecentCache(maxChars, ({ source }) => source.length + TEMPLATE_CHARS);
  }

  /** The compiled template. @throws ExpressionError */
  compiled(source: string): Template {
    const known = this.#templates.get(source);
    if (known) return known;
    const template = compileTemplate(source);
    this.#templates.set(source, template);
    return template;
  }
}
