/** Reads Markdown by the package `marked`. */
import type { Token, TokensList } from "marked";
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

/**
 * Sum of the characters of all levels: the package reads what a list or a quotation contains once more for each level around it.
 */
const MAX_BLOCK_CHARS = 16 * 1024 * 1024;
/** Cells of a table: the package makes each row as wide as the head. */
const MAX_CELLS = 100_000;
/** The line below the head of a table. */
const DELIMITERS = /^[ |:-]*-[ |:-]*$/;

/** The blocks of a text. @throws Error it is too long, or reading it would take too long */
export async function markdownTokens(text: string): Promise<Token[]> {
  if (text.length > MAX_CHARS) {
    throw new Error(
      `Cannot read the Markdown: it has ${text.length} characters, and at most ${MAX_CHARS} are read`,
    );
  }
  const { getDefaults, Lexer, Tokenizer } = await import("marked");
  class BoundedTokenizer extends Tokenizer {
    override table(source: string) {
      if (tableCells(source) <= MAX_CELLS) return super.table(source);
      throw new Error(`Cannot read the Markdown: a table has more than ${MAX_CELLS} cells`);
    }
  }
  class BoundedLexer extends Lexer {
    #searched = 0;
    #read = 0;

    override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): TokensList {
      this.#read += source.length;
      if (this.#read <= MAX_BLOCK_CHARS) return super.blockTokens(source, tokens, isClipped) as TokensList;
      throw new Error("Cannot read the Markdown: lists or quotations are nested too deeply");
    }

    override inlineTokens(source: string, tokens?: Token[]): Token[] {
      this.#searched += source.length * (source.match(/[*_~]/g)?.length ?? 0);
      if (this.#searched <= MAX_SEARCHED_CHARS) return super.inlineTokens(source, tokens);
      throw new Error(
        "Cannot read the Markdown: long paragraphs have too many marks of emphasis; divide them",
      );
    }
  }
  // A tokenizer belongs to one lexer, and several texts are read at the same time.
  const lexer = new BoundedLexer({ ...getDefaults(), tokenizer: new BoundedTokenizer() });
  const turns = new Turns(systemClock, TURN_MS);
  lexer.blockTokens(text.replace(/\r\n?/g, "\n"), lexer.tokens);
  for (const { src, tokens } of lexer.inlineQueue) {
    lexer.inlineTokens(src, tokens);
    await turns.next();
  }
  return lexer.tokens;
}

/** Columns of the head times lines up to an empty one, if a text begins with a table; else 0. */
function tableCells(source: string): number {
  const endOfHead = source.indexOf("\n");
  const endOfDelimiters = source.indexOf("\n", endOfHead + 1);
  if (endOfHead < 0 || endOfDelimiters < 0) return 0;
  if (!DELIMITERS.test(source.slice(endOfHead + 1, endOfDelimiters))) return 0;
  const columns = source.slice(0, endOfHead).split("|").length;
  let lines = 0;
  for (let at = endOfDelimiters; at >= 0 && at < source.length - 1; lines++) {
    const end = source.indexOf("\n", at + 1);
    if (end === at + 1) break;
    at = end;
  }
  return columns * lines;
}
