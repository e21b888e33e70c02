/** Choices of a person, for tests without a browser. */
import { type Preferences, preferences } from "../../../src/ui/app/core/preferences.ts";

/** Runs `run` with those choices; they are not stored. */
export function withPreferences(changes: Partial<Preferences>, run: () => void): void {
  const before = preferences.value;
  preferences.value = { ...before, ...changes };
  try {
    run();
  } finally {
    preferences.value = before;
  }
}
