/** The layout of the pages that the server draws itself: log-in, set-up, and what a server without a build shows. */
import type { Language } from "./bundle.ts";
import { LOGIN_TEXTS } from "./login_texts.ts";
import { type HtmlPart, markup } from "./markup.ts";

interface Page {
  readonly title: string;
  readonly content: HtmlPart;
  readonly language?: Language;
}

/** Path of pages and assets. */
export const UI_PATH = "/ui";

const LOGO = markup`<svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 7h8m2 0h8M3 12h4m10 0h4M3 17h8m2 0h8"/>
    <path d="M7 12l5-5 5 5-5 5z"/>
  </svg>`;

/** The document. It works without scripts, and loads only from this server. */
export function pageText({ title, content, language = "en" }: Page): string {
  return markup`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Sluice</title>
<link rel="icon" href="${UI_PATH}/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${UI_PATH}/assets/style.css">
</head>
<body>
<a class="skip" href="#main">${LOGIN_TEXTS[language].skip}</a>
<header class="bar"><a class="brand" href="${UI_PATH}/">${LOGO}Sluice</a></header>
<main id="main">
<h1>${title}</h1>
${content}
</main>
</body>
</html>
`.text;
}

/** The page of a server without a build of the UI. */
export function notBuiltPage(): string {
  return pageText({
    title: "The UI was not built",
    content:
      markup`<p>The server and its API work. To build the UI, run <code>deno task ui</code> in the folder of the
sources, then start the server again.</p>`,
  });
}

/** The page for an address that names nothing. */
export function notFoundPage(what: string): string {
  return pageText({
    title: "Not found",
    content: markup`<p>${what}</p>
<p><a href="${UI_PATH}/">To the dashboard</a></p>`,
  });
}
