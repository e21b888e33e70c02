/** The sizes of what browsers load. */
import { assert, assertEquals } from "@std/assert";
import { readBundle } from "../../../src/ui/bundle.ts";
import { buildServer } from "../../../src/server/build.ts";
import { bundleSizes, type PackedSize } from "./bundle_sizes.ts";

const KB = 1000;
/** Styles and scripts of the first view in the language with the largest texts, packed by gzip. The budget is 90 KB. */
const MAX_FIRST_VIEW = 59 * KB;
/**
 * All that a browser loads if a person opens each view, packed by gzip: the budget. Two packages of the editor are 73 KB of it,
 * its commands 5, Markdown 15, Preact with signals 9, the texts of one language 10, styles 10.
 */
const MAX_ALL = 250 * KB;

Deno.test("the build of the UI is small, and names the files of its first view", async () => {
  await buildServer();
  const bundle = readBundle();
  assert(bundle);
  const { manifest: { script, style, preloads, texts, views }, files } = bundle;
  const first = [script, style, ...preloads, ...Object.values(texts)];
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
