import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { DomainError } from "../../../src/model/errors.ts";
import {
  ACTOR,
  collect,
  collectText,
  type NamespaceTestServices,
  patternBytes,
  sourceOf,
  startNamespaceServices,
  treeOf,
} from "../../support/flows/namespace_services.ts";
import { buildZip, type ZipSpec } from "../../support/zip_builder.ts";

const NS = "team";

async function importZip(services: NamespaceTestServices, zip: Uint8Array): Promise<void> {
  await services.transfer.import(ACTOR, NS, sourceOf(zip));
}

Deno.test("import() unpacks files, directories and flows", async () => {
  const services = await startNamespaceServices();
  await services.files.write(ACTOR, { namespace: NS, path: "a/old.txt" }, sourceOf("old"));
  const zip = buildZip([
    { name: "a/" },
    { name: "a/old.txt", data: "new", isStored: true },
    { name: "deep/er/x.bin", data: patternBytes(300_000), mode: 0o100644 },
    { name: "none.txt" },
    { name: "empty/", mode: 0o040755 },
    { name: "_flows/" },
    { name: "_flows/f.yml", data: "id: f" },
  ], "a comment");
  await importZip(services, zip);
  assertEquals(await treeOf(services, NS), [
    "a/",
    "a/old.txt",
    "deep/",
    "deep/er/",
    "deep/er/x.bin",
    "empty/",
    "none.txt",
  ]);
  assertEquals(await collectText((await services.files.open(ACTOR, NS, "a/old.txt")).content), "new");
  assertEquals(
    await collect((await services.files.open(ACTOR, NS, "deep/er/x.bin")).content),
    patternBytes(300_000),
  );
  // The earlier content of the replaced file is its first revision.
  assertEquals(
    await collectText((await services.files.open(ACTOR, NS, "a/old.txt", 1)).content),
    "old",
  );
  assertEquals(services.imported, ["main/team: id: f"]);
  assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [7, 0]);
});

const zeros = new Uint8Array(3_000_000);
const REFUSED: readonly (readonly [string, readonly ZipSpec[], string])[] = [
  ["a path above the root", [{ name: "../evil.txt", data: "x" }], ".."],
  ["a path above the root within", [{ name: "a/../../evil.txt", data: "x" }], ".."],
  ["an absolute path", [{ name: "/etc/passwd", data: "x" }], "absolute"],
  ["a backslash", [{ name: "..\\evil.txt", data: "x" }], "backslash"],
  ["a drive", [{ name: "C:/evil.txt", data: "x" }], "drive"],
  ["a NUL in a name", [{ name: "a\0.txt", data: "x" }], "control character"],
  ["a symbolic link", [{ name: "link", data: "/etc/passwd", mode: 0o120777 }], "link"],
  ["a device", [{ name: "dev", mode: 0o020666 }], "device"],
  ["two entries with one name", [{ name: "a", data: "1" }, { name: "a", data: "2" }], "two entries"],
  ["two spellings of one name", [{ name: "a", data: "1" }, { name: "./a", data: "2" }], "two entries"],
  [
    "a file that is a directory",
    [{ name: "a", data: "1" }, { name: "a/b", data: "2" }],
    "file and a directory",
  ],
  ["a file and a directory with one name", [{ name: "a", data: "1" }, { name: "a/" }], "two entries"],
  ["a bomb", [{ name: "a", data: zeros }], "times its size"],
  [
    "a bomb that declares a wrong size",
    [{ name: "a", data: zeros, declaredSize: 10 }],
    "more than it declares",
  ],
  ["a size that is too large", [{ name: "a", data: "x", declaredSize: 600 * 1024 * 1024 }], "at most"],
  ["a declared size that is too small", [{ name: "a", data: "x", declaredSize: 2 }], "damaged"],
  [
    "entries that share their bytes",
    [{ name: "a", data: "x" }, { name: "b", data: "x", sharesHeaderOf: 0 }],
    "overlaps",
  ],
  ["a wrong checksum", [{ name: "a", data: "x", crc: 1 }], "damaged"],
  ["another name in its own header", [{ name: "a", data: "x", localName: "b" }], "damaged"],
  ["an encrypted entry", [{ name: "a", data: "x", flags: 0x0801 }], "encrypted"],
  ["another method", [{ name: "a", data: "x", method: 14 }], "method 14"],
  ["zip64", [{ name: "a", data: "x", declaredSize: 0xffffffff }], "zip64"],
  ["a directory with content", [{ name: "a/", data: "x" }], "has content"],
  ["another file among the flows", [{ name: "_flows/x.txt", data: "x" }], "Forbidden path"],
  ["a directory among the flows", [{ name: "_flows/x.yml/" }], "Forbidden path"],
  [
    "a flow that is too large",
    [{ name: "_flows/x.yml", data: patternBytes(600_000), isStored: true }],
    "larger",
  ],
  ["a file where a directory is", [{ name: "dir", data: "x" }], "the namespace has the other"],
  ["a directory where a file is", [{ name: "dir/file/" }], "the namespace has the other"],
  [
    "a file in a directory where a file is",
    [{ name: "dir/file/x.txt", data: "x" }],
    "the namespace has the other",
  ],
  ["a name that is too long", [{ name: "x".repeat(300), data: "x" }], "255"],
];

for (const [what, specs, reason] of REFUSED) {
  Deno.test(`import() refuses ${what} before anything is stored`, async () => {
    const services = await startNamespaceServices();
    await services.files.write(ACTOR, { namespace: NS, path: "dir/file" }, sourceOf("kept"));
    const good = [{ name: "good.txt", data: "good" }, { name: "_flows/good.yml", data: "id: good" }];
    const zip = buildZip([...good, ...specs.map((spec) => shifted(spec, good.length))]);
    const error = await assertRejects(() => importZip(services, zip), DomainError, reason);
    assertEquals(error.code, "invalid_argument");
    assertEquals(await treeOf(services, NS), ["dir/", "dir/file"]);
    assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [1, 0]);
    assertEquals(services.imported, []);
  });
}

/** An entry of a case behind `count` others. */
function shifted(spec: ZipSpec, count: number): ZipSpec {
  return spec.sharesHeaderOf === undefined ? spec : { ...spec, sharesHeaderOf: spec.sharesHeaderOf + count };
}

Deno.test("import() saves no flow if one of them is invalid", async () => {
  const services = await startNamespaceServices();
  const zip = buildZip([
    { name: "_flows/a.yml", data: "id: a" },
    { name: "_flows/b.yml", data: "tasks: []" },
    { name: "c.txt", data: "c" },
  ]);
  const error = await assertRejects(() => importZip(services, zip), DomainError);
  assertEquals(error.code, "invalid_entity");
  assertEquals([services.imported, await treeOf(services, NS)], [[], []]);
});

Deno.test("import() refuses more entries than allowed", async () => {
  const services = await startNamespaceServices();
  const zip = buildZip(Array.from({ length: 10_001 }, (_, n) => ({ name: `f${n}`, isStored: true })));
  await assertRejects(() => importZip(services, zip), DomainError, "10001 entries");
});

Deno.test("import() of thousands of small files, and export() returns them", async () => {
  const services = await startNamespaceServices();
  const names = Array.from({ length: 3_000 }, (_, n) => `d${n % 7}/${"x".repeat(n % 100)}${n}.txt`);
  await importZip(services, buildZip(names.map((name) => ({ name, data: name }))));
  const zip = unzipSync(await collect(await services.transfer.export(ACTOR, NS)));
  const files = Object.entries(zip).filter(([name]) => !name.endsWith("/"));
  assertEquals(files.length, 3_000);
  for (const [name, bytes] of files) assertEquals(new TextDecoder().decode(bytes), name);
});

Deno.test("export() packs files and directories that import() restores", async () => {
  const services = await startNamespaceServices();
  await services.files.write(ACTOR, { namespace: NS, path: "ü/big.bin" }, sourceOf(patternBytes(1_000_000)));
  await services.files.write(ACTOR, { namespace: NS, path: "empty.txt" }, sourceOf());
  await services.files.createDirectory(ACTOR, NS, "dir/sub");
  const zip = await collect(await services.transfer.export(ACTOR, NS));
  assertEquals(Object.keys(unzipSync(zip)).sort(), ["dir/", "dir/sub/", "empty.txt", "ü/", "ü/big.bin"]);
  const other = await startNamespaceServices();
  await importZip(other, zip);
  assertEquals(await treeOf(other, NS), await treeOf(services, NS));
  assertEquals(
    await collect((await other.files.open(ACTOR, NS, "ü/big.bin")).content),
    patternBytes(1_000_000),
  );
});

Deno.test("export() leaves out files that are deleted while it is read", async () => {
  const services = await startNamespaceServices();
  for (const path of ["a.txt", "b.txt", "c.txt"]) {
    await services.files.write(ACTOR, { namespace: NS, path }, sourceOf(patternBytes(200_000)));
  }
  const zip = await services.transfer.export(ACTOR, NS);
  const reader = zip.getReader();
  const chunks = [(await reader.read()).value ?? new Uint8Array()];
  await services.files.delete(ACTOR, NS, "b.txt");
  for (let part = await reader.read(); !part.done; part = await reader.read()) chunks.push(part.value);
  const bytes = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  assertEquals(Object.keys(unzipSync(bytes)), ["a.txt", "c.txt"]);
});

Deno.test("export() of an empty namespace is an empty zip", async () => {
  const services = await startNamespaceServices();
  const zip = await collect(await services.transfer.export(ACTOR, "nothing"));
  assertEquals(Object.keys(unzipSync(zip)), []);
  await importZip(services, zip);
  assertEquals(await treeOf(services, NS), []);
});

Deno.test("export() closes the open file when it is cancelled", async () => {
  const services = await startNamespaceServices();
  await services.files.write(
    ACTOR,
    { namespace: NS, path: "big" },
    sourceOf(crypto.getRandomValues(new Uint8Array(60_000)), patternBytes(2_000_000)),
  );
  const reader = (await services.transfer.export(ACTOR, NS)).getReader();
  await reader.read();
  await reader.read();
  await reader.cancel();
  await services.files.delete(ACTOR, NS, "big");
  assertEquals([services.inner.count(["main", "b"]), services.inner.count(["bi"])], [0, 0]);
});

Deno.test("import() accepts archives of other tools", async () => {
  const services = await startNamespaceServices();
  const encoder = new TextEncoder();
  await importZip(services, zipSync({ "a.txt": encoder.encode("a"), dir: { "b.txt": encoder.encode("b") } }));
  assertEquals(await treeOf(services, NS), ["a.txt", "dir/", "dir/b.txt"]);
});

Deno.test("import() of damaged zips throws a DomainError or unpacks", async () => {
  const services = await startNamespaceServices();
  const zip = buildZip([{ name: "a.txt", data: "some text, some text" }, { name: "d/b.txt", data: "more" }]);
  const damage = fc.array(fc.tuple(fc.nat(zip.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(damage, fc.nat(zip.length), async (changes, cut) => {
      const damaged = zip.slice(0, cut % 3 === 0 ? cut : zip.length);
      for (const [at, byte] of changes) if (at < damaged.length) damaged[at] = byte;
      const [outcome] = await Promise.allSettled([importZip(services, damaged)]);
      if (outcome.status === "rejected" && !(outcome.reason instanceof DomainError)) throw outcome.reason;
    }),
    { numRuns: 500 },
  );
  assertEquals(services.inner.count(["bi"]), 0);
});
