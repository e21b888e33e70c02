/** What a person has chosen in this browser. */
import { effect, type Signal } from "@preact/signals";
import { kept } from "./kept.ts";

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

const { value, change } = kept<Preferences>(
  "sluice.preferences",
  (stored) => ({ ...DEFAULTS, ...stored as Partial<Preferences> | undefined }),
);

/** The present choices. */
export const preferences: Signal<Preferences> = value;

/** Changes some of them. */
export function choose(changes: Partial<Preferences>): void {
  change((present) => ({ ...present, ...changes }));
}

/** Lets the style sheets know theme and density. */
export function applyPreferences(): void {
  effect(() => {
    const { theme, density } = preferences.value;
    document.documentElement.dataset.theme = theme;
    document.documentElement.dataset.density = density;
  });
}
