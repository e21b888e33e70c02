import { assertEquals } from "@std/assert";
import { tarBytes, tarStream } from "../../../src/machine/backup/tar.ts";
import { withTempDir } from "../../support/temp_dir.ts";

const BYTES = 9 * 2 ** 30;

Deno.test("tarStream() writes sizes above 8 GB as GNU tar does", async () => {
  await withTempDir(async (root) => {
    const file = await Deno.open(`${root}/large`, { read: true, write: true, create: true });
    await file.truncate(BYTES);
    const reader = tarStream([{ name: "a/large", bytes: BYTES, file }], 0).getReader();
    const { value = new Uint8Array() } = await reader.read();
    await reader.cancel();
    assertEquals(value[124], 0x80);
    assertEquals(new DataView(value.buffer).getBigUint64(128), BigInt(BYTES));
    await Deno.writeFile(`${root}/start.tar`, value);
    const { stdout } = await new Deno.Command("tar", { args: ["-tvf", `${root}/start.tar`], stderr: "null" })
      .output();
    assertEquals(new TextDecoder().decode(stdout).includes(` ${BYTES} `), true);
    assertEquals(tarBytes([BYTES, 1]), BYTES + 512 + 1024 + 1024);
  });
});
