/**
 * Shortens the names of texts in the scripts that browsers load: there are some 800 of them, each in the texts of its language and
 * where it is shown, and they compress badly. Names that scripts put together while they run stay.
 */

/** Scripts by file name. */
type Scripts = ReadonlyMap<string, string>;

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** A member of the texts. */
const MEMBER = /(?<=[{,])"([a-z]\w*(?:\.\w+)+)":/gi;
/** The literal part of a name that is put together. */
const COMPOSED = /`([a-z]\w*\.(?:\w+\.)*)\$\{/gi;
const LITERAL = /"([a-z]\w*(?:\.\w+)+)"/gi;
const FILE_HASH = /-([A-Z0-9]{8})(?=\.js\b)/g;

/**
 * The scripts with short names, under other file names: those that the bundler gave stand for the contents before. `isTexts` says
 * which scripts are the texts of a language; `hash` gives eight characters.
 */
export function withShortNames(
  scripts: Scripts,
  { isTexts, hash }: { readonly isTexts: (file: string) => boolean; readonly hash: (text: string) => string },
): Map<string, string> {
  const texts = [...scripts].filter(([file]) => isTexts(file));
  const code = [...scripts].filter(([file]) => !isTexts(file)).map(([, script]) => script).join("\n");
  const short = shortNames(texts.map(([, script]) => script), code);
  const table = JSON.stringify([...short]);
  const renamed = (text: string) =>
    text.replace(FILE_HASH, (_whole, before: string) => `-${hash(`${before} ${table}`)}`);
  return new Map([...scripts].map(([file, script]) => {
    const replaced = isTexts(file)
      ? script.replace(MEMBER, (member, name: string) => `${short.get(name) ?? member.slice(0, -1)}:`)
      : script.replace(LITERAL, (literal, name: string) => literalOf(short.get(name)) ?? literal);
    return [renamed(file), renamed(replaced)];
  }));
}

/** A short name for each text whose name no script puts together. */
function shortNames(texts: readonly string[], code: string): ReadonlyMap<string, string> {
  const names = new Set(texts.flatMap((script) => [...script.matchAll(MEMBER)].map(([, name = ""]) => name)));
  const composed = [...code.matchAll(COMPOSED)].map(([, start = ""]) => start);
  const fixed = [...names].filter((name) => !composed.some((start) => name.startsWith(start))).sort();
  return new Map(fixed.map((name, index) => [name, shortName(index)]));
}

function shortName(index: number): string {
  const last = LETTERS[index % LETTERS.length] ?? "";
  return index < LETTERS.length ? last : shortName(Math.floor(index / LETTERS.length) - 1) + last;
}

function literalOf(name: string | undefined): string | undefined {
  return name === undefined ? undefined : `"${name}"`;
}
