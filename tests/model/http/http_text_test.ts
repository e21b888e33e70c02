import { assertEquals, assertThrows } from "@std/assert";
import { encodedText } from "../../../src/model/http/http_text.ts";

const ENCODED: readonly (readonly [charset: string, text: string, bytes: readonly number[]])[] = [
  ["", "é", [0xc3, 0xa9]],
  ["utf8", "é", [0xc3, 0xa9]],
  ["ISO-8859-1", "é\x80", [0xe9, 0x80]],
  ['"latin1"', "é", [0xe9]],
  ["us-ascii", "a\x7f", [0x61, 0x7f]],
  ["iso-8859-15", "€é", [0xa4, 0xe9]],
  ["iso-8859-9", "ğ\x80", [0xf0, 0x80]],
  ["windows-1252", "€é", [0x80, 0xe9]],
  ["cp1251", "я", [0xff]],
  ["koi8-r", "я", [0xd1]],
  ["Shift_JIS", "a", [0x61]],
];

for (const [charset, text, bytes] of ENCODED) {
  Deno.test(`encodedText() of ${JSON.stringify(text)} in the character set ${charset || "of the default"}`, () => {
    assertEquals([...encodedText(text, charset && `text/plain; charset=${charset}`)], bytes);
  });
}

/** Character sets, and a character that cannot be sent in them. */
const REFUSED: readonly (readonly [charset: string, text: string])[] = [
  ["ISO-8859-1", "€"],
  ["us-ascii", "é"],
  ["windows-1252", "ł"],
  ["windows-1253", "\ufffd"],
  ["Shift_JIS", "あ"],
  ["UTF-16", "a"],
  ["x-unknown", "a"],
];

for (const [charset, text] of REFUSED) {
  Deno.test(`encodedText() refuses ${JSON.stringify(text)} in the character set ${charset}`, () => {
    assertThrows(
      () => encodedText(text, `text/plain; charset=${charset}`),
      Error,
      `Cannot send the body as "${charset}": it has characters that are not in it; use UTF-8`,
    );
  });
}
