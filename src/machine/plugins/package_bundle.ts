/**
 * Plugins with packages of npm: they become one script when they are read. The code of the packages has the permissions of the
 * plugin. The bundler is part of the run-time that runs a server from source; the compiled binary has none.
 */

/** Packages that are not known yet are fetched from the registry. */
const BUNDLE_MS = 60_000;
const IMPORTS_PACKAGE = /\b(?:from|import)\s*\(?\s*["']npm:/;
/** Colours of the terminal. */
// deno-lint-ignore no-control-regex
const COLOURS = /\x1b\[[\d;]*m/g;

/** Whether a plugin imports a package. */
export function importsPackage(source: string): boolean {
  return IMPORTS_PACKAGE.test(source);
}

/** The plugin with its packages, as JavaScript. @throws Error with the words of the bundler, or if the runtime has no bundler */
export async function bundlePackages(path: string): Promise<string> {
  if (Deno.build.standalone) {
    throw new Error(
      "the compiled server cannot read packages; bundle the plugin, or run the server from source",
    );
  }
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--platform", "deno", "--no-config", "--no-lock", path],
    signal: AbortSignal.timeout(BUNDLE_MS),
  }).output();
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  const [words = "no reason was given"] = decoder.decode(stderr).replace(COLOURS, "").split("\n")
    .filter((line) => line.trim() !== "");
  throw new Error(`its packages cannot be bundled: ${words.replace(/^error: /, "")}`);
}
