/** Archives and compressed files, also those that other programs write and those that no honest program writes. */
import { assertEquals, assertRejects } from "@std/assert";
import { packTar, type TarEntry } from "modern-tar";
import { gzipSync } from "node:zlib";
import type { JsonObject } from "../../../src/base/json.ts";
import { archiveCompress, archiveDecompress } from "../../../src/integrations/compress/archives.ts";
import { fileCompress, fileDecompress } from "../../../src/integrations/compress/files.ts";
import { runDefinition } from "../../support/flows/definition_run.ts";
import { buildZip } from "../../support/zip_builder.ts";

const FROM = "kestra:///demo/archive";

async function unpack(file: Uint8Array, properties: JsonObject): Promise<Record<string, string | undefined>> {
  const { outputs, files } = await runDefinition(archiveDecompress, { from: FROM, ...properties }, {
    files: { [FROM]: file },
  });
  return Object.fromEntries(
    Object.entries(outputs.files as JsonObject).map(([name, uri]) => [name, files.get(String(uri))]),
  );
}

const TEXT = "line\n".repeat(40_000);
const LONG_NAME = `${"folder/".repeat(30)}file.txt`;

const FORMATS: readonly JsonObject[] = [
  { algorithm: "ZIP" },
  { algorithm: "JAR" },
  { algorithm: "ZIP", compression: "GZIP" },
  { algorithm: "TAR" },
  { algorithm: "TAR", compression: "GZIP" },
  { algorithm: "TAR", compression: "ZSTD" },
  { algorithm: "TAR", compression: "BROTLI" },
  { algorithm: "TAR", compression: "DEFLATE" },
];

for (const format of FORMATS) {
  Deno.test(`ArchiveDecompress reads what ArchiveCompress writes: ${JSON.stringify(format)}`, async () => {
    const one = "kestra:///demo/one.txt", two = "kestra:///demo/two.txt";
    const { outputs, bytes } = await runDefinition(archiveCompress, {
      from: { "a b.txt": one, [LONG_NAME]: two, "ü/empty": "kestra:///demo/empty" },
      ...format,
    }, { files: { [one]: TEXT, [two]: "two", "kestra:///demo/empty": "" } });
    const archive = bytes.get(String(outputs.uri)) ?? new Uint8Array();
    assertEquals(await unpack(archive, format), { "a b.txt": TEXT, [LONG_NAME]: "two", "ü/empty": "" });
  });
}

Deno.test("ArchiveCompress takes a list, its JSON and a file of maps", async () => {
  const one = "kestra:///demo/one", rows = "kestra:///demo/rows.ion";
  const files = { [one]: "1", [rows]: `{"a":"${one}"}\n{"b":"${one}"}\n` };
  const maps: JsonObject[] = [{ a: one }, { b: one }];
  for (const from of [maps, JSON.stringify(maps), rows]) {
    const { outputs, bytes } = await runDefinition(archiveCompress, { from, algorithm: "ZIP" }, { files });
    const archive = bytes.get(String(outputs.uri)) ?? new Uint8Array();
    assertEquals(await unpack(archive, { algorithm: "ZIP" }), { a: "1", b: "1" });
  }
});

/** Files of `bzip2`, `xz`, and of GNU `tar` with a folder and a name of 115 characters. */
const OTHERS: readonly (readonly [compression: string, base64: string])[] = [
  [
    "BZIP2",
    "QlpoOTFBWSZTWdbRyicAANX/xM2QBEBAAf+AQAQIgWarnsAAEAAAgCgwALgMaNGgGTIaMRpoGmBjRo0AyZDRiNNA0wEkSZGiajT1NMQbamSaaPapXuHVseXDeSiDGmLiE00IXJgBezvxCeKTtE3s0DAJJeoMCB0KnaCLA+wcK5S19xlaTSBZ06l6F5pl6NkqXCjnFN8yUYUVyeCOCn0GXlLC1TYwT33qKssIZXdtJHdkZhptUitWXReHRuNpPKgFoH6G4PAbBYFWCoX61DImCD/F3JFOFCQ1tHKJwA==",
  ],
  [
    "XZ",
    "/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4Cf/ALhdADILvBunjDRE4cIHdekACY2x9Z2VsLZzox663U4Y1zMEpLsye+IeJDzY/JEUUy6p1TI2UsqaliueWayEvVP4NZk7lQu29uv4833tziM4MWgJ5sHNE+xGkJ/VGUIB7+Il5PGNgVnTnI+Qa70xv5DurnPTP6ahzMkSMdbfHCA2gm32T1Zv5Ey40bCPiLtNMlB6p2FQivmwpOz8/SvuvA94TzUJzQkqYispqHW5//HXjfTJPN0ljkTjxwAAjshRSRNuidQAAdQBgFAAAN87f/axxGf7AgAAAAAEWVo=",
  ],
];

for (const [compression, base64] of OTHERS) {
  Deno.test(`files of other programs are read: tar, ${compression}`, async () => {
    const files = await unpack(Uint8Array.fromBase64(base64), { algorithm: "TAR", compression });
    assertEquals(Object.entries(files).map(([name, text]) => [name.length, text]), [[9, "one\n"], [
      115,
      "two\n",
    ]]);
  });
}

const SIZES: readonly string[] = ["GZIP", "ZSTD", "BROTLI", "DEFLATE"];

for (const compression of SIZES) {
  Deno.test(`FileDecompress reads what FileCompress writes: ${compression}`, async () => {
    const packed = await runDefinition(fileCompress, { from: FROM, compression }, {
      files: { [FROM]: TEXT },
    });
    const file = packed.bytes.get(String(packed.outputs.uri)) ?? new Uint8Array();
    assertEquals(file.length < 5_000, true);
    const { outputs, files } = await runDefinition(fileDecompress, { from: FROM, compression }, {
      files: { [FROM]: file },
    });
    assertEquals(files.get(String(outputs.uri)), TEXT);
  });
}

function tar(...entries: TarEntry[]): Promise<Uint8Array> {
  return packTar(entries);
}

const ONE: TarEntry = { header: { name: "a", size: 1 }, body: "1" };
const MANY = Array.from({ length: 10_001 }, (_each, index) => ({ name: `f${index}`, isStored: true }));

const REFUSED: readonly (readonly [
  what: string,
  file: () => Uint8Array | Promise<Uint8Array>,
  properties: JsonObject,
  message: string,
])[] = [
  [
    "a tar with a path to the parent",
    () => tar({ header: { name: "a/../../b", size: 1 }, body: "1" }),
    { algorithm: "TAR" },
    'Cannot unpack the archive: the path "a/../../b" leads out of it',
  ],
  [
    "a tar with an absolute path",
    () => tar({ header: { name: "/etc/passwd", size: 1 }, body: "1" }),
    { algorithm: "TAR" },
    'Cannot unpack the archive: the path "/etc/passwd" leads out of it',
  ],
  [
    "a tar with a symbolic link",
    () => tar(ONE, { header: { name: "b", size: 0, type: "symlink", linkname: "/etc/passwd" } }),
    { algorithm: "TAR" },
    'Cannot unpack the archive: "b" is a link or a device',
  ],
  [
    "a zip with a symbolic link",
    () => buildZip([{ name: "b", data: "/etc/passwd", mode: 0o120777 }]),
    { algorithm: "ZIP" },
    'Cannot unpack the archive: "b" is a link or a device',
  ],
  [
    "a zip with a path to the parent",
    () => buildZip([{ name: "../b", data: "1" }]),
    { algorithm: "ZIP" },
    "Cannot unpack the archive: it is of another format, or damaged: invalid relative path: ../b",
  ],
  [
    "an encrypted zip",
    () => buildZip([{ name: "b", data: "1", flags: 1 }]),
    { algorithm: "ZIP" },
    'Cannot unpack the archive: "b" is encrypted',
  ],
  [
    "a zip with more content than it declares",
    () => buildZip([{ name: "b", data: "11111111", declaredSize: 2 }]),
    { algorithm: "ZIP" },
    "Cannot unpack the archive: it is of another format, or damaged: too many bytes in the stream. expected 2. got at least 8",
  ],
  [
    "a zip that declares too much",
    () => buildZip([{ name: "b", data: "1", declaredSize: 0xfffffff0 }]),
    { algorithm: "ZIP" },
    "Cannot unpack the file: it unpacks to more than 1100 times its size",
  ],
  [
    "a zip with too many entries",
    () => buildZip(MANY),
    { algorithm: "ZIP" },
    "Cannot unpack the archive: it has more than 10000 entries",
  ],
  [
    "what is no zip",
    () => new TextEncoder().encode("text"),
    { algorithm: "ZIP" },
    "Cannot unpack the archive: it is of another format, or damaged: End of central directory record signature not found. Either not a zip file, or file is truncated.",
  ],
  [
    "a damaged tar",
    () => new Uint8Array(1024).fill(65),
    { algorithm: "TAR" },
    "Cannot unpack the archive: it is of another format, or damaged: ",
  ],
  [
    "what is not compressed",
    () => tar(ONE),
    { algorithm: "TAR", compression: "GZIP" },
    "Cannot unpack the file: it is no GZIP file, or damaged: incorrect header check",
  ],
  [
    "a file that ends too early",
    async () => gzipSync(await tar(ONE)).subarray(0, 40),
    { algorithm: "TAR", compression: "GZIP" },
    "Cannot unpack the file: it is no GZIP file, or damaged: unexpected end of file",
  ],
  [
    "a damaged XZ",
    () => new Uint8Array(100).fill(1),
    { algorithm: "TAR", compression: "XZ" },
    "Cannot unpack the file: it is no XZ file, or damaged: ",
  ],
  [
    "an empty BZIP2",
    () => new Uint8Array(),
    { algorithm: "TAR", compression: "BZIP2" },
    "Cannot unpack the file: it is no BZIP2 file, or damaged: it ends too early",
  ],
  [
    "a damaged BZIP2",
    () => new Uint8Array(100).fill(1),
    { algorithm: "TAR", compression: "BZIP2" },
    "Cannot unpack the file: it is no BZIP2 file, or damaged: ",
  ],
];

for (const [what, file, properties, message] of REFUSED) {
  Deno.test(`ArchiveDecompress refuses ${what}`, async () => {
    const bytes = await file();
    await assertRejects(() => unpack(bytes, properties), Error, message);
  });
}

Deno.test("FileDecompress ends at the limit of the ratio", async () => {
  // 40 pieces of zstd, 2 MiB each, are a valid file of some 3 KB.
  const { zstdCompressSync } = await import("node:zlib");
  const piece = zstdCompressSync(new Uint8Array(2 * 1024 * 1024));
  const bomb = new Uint8Array(piece.length * 40);
  for (let index = 0; index < 40; index++) bomb.set(piece, index * piece.length);
  await assertRejects(
    () => runDefinition(fileDecompress, { from: FROM, compression: "ZSTD" }, { files: { [FROM]: bomb } }),
    Error,
    "Cannot unpack the file: it unpacks to more than 1100 times its size",
  );
});

Deno.test("paths that are the same, and a from without files, are refused", async () => {
  const run = (from: JsonObject) =>
    runDefinition(archiveCompress, { from, algorithm: "TAR" }, { files: { [FROM]: "1" } });
  await assertRejects(() => run({ a: FROM, "./a": FROM }), Error, 'Invalid from: the path "a" occurs twice');
  await assertRejects(() => run({}), Error, "Invalid from: there are no files");
  await assertRejects(() => run({ "../a": FROM }), Error, 'contains ".."');
});
