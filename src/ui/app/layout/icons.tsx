/** Icons of navigation and bars, drawn on 24 × 24. */
import type { ComponentChildren } from "preact";

function icon(content: ComponentChildren) {
  return <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{content}</svg>;
}

/** By the name of the view or action. */
export const ICONS = {
  logo: icon(<path d="M3 7h8m2 0h8M3 12h4m10 0h4M3 17h8m2 0h8M7 12l5-5 5 5-5 5z" />),
  user: icon(<path d="M12 12a4 4 0 1 1 0-8 4 4 0 0 1 0 8zM4.5 20a7.5 7.5 0 0 1 15 0" />),
  menu: icon(<path d="M4 7h16M4 12h16M4 17h16" />),
  search: icon(<path d="M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zm5-2 4 4" />),
  dashboard: icon(<path d="M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z" />),
  executions: icon(<path d="M8 5.5v13l10-6.5z" />),
  flows: icon(<path d="M6 4h4v4H6zM14 16h4v4h-4zM6 16h4v4H6zM8 8v8M8 12h6a2 2 0 0 1 2 2v2" />),
  triggers: icon(<path d="M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 7v5l3 2" />),
  namespaces: icon(<path d="M3 6h6l2 2h10v11H3z" />),
  logs: icon(<path d="M5 4h14v16H5zM8 8h8M8 12h8M8 16h5" />),
  plugins: icon(<path d="M9 4v4H5v5h3a2 2 0 1 1 0 4H5v3h14V8h-5V4z" />),
  blueprints: icon(<path d="M5 4h9l5 5v11H5zM14 4v5h5M8 13h8M8 16h8" />),
  admin: icon(<path d="M12 3l8 3v6c0 4.5-3.4 7.7-8 9-4.6-1.3-8-4.5-8-9V6z" />),
  settings: icon(<path d="M4 7h10m4 0h2M4 17h2m4 0h10M14 5v4M8 15v4M4 12h16" />),
} as const;
