import { assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { Cipher } from "../../../src/base/crypto/cipher.ts";

const KEY = new Uint8Array(32).fill(1);

Deno.test("decrypt() reverses encrypt()", () => {
  const cipher = Cipher.fromKey(KEY);
  for (const text of ["", "secret", "Grüße 🎉", "x".repeat(40_000)]) {
    assertEquals(cipher.decrypt(cipher.encrypt(text, "a"), "a"), text);
  }
});

Deno.test("encrypt() of the same text gives different bytes each time", () => {
  const cipher = Cipher.fromKey(KEY);
  assertNotEquals(cipher.encrypt("text", "a"), cipher.encrypt("text", "a"));
});

Deno.test("decrypt() refuses every changed byte, another context and another key", () => {
  const cipher = Cipher.fromKey(KEY);
  const sealed = cipher.encrypt("secret", "main/a/NAME");
  for (let i = 0; i < sealed.length; i++) {
    const changed = sealed.slice();
    changed[i] = (changed[i] as number) ^ 1;
    assertEquals(cipher.decrypt(changed, "main/a/NAME"), undefined, `byte ${i}`);
  }
  assertEquals(cipher.decrypt(sealed, "main/a/OTHER"), undefined);
  assertEquals(cipher.decrypt(sealed.slice(0, -1), "main/a/NAME"), undefined);
  assertEquals(cipher.decrypt(new Uint8Array(), "main/a/NAME"), undefined);
  const other = Cipher.fromKey(new Uint8Array(32).fill(2));
  assertEquals(other.decrypt(sealed, "main/a/NAME"), undefined);
});

Deno.test("fromKey() refuses a key of another length", () => {
  assertThrows(() => Cipher.fromKey(new Uint8Array(16)), Error, "16 bytes");
});

Deno.test("decrypt() reads the same format written with Web Crypto", async () => {
  const key = await crypto.subtle.importKey("raw", KEY, "AES-GCM", false, ["encrypt"]);
  const iv = new Uint8Array(12).fill(3);
  const additionalData = new TextEncoder().encode("context");
  const text = new TextEncoder().encode("kept since the first version");
  const body = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, key, text);
  const sealed = new Uint8Array([1, ...iv, ...new Uint8Array(body)]);
  assertEquals(Cipher.fromKey(KEY).decrypt(sealed, "context"), "kept since the first version");
});
