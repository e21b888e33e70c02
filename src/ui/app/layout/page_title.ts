/** Titles of the page in tabs and in the history of browsers. */
import { VIEWS } from "../../views.ts";
import { t } from "../texts/mod.ts";

/** The most special part first: `hello · Flows · Sluice`. */
export function pageTitle([view = "dashboards", ...rest]: readonly string[]): string {
  const known = VIEWS.find((each) => each === view);
  const name = known === "dashboards" ? t("nav.dashboard") : known && t(`nav.${known}`);
  const parts = rest.filter((part) => part !== "edit").toReversed();
  return [...parts, name ?? view, "Sluice"].join(" · ");
}
