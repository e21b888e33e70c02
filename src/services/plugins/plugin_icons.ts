/** Icons of types, one per group: strokes of one colour on 24 by 24. */

/** Path data by group; a subgroup without an icon uses that of its parent. */
const PATHS: ReadonlyMap<string, string> = new Map([
  ["core", "M4 7l8-4 8 4v10l-8 4-8-4zM4 7l8 4 8-4M12 11v10"],
  ["core.condition", "M12 3l9 9-9 9-9-9zM12 8v5M12 16v.5"],
  ["core.debug", "M8 9a4 4 0 0 1 8 0v6a4 4 0 0 1-8 0zM8 12H3M21 12h-5M6 5l2 2M18 5l-2 2M6 20l2-2M18 20l-2-2"],
  ["core.execution", "M7 4l12 8-12 8z"],
  ["core.flow", "M5 3v12M5 15a3 3 0 1 0 .1 0M19 3a3 3 0 1 0 .1 0M19 9c0 5-6 5-11 8"],
  ["core.http", "M12 3a9 9 0 1 0 .1 0M3 12h18M12 3c-5 5-5 13 0 18M12 3c5 5 5 13 0 18"],
  ["core.kv", "M8 8a4 4 0 1 0 .1 0M12 12h9M17 12v4M21 12v3"],
  ["core.log", "M5 3h14v18H5zM8 8h8M8 12h8M8 16h5"],
  ["core.namespace", "M3 6h6l2 2h10v11H3z"],
  ["core.output", "M4 4h9v6M4 4v16h9v-6M9 12h12M17 8l4 4-4 4"],
  ["core.state", "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0"],
  ["core.storage", "M3 4h18v7H3zM3 13h18v7H3zM6 7.5h2M6 16.5h2"],
  ["core.templating", "M9 4c-5 0-1 8-6 8 5 0 1 8 6 8M15 4c5 0 1 8 6 8-5 0-1 8-6 8"],
  ["core.trigger", "M13 2L5 14h6l-1 8 9-13h-6z"],
  ["scripts", "M3 4h18v16H3zM7 9l3 3-3 3M12 16h5"],
]);

const FALLBACK = "core";

/** The icon of a group such as `core.log`, or of its nearest parent. */
export function iconSvg(group: string): string {
  const parts = group.split(".");
  while (parts.length > 0 && !PATHS.has(parts.join("."))) parts.pop();
  const path = PATHS.get(parts.join(".")) ?? PATHS.get(FALLBACK) ?? "";
  return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" ' +
    `stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"><path d="${path}"/></svg>`;
}

/** The icon as base64. */
export function iconBase64(group: string): string {
  return btoa(iconSvg(group));
}
