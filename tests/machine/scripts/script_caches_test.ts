/** Caches of what scripts fetch. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { ScriptCaches } from "../../../src/machine/scripts/script_caches.ts";
import { WorkDirectories } from "../../../src/machine/scripts/work_directories.ts";
import { withTempDir } from "../../support/temp_dir.ts";

Deno.test("ScriptCaches.of() gives each tenant a folder of the data directory, which remains", async () => {
  await withTempDir(async (folder) => {
    for (let start = 1; start <= 2; start++) {
      await using directories = new WorkDirectories(folder);
      const path = await directories.cacheOf("main");
      assertEquals(path, `${folder}/script-cache/main`);
      assertEquals(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o700);
      assertEquals([...Deno.readDirSync(path)].length, start - 1);
      await Deno.writeTextFile(`${path}/kept`, "x");
      assertEquals(await directories.cacheOf("acme"), `${folder}/script-cache/acme`);
    }
  });
});

Deno.test("ScriptCaches.of() without a data directory has names that cannot be guessed, and removes them at the end", async () => {
  const directories = new WorkDirectories(undefined);
  const [first, second] = [await directories.cacheOf("main"), await directories.cacheOf("acme")];
  assertNotEquals(first, second);
  assert(!first.includes("main"));
  assertEquals(await directories.cacheOf("main"), first);
  await directories[Symbol.asyncDispose]();
  assertEquals(await Deno.stat(first).catch(() => "removed"), "removed");
});

Deno.test("ScriptCaches.of() empties a cache that is too large, at the first use only", async () => {
  await withTempDir(async (folder) => {
    const path = `${folder}/main`;
    const fill = async () => {
      await Deno.mkdir(path, { recursive: true });
      await Deno.writeFile(`${path}/large`, new Uint8Array(200_000));
    };
    await fill();
    const caches = new ScriptCaches({ parent: folder }, 100_000);
    assertEquals(await caches.of("main"), path);
    assertEquals([...Deno.readDirSync(path)], []);
    await fill();
    await caches.of("main");
    assertEquals([...Deno.readDirSync(path)].length, 1);
    assertEquals(
      [...Deno.readDirSync(await new ScriptCaches({ parent: folder }, 1_000_000).of("main"))].length,
      1,
    );
  });
});

Deno.test("ScriptCaches.of() gives a new cache to the user of scripts, and tries again after a failure", async () => {
  const given: string[] = [];
  let calls = 0;
  const make = (name: string) =>
    ++calls === 1 ? Promise.reject(new Error("full")) : Promise.resolve(`/x/${name}`);
  const caches = new ScriptCaches({ make, give: (path) => Promise.resolve(void given.push(path)) });
  assertEquals(await caches.of("main").catch((error) => error.message), "full");
  assertEquals(given, []);
  const path = await caches.of("main");
  assertEquals(given, [path]);
});

Deno.test("ScriptCaches.drop() removes the cache of a tenant, also that of an earlier process", async () => {
  await withTempDir(async (folder) => {
    const earlier = new ScriptCaches({ parent: folder });
    const [acme, main] = [await earlier.of("acme"), await earlier.of("main")];
    await Deno.writeTextFile(`${acme}/kept`, "x");
    const caches = new ScriptCaches({ parent: folder });
    await caches.drop("acme");
    await caches.drop("unknown");
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["main"]);
    assertEquals(await caches.of("main"), main);
    assertEquals([...Deno.readDirSync(await caches.of("acme"))], []);
  });
});

Deno.test("ScriptCaches.drop() forgets a cache that ends with the server", async () => {
  await using directories = new WorkDirectories(undefined);
  const caches = new ScriptCaches({ make: (name) => directories.make(name) });
  const path = await caches.of("acme");
  await caches.drop("acme");
  assertEquals(await Deno.stat(path).catch(() => "removed"), "removed");
  assertNotEquals(await caches.of("acme"), path);
});
