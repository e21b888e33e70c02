/** Values as indented JSON, truncated for the page. */
import { type JsonValue, stringifyJson } from "../base/json.ts";
import { type Html, markup } from "./markup.ts";

/** Most characters of one value on a page. */
export const MAX_SHOWN_CHARS = 20_000;

/** Indented JSON. */
export function jsonView(value: JsonValue): Html {
  const text = stringifyJson(value, 2);
  const isCut = text.length > MAX_SHOWN_CHARS;
  return markup`<pre class="json" tabindex="0">${text.slice(0, MAX_SHOWN_CHARS)}</pre>${
    isCut &&
    markup`<p class="note">Cut: the whole value has ${text.length} characters; the API has all of it.</p>`
  }`;
}

/** A collapsible value; `key` keeps it open while the page is updated. */
export function foldedJson(
  title: string,
  value: JsonValue,
  { key, isOpen }: { key: string; isOpen: boolean },
): Html {
  return markup`<details class="fold" id="${key}"${isOpen && markup` open`}><summary>${title}</summary>${
    jsonView(value)
  }</details>`;
}
