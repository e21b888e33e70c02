import { assertEquals, assertNotEquals, assertRejects } from "@std/assert";
import { Cipher } from "../../src/base/cipher.ts";

const KEY = new Uint8Array(32).fill(1);

Deno.test("decrypt() gives back what encrypt() was given", async () => {
  const cipher = await Cipher.fromKey(KEY);
  for (const text of ["", "secret", "Grüße 🎉", "x".repeat(40_000)]) {
    assertEquals(await cipher.decrypt(await cipher.encrypt(text, "a"), "a"), text);
  }
});

Deno.test("encrypt() of the same text never gives the same bytes", async () => {
  const cipher = await Cipher.fromKey(KEY);
  assertNotEquals(await cipher.encrypt("text", "a"), await cipher.encrypt("text", "a"));
});

Deno.test("decrypt() refuses every changed byte, another context and another key", async () => {
  const cipher = await Cipher.fromKey(KEY);
  const sealed = await cipher.encrypt("secret", "main/a/NAME");
  for (let i = 0; i < sealed.length; i++) {
    const changed = sealed.slice();
    changed[i] = (changed[i] as number) ^ 1;
    assertEquals(await cipher.decrypt(changed, "main/a/NAME"), undefined, `byte ${i}`);
  }
  assertEquals(await cipher.decrypt(sealed, "main/a/OTHER"), undefined);
  assertEquals(await cipher.decrypt(sealed.slice(0, -1), "main/a/NAME"), undefined);
  assertEquals(await cipher.decrypt(new Uint8Array(), "main/a/NAME"), undefined);
  const other = await Cipher.fromKey(new Uint8Array(32).fill(2));
  assertEquals(await other.decrypt(sealed, "main/a/NAME"), undefined);
});

Deno.test("fromKey() refuses a key of another length", async () => {
  await assertRejects(() => Cipher.fromKey(new Uint8Array(16)), Error, "16 bytes");
});
