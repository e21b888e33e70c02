/** Keys whose passphrase would occupy the server for long are refused wherever a property gives a key. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { generateKeyPairSync } from "node:crypto";
import { readableKey } from "../../src/integrations/fs/private_key.ts";
import { readDatabaseUrl } from "../../src/integrations/jdbc/database_url.ts";
import { tlsWays } from "../../src/integrations/jdbc/postgresql/tls.ts";
import { credentialOf } from "../../src/integrations/jdbc/snowflake/token.ts";
import { ClientProperties, securityOf } from "../../src/integrations/kafka/connection.ts";
import { affordableKey, inTurn } from "../../src/integrations/key_derivation.ts";
import { settle } from "../support/fakes/fake_clock.ts";

const [INTEGER, OCTETS, NAME, SEQUENCE] = [0x02, 0x04, 0x06, 0x30];

function der(tag: number, ...content: readonly number[][]): number[] {
  const bytes = content.flat();
  // Also where one byte would do: the longer form is read as well.
  return [tag, 0x82, bytes.length >> 8, bytes.length & 255, ...bytes];
}

const int = (value: number) => der(INTEGER, [value >> 24, value >> 16 & 255, value >> 8 & 255, value & 255]);

/** An encrypted PKCS #8 key of these costs; its content is no key. */
function keyOf(...costs: readonly number[]): string {
  const parameters = der(SEQUENCE, der(OCTETS, Array(8).fill(1)), ...costs.map(int));
  const derivation = der(SEQUENCE, der(NAME, [42]), parameters);
  const algorithm = der(SEQUENCE, der(NAME, [42]), der(SEQUENCE, derivation));
  const bytes = new Uint8Array(der(SEQUENCE, algorithm, der(OCTETS, Array(32).fill(7))));
  return `-----BEGIN ENCRYPTED PRIVATE KEY-----\n${bytes.toBase64()}\n-----END ENCRYPTED PRIVATE KEY-----\n`;
}

const EXPENSIVE = keyOf(20_000_000);
const REFUSAL = "its passphrase needs 20000000 steps, at most 2000000 are allowed";
const URL = readDatabaseUrl("jdbc:postgresql://db/shop", { kinds: ["postgresql"], port: 5432 });
const READERS: readonly (readonly [name: string, read: () => unknown])[] = [
  ["privateKey of SSH", () => readableKey({ privateKey: EXPENSIVE, passphrase: "x" })],
  ["sslKey of PostgreSQL", () => tlsWays({ sslKey: EXPENSIVE, sslKeyPassword: "x" }, URL)],
  [
    "ssl.keystore.key of Kafka",
    () =>
      securityOf(
        new ClientProperties({ properties: { "security.protocol": "SSL", "ssl.keystore.key": EXPENSIVE } }),
      ),
  ],
  [
    "privateKey of Snowflake",
    () =>
      credentialOf({ privateKey: EXPENSIVE, privateKeyPassword: "x" }, {
        url: URL,
        username: "app",
        password: "",
      }),
  ],
];
for (const [name, read] of READERS) {
  Deno.test(`${name} is refused if its passphrase would occupy the server for long`, () => {
    assertThrows(read, Error, REFUSAL);
  });
}

const KEYS: readonly (readonly [name: string, costs: readonly number[], isRefused: boolean])[] = [
  ["2,000,000 iterations of PBKDF2", [2_000_000], false],
  ["2,000,001 iterations of PBKDF2", [2_000_001], true],
  ["iterations and the length of the key", [600_000, 32], false],
  ["usual costs of scrypt", [16_384, 8, 1], false],
  ["scrypt with much memory", [1_048_576, 8, 1], true],
  ["scrypt with many repetitions", [16_384, 8, 255, 32], true],
];
for (const [name, costs, isRefused] of KEYS) {
  Deno.test(`affordableKey() ${isRefused ? "refuses" : "returns"} a key with ${name}`, () => {
    const key = keyOf(...costs);
    if (isRefused) assertThrows(() => affordableKey(key, "key"), Error, "Cannot parse key: its passphrase");
    else assertEquals(affordableKey(key, "key"), key);
  });
}

Deno.test("affordableKey() returns keys that the platform encrypts, and what is no key", () => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const encrypted = privateKey.export({
    type: "pkcs8",
    format: "pem",
    cipher: "aes-256-cbc",
    passphrase: "x",
  }).toString();
  for (const key of [encrypted, "", "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB!\n-----END", undefined]) {
    assertEquals(affordableKey(key, "key"), key);
  }
});

Deno.test("inTurn() derives one key at a time, for owners in turn, also after one that fails", async () => {
  const { signal } = new AbortController();
  const begun: string[] = [];
  const first = Promise.withResolvers<void>(), second = Promise.withResolvers<void>();
  const keys = [
    inTurn("a", signal, () => first.promise),
    inTurn("a", signal, () => {
      begun.push("a");
      return Promise.resolve();
    }),
    inTurn("b", signal, () => {
      begun.push("b");
      return second.promise;
    }),
  ];
  await settle();
  assertEquals(begun, []);
  first.reject(new Error("failed"));
  await assertRejects(() => keys[0] as Promise<void>, Error, "failed");
  await settle();
  second.resolve();
  await Promise.all(keys.slice(1));
  assertEquals(begun, ["a", "b"]);
});

Deno.test("inTurn() derives no key for who must stop", async () => {
  const { signal } = new AbortController();
  const first = Promise.withResolvers<void>();
  const held = inTurn("a", signal, () => first.promise);
  const controller = new AbortController();
  const waiting = inTurn("b", controller.signal, () => Promise.reject(new Error("derived")));
  controller.abort(new Error("stopped"));
  await assertRejects(() => waiting, Error, "stopped");
  first.resolve();
  await held;
});
