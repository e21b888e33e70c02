/** The document that loads the UI. Its scripts draw everything else. */
import type { LinkedView, Manifest } from "./bundle.ts";
import { UI_PATH } from "./layout.ts";
import { type HtmlPart, markup } from "./markup.ts";

/** What the first view needs beside the scripts of all views. */
interface AppPageOptions {
  /** Its scripts are loaded together with those of all views. */
  readonly view?: LinkedView;
  /** Address of data that the view requests first: it is loaded together with the scripts. */
  readonly data?: string;
}

/**
 * The document. The scripts of the view come before its data: while a server makes the text of a large execution, it sends
 * nothing else.
 */
export function appPage(
  { script, style, preloads, views }: Manifest,
  { view, data }: AppPageOptions = {},
): string {
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sluice</title>
<link rel="icon" href="${UI_PATH}/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${UI_PATH}/assets/${style}">
<script type="module" src="${UI_PATH}/assets/${script}"></script>
${view && modulePreloads(views[view])}${
    data !== undefined && markup`<link rel="preload" as="fetch" crossorigin href="${data}">\n`
  }${modulePreloads(preloads)}</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript. The API of this server works without it.</noscript>
</body>
</html>
`.text;
}

function modulePreloads(names: readonly string[]): HtmlPart {
  return names.map((name) => markup`<link rel="modulepreload" href="${UI_PATH}/assets/${name}">\n`);
}
