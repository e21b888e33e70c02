/** The document that loads the UI. Its scripts draw everything else. */
import { type Language, LANGUAGES, type LinkedView, type Manifest } from "./bundle.ts";
import { UI_PATH } from "./layout.ts";
import { type HtmlPart, markup } from "./markup.ts";

/** What the first view needs beside the scripts of all views. */
interface AppPageOptions {
  /** Its scripts are loaded together with those of all views. */
  readonly view?: LinkedView;
  /** Address of data that the view requests first: it is loaded together with the scripts. */
  readonly data?: string;
  /** Its texts are loaded together with the scripts. */
  readonly language?: Language;
}

/** The first language of a header `accept-language` that the UI has; it shows English if it has none. */
export function languageOf(accepted: string): Language {
  const wanted = accepted.split(",").map((each) => each.trim().slice(0, 2));
  return wanted.map((each) => LANGUAGES.find((language) => language === each)).find(Boolean) ?? "en";
}

/**
 * The document. The scripts of the view come before its data: while a server makes the text of a large execution, it sends
 * nothing else.
 */
export function appPage(
  { script, style, preloads, texts, views }: Manifest,
  { view, data, language = "en" }: AppPageOptions = {},
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
  }${modulePreloads([...preloads, texts[language]])}</head>
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
