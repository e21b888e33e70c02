/** Says that a flow is disabled. */
import { t } from "../../texts/mod.ts";

/** Icon and text. */
export function DisabledBadge() {
  return (
    <span class="state held">
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6.25" />
        <path d="m3.8 3.8 8.4 8.4" />
      </svg>
      {t("flows.disabled")}
    </span>
  );
}
