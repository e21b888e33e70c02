/** The private keys that connections of SSH read. */
import { assertThrows } from "@std/assert";
import { readableKey } from "../../src/integrations/fs/private_key.ts";

/** An OpenSSH key whose passphrase needs that many rounds; nothing follows them. */
function keyWithRounds(rounds: number): string {
  const text = (value: string) => [0, 0, 0, value.length, ...new TextEncoder().encode(value)];
  const options = [
    ...text("0123456789abcdef"),
    ...new Uint8Array(new Uint32Array([rounds]).buffer).reverse(),
  ];
  const begin = new TextEncoder().encode("openssh-key-v1\0");
  const bytes = [...begin, ...text("aes256-ctr"), ...text("bcrypt"), 0, 0, 0, options.length, ...options];
  const body = new Uint8Array(bytes).toBase64();
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

Deno.test("readableKey() refuses a key whose passphrase would occupy the server for long", () => {
  readableKey({ privateKey: keyWithRounds(100), passphrase: "x" });
  const expected = "Cannot parse privateKey: it has 4000000 rounds of bcrypt, at most 100 are read";
  assertThrows(() => readableKey({ privateKey: keyWithRounds(4_000_000), passphrase: "x" }), Error, expected);
});
