/** Hashes of the catalog: they are stored, so they never change. */
import type { Label } from "../../model/flows/label.ts";

/** 32 bits of a text, never 0. FNV-1a over UTF-16 units, then the finaliser of MurmurHash3, which spreads short texts. */
export function hashText(text: string, seed = 0): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return (hash ^ hash >>> 16) >>> 0 || 1;
}

/** 32 bits of a label, never 0. */
export function hashLabel(label: Label): number {
  return hashText(`${label.key}\u0000${label.value}`);
}

/** Adds a hash to the Bloom filter of 128 bits at `at`: 4 bits each, so 8 labels let 0.2 % of others through, 20 let 5 %. */
export function setBloomBits(hash: number, words: Uint32Array, at: number): void {
  for (let probe = 0; probe < 4; probe++) {
    const bit = hash >>> probe * 7 & 127;
    words[at + (bit >>> 5)] = (words[at + (bit >>> 5)] as number) | 1 << (bit & 31);
  }
}
