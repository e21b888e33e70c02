/** The private keys that connections of SSH read. */
import { assertEquals, assertThrows } from "@std/assert";
import ssh2 from "ssh2";
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

/** What signs and verifies, or the error of one that does not parse. */
function parsed({ privateKey, passphrase }: ReturnType<typeof readableKey>) {
  const { parseKey } = (ssh2 as unknown as {
    readonly utils: {
      parseKey(key?: string, passphrase?: string): {
        sign(data: Uint8Array): Uint8Array | Error;
        verify(data: Uint8Array, signature: Uint8Array | Error): boolean | Error;
      };
    };
  }).utils;
  return parseKey(privateKey, passphrase);
}

/** `zero`: the first bit of the number is set, so a zero goes before it; `short`: its first byte is zero, and absent. */
const ECDSA_KEYS = ["zero_256", "short_256", "zero_384", "short_384", "zero_256_encrypted"];

Deno.test("readableKey() makes ECDSA keys sign whose number has more or fewer bytes than the curve", async () => {
  const data = new TextEncoder().encode("signed");
  for (const name of ECDSA_KEYS) {
    const privateKey = await Deno.readTextFile(`tests/fixtures/ssh_keys/ecdsa_${name}`);
    const passphrase = name.endsWith("encrypted") ? "open sesame" : undefined;
    const signature = parsed(readableKey({ privateKey, passphrase })).sign(data);
    // The public half of the key as it was.
    assertEquals([name, parsed({ privateKey, passphrase }).verify(data, signature)], [name, true]);
  }
});

Deno.test("readableKey() leaves an encrypted ECDSA key without its passphrase to the package", async () => {
  const privateKey = await Deno.readTextFile("tests/fixtures/ssh_keys/ecdsa_zero_256_encrypted");
  for (const passphrase of [undefined, "wrong"]) {
    assertEquals(readableKey({ privateKey, passphrase }), { privateKey, passphrase });
  }
});

Deno.test("readableKey() says how to convert a PEM key that the package cannot read", async () => {
  const privateKey = await Deno.readTextFile("tests/fixtures/ssh_keys/ecdsa_521_pem");
  const expected = "an ECDSA key of 521 bits is read only in OpenSSH form";
  assertThrows(() => readableKey({ privateKey }), Error, expected);
});

Deno.test("readableKey() refuses a key whose passphrase would occupy the server for long", () => {
  readableKey({ privateKey: keyWithRounds(100), passphrase: "x" });
  const expected = "Cannot parse privateKey: it has 4000000 rounds of bcrypt, at most 100 are read";
  assertThrows(() => readableKey({ privateKey: keyWithRounds(4_000_000), passphrase: "x" }), Error, expected);
});
