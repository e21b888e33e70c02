/** The addresses of servers that commands connect to. */
import { isLoopback } from "../base/network/ip.ts";

/** An address without credentials, query and fragment; `undefined` for another text. */
export function parseServerUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const isAddress = url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" &&
    url.search === "" && url.hash === "";
  return isAddress ? url : undefined;
}

/** The address of the server itself: a person may give that of its API or its pages. */
export function baseUrlOf({ href }: URL): string {
  return href.replace(/(?<!\/)\/+$/, "").replace(/\/(?:api\/v1|ui)(?:\/.*)?$/, "");
}

/** Whether others could read along. */
export function isUnprotected({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && !isLoopback(hostname);
}
