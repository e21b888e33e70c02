/** Texts of the UI in the chosen language. */
import { computed, effect, signal } from "@preact/signals";
import { preferences } from "../core/preferences.ts";
import type { TextName, Texts } from "./en.ts";

/** By code of the language; a browser loads only the one that it shows. */
const LANGUAGES: Readonly<Record<"en" | "de" | "fr", () => Promise<Texts>>> = {
  en: () => import("./en.ts").then(({ EN }) => EN),
  de: () => import("./de.ts").then(({ DE }) => DE),
  fr: () => import("./fr.ts").then(({ FR }) => FR),
};

const texts = signal<Texts | undefined>(undefined);

export type { TextName } from "./en.ts";

/** The language in use. */
export const language = computed<keyof typeof LANGUAGES>(() => {
  const chosen = preferences.value.language;
  if (chosen !== "auto") return chosen;
  const wanted = navigator.languages.map((each) => each.slice(0, 2));
  return (wanted.find((each) => each in LANGUAGES) ?? "en") as keyof typeof LANGUAGES;
});

/** A text; `{name}` in it is replaced by the value of that name. Before the texts are there: its name. */
export function t(name: TextName, values: Readonly<Record<string, string | number>> = {}): string {
  const text = texts.value?.[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => String(values[key] ?? whole));
}

/**
 * Shows the chosen language from now on, and lets browsers and screen readers know it. Resolves when its texts are there;
 * rejects if they cannot be loaded.
 */
export function startTexts(): Promise<void> {
  return new Promise((resolve, reject) => {
    effect(() => {
      const wanted = language.value;
      const show = (loaded: Texts) => {
        if (wanted !== language.peek()) return;
        texts.value = loaded;
        document.documentElement.lang = wanted;
      };
      LANGUAGES[wanted]().then(show).then(resolve, reject);
    });
  });
}
