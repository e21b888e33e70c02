import { assert, assertEquals, assertThrows } from "@std/assert";
import { decryptGcm, encryptGcm, isGcmKeyLength } from "../../../src/expr/functions/aes_gcm.ts";

const hex = (text: string) => Uint8Array.fromHex(text);

/** Test cases 2, 4 without further data, 7, 8, 9 and 14 of "The Galois/Counter Mode of Operation" (McGrew, Viega). */
const VECTORS = [
  {
    key: "00".repeat(16),
    nonce: "00".repeat(12),
    plain: "00".repeat(16),
    sealed: "0388dace60b6a392f328c2b971b2fe78ab6e47d42cec13bdf53a67b21257bddf",
  },
  { key: "00".repeat(24), nonce: "00".repeat(12), plain: "", sealed: "cd33b28ac773f74ba00ed1f312572435" },
  {
    key: "00".repeat(24),
    nonce: "00".repeat(12),
    plain: "00".repeat(16),
    sealed: "98e7247c07f0fe411c267e4384b0f6002ff58d80033927ab8ef4d4587514f0fb",
  },
  {
    key: "feffe9928665731c6d6a8f9467308308feffe9928665731c",
    nonce: "cafebabefacedbaddecaf888",
    plain:
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255",
    sealed:
      "3980ca0b3c00e841eb06fac4872a2757859e1ceaa6efd984628593b40ca1e19c7d773d00c144c525ac619d18c84a3f4718e2448b2fe324d9ccda2710acade2569924a7c8587336bfb118024db8674a14",
  },
  {
    key: "00".repeat(32),
    nonce: "00".repeat(12),
    plain: "00".repeat(16),
    sealed: "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919",
  },
];

for (const { key, nonce, plain, sealed } of VECTORS) {
  Deno.test(`encryptGcm() gives the published bytes: key of ${key.length / 2}, ${plain.length / 2} bytes`, () => {
    const given = { key: hex(key), nonce: hex(nonce) };
    assertEquals(encryptGcm(given, hex(plain)).toHex(), sealed);
    assertEquals(decryptGcm(given, hex(sealed))?.toHex(), plain);
  });
}

for (const length of [16, 24, 32]) {
  Deno.test(`decryptGcm() refuses changed bytes and other keys: key of ${length}`, () => {
    assert(isGcmKeyLength(length));
    const given = { key: new Uint8Array(length).fill(7), nonce: new Uint8Array(12).fill(1) };
    const plain = new TextEncoder().encode("twenty bytes or more of text");
    const sealed = encryptGcm(given, plain);
    for (const at of [0, sealed.length - 1]) {
      const changed = sealed.map((byte, index) => index === at ? byte ^ 1 : byte);
      assertEquals(decryptGcm(given, changed), undefined);
    }
    assertEquals(decryptGcm({ ...given, key: new Uint8Array(length).fill(8) }, sealed), undefined);
    assertEquals(decryptGcm(given, sealed.subarray(0, 8)), undefined);
    assertEquals(decryptGcm(given, sealed), plain);
  });
}

Deno.test("encryptGcm() refuses a key of another length", () => {
  assert(!isGcmKeyLength(17));
  assertThrows(() => encryptGcm({ key: new Uint8Array(17), nonce: new Uint8Array(12) }, new Uint8Array(1)));
});
