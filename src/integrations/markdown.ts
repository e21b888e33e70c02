/** Reads Markdown by the package `marked`. */
import type { Token } from "marked";

/**
 * Sum of the characters of each paragraph times its marks of emphasis: the package seeks the counterpart of a mark in the whole
 * rest of the paragraph.
 */
const MAX_SEARCHED_CHARS = 250_000_000;

/** The blocks of a text. @throws Error its emphasis would take too long */
export async function markdownTokens(text: string): Promise<Token[]> {
  const { Lexer } = await import("marked");
  class BoundedLexer extends Lexer {
    #searched = 0;

    override inlineTokens(source: string, tokens?: Token[]): Token[] {
      this.#searched += source.length * (source.match(/[*_~]/g)?.length ?? 0);
      if (this.#searched <= MAX_SEARCHED_CHARS) return super.inlineTokens(source, tokens);
      throw new Error(
        "Cannot read the Markdown: long paragraphs have too many marks of emphasis; divide them",
      );
    }
  }
  return new BoundedLexer().lex(text);
}
