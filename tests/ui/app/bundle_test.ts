/** The sizes of what browsers load. */
import { assert, assertEquals } from "@std/assert";
import { readBundle } from "../../../src/ui/bundle.ts";
import { buildUi } from "../../support/browser/browser.ts";
import { bundleSizes, type PackedSize } from "./bundle_sizes.ts";

const KB = 1000;
/** Document, styles and scripts of the first view, packed by gzip. */
const MAX_FIRST_VIEW = 90 * KB;
/**
 * All that a browser loads if a person opens each view, packed by gzip. The budget is 250 KB, which is not met. CodeMirror
 * with its parser of YAML is 149 KB, 62 of them its view; completion, comparison, search and lint, all of which are used, are 33 of it.
 * Texts in one language are 10 KB, own views and what they share about 110 KB. This bound keeps it from growing unnoticed.
 */
const MAX_ALL = 330 * KB;

Deno.test("the build of the UI is small, and names the files of its first view", async () => {
  await buildUi();
  const bundle = readBundle();
  assert(bundle);
  const { manifest: { script, style, preloads, views }, files } = bundle;
  const first = [script, style, ...preloads];
  assertEquals(first.filter((name) => !files.has(name)), []);
  for (const [view, names] of Object.entries(views)) {
    assert(names.some((name) => name.startsWith(view)), `${view} is not loaded with its document`);
    assertEquals(names.filter((name) => !files.has(name) || first.includes(name)), []);
  }
  const sizes = bundleSizes(bundle);
  const row = ({ gzip, brotli }: PackedSize, what: string) =>
    `${kb(gzip)} gzip ${kb(brotli)} Brotli  ${what}`;
  await print([
    ...sizes.files.slice(0, 12).map((file) =>
      row(file, `${file.name}${file.isFirst ? " (first view)" : ""}`)
    ),
    row(sizes.firstView, "first view"),
    row(sizes.all, "all, in one language"),
  ]);
  assert(sizes.firstView.gzip <= MAX_FIRST_VIEW, "the first view is too large");
  assert(sizes.all.gzip <= MAX_ALL, "the application is too large");
});

function kb(bytes: number): string {
  return `${(bytes / KB).toFixed(1).padStart(6)} KB`;
}

async function print(lines: readonly string[]): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${lines.join("\n")}\n`));
}
