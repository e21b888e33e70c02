/** The texts of all languages. */
import { assertEquals } from "../../support/assert.ts";
import { DE } from "../../../src/ui/app/texts/de.ts";
import { EN, type TextName } from "../../../src/ui/app/texts/en.ts";
import { FR } from "../../../src/ui/app/texts/fr.ts";

Deno.test("each text has the same values in all languages, and is not empty", () => {
  const valuesIn = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
  for (const [language, texts] of Object.entries({ DE, FR })) {
    for (const [name, text] of Object.entries(EN)) {
      const translated = texts[name as TextName];
      assertEquals(valuesIn(translated), valuesIn(text), `${language} ${name}`);
      assertEquals(translated.trim() === "", false, `${language} ${name}`);
    }
  }
});
