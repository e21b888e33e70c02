/** What a person has chosen in this browser. */
import { effect, signal } from "@preact/signals";

/** The choices with their defaults. */
export interface Preferences {
  readonly theme: "auto" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  readonly language: "auto" | "en" | "de" | "fr";
  /** `local`, `UTC`, or the name of a zone. */
  readonly timeZone: string;
  readonly dateFormat: "relative" | "absolute";
  readonly logLevel: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR";
  readonly editorFontSize: number;
}

const KEY = "sluice.preferences";

/** Before anything is chosen. */
export const DEFAULTS: Preferences = {
  theme: "auto",
  density: "comfortable",
  language: "auto",
  timeZone: "local",
  dateFormat: "relative",
  logLevel: "INFO",
  editorFontSize: 14,
};

/** The present choices. */
export const preferences = signal<Preferences>(stored());

/** Changes some of them. */
export function choose(changes: Partial<Preferences>): void {
  preferences.value = { ...preferences.value, ...changes };
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.value));
  } catch {
    // Without storage they last until the page is closed.
  }
}

/** Lets the style sheets know theme and density. */
export function applyPreferences(): void {
  effect(() => {
    const { theme, density } = preferences.value;
    document.documentElement.dataset.theme = theme;
    document.documentElement.dataset.density = density;
  });
}

function stored(): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") };
  } catch {
    return DEFAULTS;
  }
}
