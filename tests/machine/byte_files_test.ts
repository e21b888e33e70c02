/** Files that are read and written by position. */
import { assertEquals, assertThrows } from "@std/assert";
import { ByteFileFolder } from "../../src/machine/byte_files.ts";

Deno.test("ByteFileFolder keeps what was written at its positions", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const files = await ByteFileFolder.open(`${folder}/catalog`);
    assertEquals(files.open("a/b", false), undefined);
    const file = files.open("a/b", true);
    file?.write(Uint8Array.of(1, 2, 3, 4), 0);
    file?.write(Uint8Array.of(9), 2);
    await file?.sync();
    file?.close();
    const again = files.open("a/b", false);
    assertEquals(again?.size(), 4);
    const read = new Uint8Array(3);
    again?.read(read, 1);
    assertEquals([...read], [2, 9, 4]);
    assertThrows(() => again?.read(read, 2), Error, "the file ends before");
    again?.close();
    files.remove("a/b");
    files.remove("a/b");
    assertEquals(files.open("a/b", false), undefined);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
