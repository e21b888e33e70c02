/** Files that pages load, in memory: a compiled server has no directory of them. */
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
  ["icon.svg", { contentType: "image/svg+xml", text: icon }],
]);
