/** Bytes ↔ base64, standard alphabet. */
import { fail } from "./errors.ts";

/** Bytes per call, far below the limit of arguments. */
const BLOCK = 0x8000;

/** Base64 with padding. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += BLOCK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + BLOCK));
  }
  return btoa(binary);
}

/** The bytes of a base64 text, padded or not. @throws ExpressionError `argument` */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.replace(/(?<!=)=+$/, "").length % 4 === 1) {
    return fail("argument", "Cannot decode the text: it is not base64");
  }
  return Uint8Array.from(atob(text.replace(/(?<!=)=+$/, "")), (character) => character.charCodeAt(0));
}
