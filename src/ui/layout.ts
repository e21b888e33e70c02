/** The layout of every page. */
import type { ServerProblem } from "../model/server_health.ts";
import { type Html, type HtmlPart, markup } from "./markup.ts";
import { dateTimeTag } from "./time_text.ts";

interface Page {
  readonly title: string;
  /** Beside the product's name in the top bar. */
  readonly context?: HtmlPart;
  readonly content: HtmlPart;
  /** Further elements of the head. */
  readonly head?: HtmlPart;
  /** Shown above the content. */
  readonly problem?: ServerProblem;
  /** The browser has a session, which it can end. */
  readonly canLogOut?: boolean;
}

/** Path of pages and assets. */
export const UI_PATH = "/ui";

const LOGO = markup`<svg viewBox="0 0 24 24" aria-hidden="true">
    <path d="M3 7h8m2 0h8M3 12h4m10 0h4M3 17h8m2 0h8"/>
    <path d="M7 12l5-5 5 5-5 5z"/>
  </svg>`;

const LOG_OUT =
  markup`<form method="post" action="${UI_PATH}/logout"><button class="plain">Log out</button></form>`;

/** The document. It works without scripts, and loads only from this server. */
export function pageText({ title, context, content, head, problem, canLogOut }: Page): string {
  const place = context !== undefined && markup`<span class="context">${context}</span>`;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Sluice</title>
<link rel="icon" href="${UI_PATH}/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${UI_PATH}/assets/style.css">
${head}
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar"><a class="brand" href="${UI_PATH}/">${LOGO}Sluice</a>${place}
<span id="live" class="live" role="status"></span>${canLogOut && LOG_OUT}</header>
${problem && banner(problem)}
${content}
</body>
</html>
`.text;
}

function banner({ reason, since, stopsReads }: ServerProblem): Html {
  const effect = stopsReads ? "The server cannot read its data" : "The server takes no changes";
  const rest = stopsReads
    ? "It tries again by itself."
    : "What is stored can be read. It tries again by itself.";
  return markup`<div class="notice bad banner" role="alert"><strong>${effect}: ${reason}</strong>
since ${dateTimeTag(since)}. ${rest}</div>`;
}

/** The page for an unknown execution. */
export function notFoundPage(what: string): string {
  return pageText({
    title: "Not found",
    content: markup`<main id="main" class="message">
        <p class="code">404</p>
        <h1>There is nothing here</h1>
        <p>${what}</p>
        <p><a class="button" href="${UI_PATH}/">To the latest executions</a></p>
      </main>`,
  });
}

/** A section with a title; `aside` is shown at its right. */
export function section(title: string, content: HtmlPart, aside?: HtmlPart): Html {
  return markup`<section class="card"><div class="head"><h2>${title}</h2>${
    aside !== undefined && markup`<span class="aside">${aside}</span>`
  }</div>
${content}</section>`;
}
