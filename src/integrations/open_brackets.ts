/** Finds what is open in a value of Ion or JSON after its first lines. It is a hint: the value is not parsed. */

/** What follows an opening one, to its end. */
type Section = "text" | "symbol" | "long text" | "comment";

/** What is looked for within a section, and outside of them. A backslash takes the next character along. */
const ENDS: Readonly<Record<Section, RegExp>> = {
  text: /"|\\[^]?/g,
  symbol: /'|\\[^]?/g,
  "long text": /'''|\\[^]?/g,
  comment: /\*\//g,
};
const PLAIN = /'''|["'[\](){}]|\/[/*]/g;
/** Base64 contains slashes. */
const LOB = /'''|"|\}\}/g;
const SECTIONS: ReadonlyMap<string, Section> = new Map<string, Section>([
  ['"', "text"],
  ["'", "symbol"],
  ["'''", "long text"],
  ["/*", "comment"],
]);

/** Brackets, quotes and comments that are open. */
export class OpenBrackets {
  #depth = 0;
  #section: Section | undefined;
  #isLob = false;

  /** Takes the next line; gives whether nothing is open after it. */
  closesWith(line: string): boolean {
    for (let at = 0;;) {
      const pattern = this.#section ? ENDS[this.#section] : this.#isLob ? LOB : PLAIN;
      pattern.lastIndex = at;
      const sign = pattern.exec(line)?.[0];
      if (sign === undefined || sign === "//") break;
      at = pattern.lastIndex;
      // Braces of structures come one after the other, too.
      const isLobStart = sign === "{" && line[at] === "{";
      if (isLobStart) at++;
      this.#take(sign, isLobStart);
    }
    return this.#section === undefined && !this.#isLob && this.#depth <= 0;
  }

  #take(sign: string, isLobStart: boolean): void {
    if (this.#section) {
      if (!sign.startsWith("\\")) this.#section = undefined;
    } else if (isLobStart || sign === "}}") {
      this.#isLob = isLobStart;
    } else {
      this.#section = SECTIONS.get(sign);
      if (!this.#section) this.#depth += "[({".includes(sign) ? 1 : -1;
    }
  }
}
