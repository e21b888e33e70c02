/** Files that pages load, in memory: a compiled server has no directory of them. */
import followScript from "./follow.js" with { type: "text" };
import icon from "./icon.svg" with { type: "text" };
import style from "./style.css" with { type: "text" };
import tokens from "./tokens.css" with { type: "text" };

/** A file for browsers. */
export interface Asset {
  readonly contentType: string;
  readonly text: string;
}

/** By file name. */
export const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ["style.css", { contentType: "text/css; charset=utf-8", text: `${tokens}\n${style}` }],
  ["follow.js", { contentType: "text/javascript; charset=utf-8", text: followScript }],
  ["icon.svg", { contentType: "image/svg+xml", text: icon }],
]);
