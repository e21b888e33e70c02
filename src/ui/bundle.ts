/** The built UI: files for browsers, made by `build.ts`. They lie beside the sources and in the binary. */

/** Where the build writes them. */
export const BUNDLE_FOLDER = new URL("./dist", import.meta.url).pathname;
/** Names the entry files of a build. */
export const MANIFEST_FILE = "manifest.json";

/** Names of the entry files. */
export interface Manifest {
  readonly script: string;
  readonly style: string;
}

/** A build in memory. */
export interface Bundle {
  readonly manifest: Manifest;
  /** Packed by gzip, by name without `.gz`. Names contain a hash of the content. */
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

/** Reads the build; `undefined` if the UI was not built. */
export function readBundle(): Bundle | undefined {
  try {
    const manifest = JSON.parse(Deno.readTextFileSync(`${BUNDLE_FOLDER}/${MANIFEST_FILE}`)) as Manifest;
    const names = [...Deno.readDirSync(BUNDLE_FOLDER)].map(({ name }) => name).filter((name) =>
      name.endsWith(".gz")
    );
    const files = names.map((name) =>
      [name.slice(0, -3), Deno.readFileSync(`${BUNDLE_FOLDER}/${name}`)] as const
    );
    return { manifest, files: new Map(files) };
  } catch {
    return undefined;
  }
}
