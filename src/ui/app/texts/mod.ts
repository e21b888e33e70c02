/** Texts of the UI in the chosen language. */
import { computed, effect } from "@preact/signals";
import { preferences } from "../core/preferences.ts";
import { DE } from "./de.ts";
import { EN, type TextName, type Texts } from "./en.ts";
import { FR } from "./fr.ts";

/** By code of the language. */
const LANGUAGES: Readonly<Record<"en" | "de" | "fr", Texts>> = { en: EN, de: DE, fr: FR };

export type { TextName } from "./en.ts";

/** The language in use. */
export const language = computed<keyof typeof LANGUAGES>(() => {
  const chosen = preferences.value.language;
  if (chosen !== "auto") return chosen;
  const wanted = navigator.languages.map((each) => each.slice(0, 2));
  return (wanted.find((each) => each in LANGUAGES) ?? "en") as keyof typeof LANGUAGES;
});

/** A text; `{name}` in it is replaced by the value of that name. */
export function t(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
  const text = LANGUAGES[language.value][name];
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole));
}

/** Lets browsers and screen readers know the language of the page. */
export function applyLanguage(): void {
  effect(() => {
    document.documentElement.lang = language.value;
  });
}
