/** Zips byte by byte, also those that no honest tool writes. */
import { deflateSync } from "fflate";
import { joinBytes } from "../../src/base/bytes.ts";

/** An entry; what is absent is as it should be. */
export interface ZipSpec {
  readonly name: string;
  readonly data?: Uint8Array | string;
  readonly isStored?: boolean;
  /** Unix mode in the upper half of the external attributes. */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  readonly declaredSize?: number;
  readonly crc?: number;
  /** The name in the entry's own header. */
  readonly localName?: string;
  /** Points to the header of that entry instead of an own one. */
  readonly sharesHeaderOf?: number;
}

const encoder = new TextEncoder();

/** A zip of the entries, in their order. */
export function buildZip(specs: readonly ZipSpec[], comment = ""): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const offsets: number[] = [];
  let offset = 0;
  for (const spec of specs) {
    const data = typeof spec.data === "string" ? encoder.encode(spec.data) : spec.data ?? new Uint8Array();
    const packed = spec.isStored ? data : deflateSync(data);
    const fields = {
      spec,
      crc: spec.crc ?? crc32(data),
      packed: packed.length,
      size: spec.declaredSize ?? data.length,
    };
    const shared = spec.sharesHeaderOf === undefined ? undefined : offsets[spec.sharesHeaderOf];
    offsets.push(shared ?? offset);
    directory.push(header(fields, shared ?? offset));
    if (shared !== undefined) continue;
    const local = header(fields);
    parts.push(local, packed);
    offset += local.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = new Uint8Array(22);
  const view = new DataView(end.buffer);
  view.setUint32(0, 0x06054b50, true);
  view.setUint16(8, specs.length, true);
  view.setUint16(10, specs.length, true);
  view.setUint32(12, size, true);
  view.setUint32(16, offset, true);
  view.setUint16(20, comment.length, true);
  return joinBytes([...parts, ...directory, end, encoder.encode(comment)]).slice();
}

interface Fields {
  readonly spec: ZipSpec;
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
}

/** A local header, or with an offset one of the directory: the same fields, 16 bytes further on. */
function header({ spec, crc, packed, size }: Fields, offset?: number): Uint8Array {
  const isCentral = offset !== undefined;
  const name = encoder.encode(isCentral ? spec.name : spec.localName ?? spec.name);
  const start = isCentral ? 46 : 30;
  const bytes = new Uint8Array(start + name.length);
  const view = new DataView(bytes.buffer);
  const shift = isCentral ? 2 : 0;
  view.setUint32(0, isCentral ? 0x02014b50 : 0x04034b50, true);
  view.setUint16(6 + shift, spec.flags ?? 0x0800, true);
  view.setUint16(8 + shift, spec.method ?? (spec.isStored ? 0 : 8), true);
  view.setUint32(14 + shift, crc, true);
  view.setUint32(18 + shift, packed, true);
  view.setUint32(22 + shift, size, true);
  view.setUint16(26 + shift, name.length, true);
  if (isCentral) {
    view.setUint32(38, ((spec.mode ?? 0) << 16) >>> 0, true);
    view.setUint32(42, offset, true);
  }
  bytes.set(name, start);
  return bytes;
}

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
