/** The built UI: files for browsers, made by `build.ts`. They lie beside the sources and in the binary. */
import { sourceUrl } from "../base/source_url.ts";

/** Where the build writes them. */
export const BUNDLE_FOLDER = sourceUrl("ui/dist").pathname;
/** Names the entry files of a build. */
export const MANIFEST_FILE = "manifest.json";

/** Modules of views that are loaded when they are needed, and whose documents name their scripts. */
export const LINKED_VIEWS = ["execution_page", "flow_page"] as const;

/** One of {@link LINKED_VIEWS}. */
export type LinkedView = typeof LINKED_VIEWS[number];

/** Languages of the UI, by the names of their modules. */
export const LANGUAGES = ["en", "de", "fr"] as const;

/** One of {@link LANGUAGES}. */
export type Language = typeof LANGUAGES[number];

/** Names of the files that the first view needs. */
export interface Manifest {
  readonly script: string;
  readonly style: string;
  /** Scripts that `script` imports, and those that they import. */
  readonly preloads: readonly string[];
  /** The script with the texts of each language. */
  readonly texts: Readonly<Record<Language, string>>;
  /** Further scripts of the views that people open by links. */
  readonly views: Readonly<Record<LinkedView, readonly string[]>>;
}

/** A file of the build, compressed. */
export interface PackedFile {
  readonly gzip: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer>;
}

/** A build in memory. */
export interface Bundle {
  readonly manifest: Manifest;
  /** By name, which contains a hash of the content. */
  readonly files: ReadonlyMap<string, PackedFile>;
}

/** Reads the build; `undefined` if the UI was not built. */
export function readBundle(): Bundle | undefined {
  try {
    const manifest = JSON.parse(Deno.readTextFileSync(`${BUNDLE_FOLDER}/${MANIFEST_FILE}`)) as Manifest;
    const packed = [...Deno.readDirSync(BUNDLE_FOLDER)].filter(({ name }) => name.endsWith(".gz"));
    const files = packed.map(({ name }) => {
      const path = `${BUNDLE_FOLDER}/${name.slice(0, -3)}`;
      const file = { gzip: Deno.readFileSync(`${path}.gz`), brotli: Deno.readFileSync(`${path}.br`) };
      return [name.slice(0, -3), file] as const;
    });
    return { manifest, files: new Map(files) };
  } catch {
    return undefined;
  }
}
