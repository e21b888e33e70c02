/** Messages that are not HTTP, or hardly: request lines, header lines and framings that no client writes. */
import { joinBytes } from "../../../src/base/bytes.ts";
import type { Chance } from "../../crash/chance.ts";
import { type FuzzRequest, messageOf } from "./message.ts";

type Break = (message: string, chance: Chance) => string;

const HEAD_END = "\r\n\r\n";

/** Each takes the message as Latin-1 text. */
const BREAKS: readonly Break[] = [
  (message, chance) => message.slice(0, Math.floor(chance.next() * message.length)),
  (message) => message.replace("HTTP/1.1", "HTTP/1.0"),
  (message) => message.replace("HTTP/1.1", "HTTP/9.9"),
  (message) => message.replace(" HTTP/1.1", ""),
  (message) => message.replaceAll("\r\n", "\n"),
  (message) => message.replace("\r\n", "\r\n continued: 1\r\n"),
  (message) => message.replace(HEAD_END, `\r\n: empty name${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\nbad name: 1${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\nx: a\u0000b\u0001${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\nx: \u00ff\u00fe${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\nno colon${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\n${"x: 1\r\n".repeat(300)}x: 2${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\nx: ${"y".repeat(300_000)}${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\ncontent-length: 5${HEAD_END}hello`),
  (message) => message.replace(HEAD_END, `\r\ncontent-length: -1${HEAD_END}`),
  (message) => message.replace(HEAD_END, `\r\ncontent-length: 99999999999999999999${HEAD_END}`),
  (message) =>
    message.replace(HEAD_END, `\r\ncontent-length: 3\r\ntransfer-encoding: chunked${HEAD_END}0\r\n\r\n`),
  (message) => message.replace(HEAD_END, `\r\ntransfer-encoding: chunked${HEAD_END}zz\r\nhello\r\n0\r\n\r\n`),
  (message) =>
    message.replace(HEAD_END, `\r\ntransfer-encoding: chunked${HEAD_END}ffffffffffffffff\r\nhello`),
  (message) => message.replace(HEAD_END, `\r\ntransfer-encoding: gzip, chunked${HEAD_END}0\r\n\r\n`),
  (message) => message.replace(/^\S+/, "G\u00c9T"),
  (message) => message.replace(/^\S+ \S+/, "OPTIONS *"),
  (message) => message.replace(/^\S+ \S+/, "CONNECT 127.0.0.1:1"),
  (message) => message.replace(/^(\S+) \S+/, "$1 no-slash"),
  (message) => message.replace(/^(\S+) \S+/, "$1 http://[::1"),
  (message) => message.replace(/^(\S+) (\S+)/, "$1  $2"),
  (message) => message.replace(/^(\S+) \S+/, `$1 /${"a".repeat(200_000)}`),
  (message) => message.replace(/host: [^\r]*\r\n/, ""),
  (message) => message.replace(/host: [^\r]*/, "host: a b"),
  (message) => message.replace(/host: [^\r]*/, "host: [::1"),
  (message) => message.replace(/host: [^\r]*/, "host: 127.0.0.1:99999"),
  (message) => message.replace(/(host: [^\r]*)/, "$1\r\nhost: other.example"),
  (message) => message + message,
  (message) => `\r\n\r\n${message}`,
  () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  () => "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003",
  () => "",
  (message, chance) => replaceBytes(message, chance),
];

/** A request whose message is broken in one way; the connection ends with it. */
export function brokenRequest(request: FuzzRequest, chance: Chance): FuzzRequest {
  const message = latin1Of(messageOf(request));
  const broken = (chance.pick(BREAKS) ?? String)(message, chance);
  return { ...request, raw: joinBytes([Uint8Array.from(broken, (sign) => sign.charCodeAt(0))]) };
}

function replaceBytes(message: string, chance: Chance): string {
  const signs = [...message];
  for (let count = 0; count < 4; count++) {
    signs[Math.floor(chance.next() * Math.min(signs.length, 300))] = String.fromCharCode(
      Math.floor(chance.next() * 256),
    );
  }
  return signs.join("");
}

function latin1Of(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8_192) {
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  }
  return text;
}
