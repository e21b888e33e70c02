/** Starts the UI in the browser. */
import { render } from "preact";
import { App, preloadView } from "./app.tsx";
import { applyPreferences } from "./core/preferences.ts";
import { startRouter } from "./core/router.ts";
import { startClock } from "./core/time.ts";
import { startTexts } from "./texts/mod.ts";

const root = document.getElementById("app");
if (root) {
  applyPreferences();
  startRouter();
  preloadView();
  startClock();
  try {
    await startTexts();
    root.replaceChildren();
    render(<App />, root);
  } catch (error) {
    reportError(error);
    root.textContent = "The texts of this page could not be loaded. Load the page again.";
  }
}
