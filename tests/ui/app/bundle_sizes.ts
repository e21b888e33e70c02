/** The sizes of what browsers load. */
import type { Bundle } from "../../../src/ui/bundle.ts";

/** Bytes after compression. */
export interface PackedSize {
  readonly gzip: number;
  readonly brotli: number;
}

/** A file of the build. */
export interface FileSize extends PackedSize {
  readonly name: string;
  /** Loaded with the first view. */
  readonly isFirst: boolean;
}

/** Sizes of a build. */
export interface BundleSizes {
  /** The largest first. */
  readonly files: readonly FileSize[];
  readonly firstView: PackedSize;
  /** What a browser loads if a person opens each view, in the language with the largest texts. */
  readonly all: PackedSize;
}

/** The sizes of a build: of each file, of the first view, and of all that one browser may load. */
export function bundleSizes({ manifest: { script, style, preloads, texts }, files }: Bundle): BundleSizes {
  const packed = (name: string) => files.get(name)?.gzip.length ?? 0;
  const [largest = "", ...others] = Object.values(texts).toSorted((a, b) => packed(b) - packed(a));
  const first = [script, style, largest, ...preloads];
  const sizes = [...files].map(([name, { gzip, brotli }]): FileSize => ({
    name,
    isFirst: first.includes(name),
    gzip: gzip.length,
    brotli: brotli.length,
  })).toSorted((a, b) => b.gzip - a.gzip);
  return {
    files: sizes,
    firstView: sumOf(sizes.filter(({ isFirst }) => isFirst)),
    all: sumOf(sizes.filter(({ name }) => !others.includes(name))),
  };
}

function sumOf(sizes: readonly FileSize[]): PackedSize {
  const sum = (of: keyof PackedSize) => sizes.reduce((total, size) => total + size[of], 0);
  return { gzip: sum("gzip"), brotli: sum("brotli") };
}
