/** Reads Markdown by the package `marked`. */
import type { Token } from "marked";
import { systemClock } from "../base/time/clock.ts";
import { Turns } from "../base/time/turn.ts";

/** Blocks are found in one turn: this takes half a second, and the tokens 100 MB. */
const MAX_CHARS = 1024 * 1024;
const TURN_MS = 10;

/**
 * Sum of the characters of each paragraph times its marks of emphasis: the package seeks the counterpart of a mark in the whole
 * rest of the paragraph.
 */
const MAX_SEARCHED_CHARS = 250_000_000;

/** The blocks of a text. @throws Error it is too long, its emphasis would take too long */
export async function markdownTokens(text: string): Promise<Token[]> {
  if (text.length > MAX_CHARS) {
    throw new Error(
      `Cannot read the Markdown: it has ${text.length} characters, and at most ${MAX_CHARS} are read`,
    );
  }
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
  const lexer = new BoundedLexer(), turns = new Turns(systemClock, TURN_MS);
  lexer.blockTokens(text.replace(/\r\n?/g, "\n"), lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    lexer.inlineTokens(src, tokens);
    await turns.next();
  }
  return lexer.tokens;
}
