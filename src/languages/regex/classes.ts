/** Character classes of Java regular expressions: the escaped ones and the named properties. */

/** Whether a class contains a code point. */
export type CharacterTest = (code: number) => boolean;

/** `\w`, ASCII only; false at the ends of a text. */
export const WORD_CHARACTER: CharacterTest = (code) =>
  code >= 97 && code <= 122 || code >= 65 && code <= 90 || code >= 48 && code <= 57 || code === 95;

const isDigit: CharacterTest = (code) => code >= 48 && code <= 57;
const isSpace: CharacterTest = (code) => code === 32 || code >= 9 && code <= 13;
const isBlank: CharacterTest = (code) => code === 32 || code === 9 || code === 0xa0;
/** `\v`, and each line break of `\R` but `\r\n`. */
export const VERTICAL_SPACE: CharacterTest = (code) =>
  code >= 10 && code <= 13 || code === 0x85 || code === 0x2028 || code === 0x2029;

/** Classes by the letter after the backslash. */
export const ESCAPED_CLASSES: ReadonlyMap<string, CharacterTest> = new Map<string, CharacterTest>([
  ["d", isDigit],
  ["D", (code) => !isDigit(code)],
  ["w", WORD_CHARACTER],
  ["W", (code) => !WORD_CHARACTER(code)],
  ["s", isSpace],
  ["S", (code) => !isSpace(code)],
  ["h", isBlank],
  ["H", (code) => !isBlank(code)],
  ["v", VERTICAL_SPACE],
  ["V", (code) => !VERTICAL_SPACE(code)],
]);

/** Properties by their Java name, as classes of the platform; those of POSIX are ASCII. */
const PROPERTIES: ReadonlyMap<string, RegExp> = new Map([
  ["Lower", /[a-z]/],
  ["Upper", /[A-Z]/],
  ["Alpha", /[A-Za-z]/],
  ["Digit", /[0-9]/],
  ["Alnum", /[A-Za-z0-9]/],
  ["Punct", /[!-/:-@[-`{-~]/],
  ["Graph", /[!-~]/],
  ["Print", /[ -~]/],
  ["Blank", /[ \t]/],
  ["Cntrl", /\p{Cc}/u],
  ["XDigit", /[0-9A-Fa-f]/],
  ["Space", /[ \t\n\v\f\r]/],
  ["ASCII", /\p{ASCII}/u],
  ["L", /\p{L}/u],
  ["Lu", /\p{Lu}/u],
  ["Ll", /\p{Ll}/u],
  ["IsAlphabetic", /\p{Alphabetic}/u],
  ["IsLatin", /\p{Script=Latin}/u],
  ["M", /\p{M}/u],
  ["Mn", /\p{Mn}/u],
  ["InCombiningDiacriticalMarks", /[\u0300-\u036f]/],
  ["N", /\p{N}/u],
  ["Nd", /\p{Nd}/u],
  ["P", /\p{P}/u],
  ["S", /\p{S}/u],
  ["Z", /\p{Z}/u],
  ["Zs", /\p{Zs}/u],
  ["C", /\p{C}/u],
]);

/** The class of a named property, or `undefined`. */
export function propertyTest(name: string): CharacterTest | undefined {
  const pattern = PROPERTIES.get(name);
  return pattern && ((code) => pattern.test(String.fromCodePoint(code)));
}

/** A class that ignores case: of ASCII letters, or of all letters. */
export function foldCase(test: CharacterTest, isUnicode: boolean): CharacterTest {
  return isUnicode ? foldUnicodeCase(test) : (code) => test(code) || isLetter(code) && test(code ^ CASE_BIT);
}

/** Difference of `A` and `a`. */
const CASE_BIT = 32;

const isLetter: CharacterTest = (code) => {
  const lower = code | CASE_BIT;
  return lower >= 97 && lower <= 122;
};

function foldUnicodeCase(test: CharacterTest): CharacterTest {
  return (code) => {
    if (test(code)) return true;
    const character = String.fromCodePoint(code);
    const lower = character.toLowerCase(), upper = character.toUpperCase();
    return test(lower.codePointAt(0) as number) || test(upper.codePointAt(0) as number);
  };
}
