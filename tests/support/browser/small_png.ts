/** Makes pictures of screens small: 256 colours, and the best compression. */
import { crc32, deflateSync, inflateSync } from "node:zlib";

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
const MAX_COLOURS = 256;
const PALETTE_TYPE = 3;

interface Picture {
  readonly width: number;
  readonly height: number;
  /** Three bytes a pixel. */
  readonly rgb: Uint8Array;
}

/** The same picture with at most 256 colours: the most frequent ones, which stand for similar ones. */
export function smallPng(bytes: Uint8Array): Uint8Array {
  const { width, height, rgb } = decode(bytes);
  const counts = new Map<number, number>();
  for (let at = 0; at < rgb.length; at += 3) {
    const colour = colourAt(rgb, at);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const palette = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_COLOURS).map(([colour]) => colour);
  const indexes = new Map([...counts.keys()].map((colour) => [colour, nearest(palette, colour)]));
  const rows = new Uint8Array(height * (width + 1));
  for (let pixel = 0; pixel < width * height; pixel++) {
    const row = Math.floor(pixel / width);
    rows[row + 1 + pixel] = indexes.get(colourAt(rgb, pixel * 3)) ?? 0;
  }
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header.set([8, PALETTE_TYPE, 0, 0, 0], 8);
  const colours = Uint8Array.from(
    palette.flatMap((colour) => [colour >> 16, colour >> 8 & 255, colour & 255]),
  );
  const data = new Uint8Array(deflateSync(rows, { level: 9, memLevel: 9 }));
  const end = chunk("IEND", new Uint8Array());
  return joined([SIGNATURE, chunk("IHDR", header), chunk("PLTE", colours), chunk("IDAT", data), end]);
}

function colourAt(rgb: Uint8Array, at: number): number {
  return (rgb[at] ?? 0) << 16 | (rgb[at + 1] ?? 0) << 8 | (rgb[at + 2] ?? 0);
}

function nearest(palette: readonly number[], colour: number): number {
  let best = 0;
  let least = Infinity;
  palette.forEach((other, index) => {
    const parts = [16, 8, 0].map((shift) => (other >> shift & 255) - (colour >> shift & 255));
    const distance = parts.reduce((sum, part) => sum + part * part, 0);
    if (distance < least) [best, least] = [index, distance];
  });
  return best;
}

/** Reads 8 bits a channel, with or without an alpha channel, which is dropped. */
function decode(bytes: Uint8Array): Picture {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const data: Uint8Array[] = [];
  for (let at = SIGNATURE.length; at < bytes.length;) {
    const length = view.getUint32(at);
    const name = new TextDecoder().decode(bytes.subarray(at + 4, at + 8));
    if (name === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + length));
    at += length + 12;
  }
  const width = view.getUint32(16);
  const height = view.getUint32(20);
  const channels = view.getUint8(25) === 6 ? 4 : 3;
  const lines = unfiltered(new Uint8Array(inflateSync(joined(data))), width * channels, channels);
  const rgb = new Uint8Array(width * height * 3);
  for (let pixel = 0; pixel < width * height; pixel++) {
    rgb.set(lines.subarray(pixel * channels, pixel * channels + 3), pixel * 3);
  }
  return { width, height, rgb };
}

/** Each line begins with the number of its filter (PNG specification, section 9). */
function unfiltered(filtered: Uint8Array, lineLength: number, channels: number): Uint8Array {
  const lines = filtered.length / (lineLength + 1);
  const result = new Uint8Array(lines * lineLength);
  for (let line = 0; line < lines; line++) {
    const filter = filtered[line * (lineLength + 1)] ?? 0;
    for (let column = 0; column < lineLength; column++) {
      const at = line * lineLength + column;
      const left = column >= channels ? result[at - channels] ?? 0 : 0;
      const up = line > 0 ? result[at - lineLength] ?? 0 : 0;
      const corner = line > 0 && column >= channels ? result[at - lineLength - channels] ?? 0 : 0;
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      result[at] = (filtered[line * (lineLength + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return result;
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function chunk(name: string, data: Uint8Array): Uint8Array {
  const body = joined([new TextEncoder().encode(name), data]);
  const result = new Uint8Array(body.length + 8);
  const view = new DataView(result.buffer);
  view.setUint32(0, data.length);
  result.set(body, 4);
  view.setUint32(body.length + 4, crc32(body));
  return result;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    result.set(part, at);
    at += part.length;
  }
  return result;
}
