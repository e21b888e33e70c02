/** The files of a release, and the script that installs them. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { startServer } from "./server/proxy/proxied_pair.ts";
import { type Build, release } from "./support/release/release.ts";
import { withTempDir } from "./support/temp_dir.ts";

const PROGRAM = "#!/bin/sh\necho installed program\n";

const build: Build = async ({ name }, output) => {
  if (name.startsWith("macos")) return "no run-time";
  await Deno.writeTextFile(output, PROGRAM);
};

Deno.test("release() makes binaries, checksums and a bill of materials, and says what is missing", () =>
  withTempDir(async (root) => {
    const folder = `${root}/release`;
    const outcomes = await release({ folder, build, baseUrl: "https://sluice.example/v1" });
    assertEquals(outcomes.filter(({ problem }) => problem !== undefined), [
      { name: "macos-x64", problem: "no run-time" },
      { name: "macos-arm64", problem: "no run-time" },
    ]);
    const names = [
      "install.sh",
      "sluice-linux-arm64",
      "sluice-linux-x64",
      "sluice-windows-x64.exe",
      "sluice.cdx.json",
    ];
    const lines = (await Deno.readTextFile(`${folder}/SHA256SUMS`)).trimEnd().split("\n");
    assertEquals(lines.map((line) => line.slice(66)), names);
    const check = await new Deno.Command("sha256sum", { args: ["--check", "SHA256SUMS"], cwd: folder })
      .output();
    assertEquals(check.success, true, new TextDecoder().decode(check.stderr));
    assertStringIncludes(await Deno.readTextFile(`${folder}/install.sh`), "${1:-https://sluice.example/v1}");
    assertEquals(JSON.parse(await Deno.readTextFile(`${folder}/sluice.cdx.json`)).bomFormat, "CycloneDX");
  }));

Deno.test("release() refuses unknown platforms", async () => {
  await assertRejects(
    () => release({ folder: "/nowhere", build, only: ["beos"] }),
    Error,
    "platforms are linux-x64",
  );
});

/** Runs `install.sh` against a server with the files of a folder. */
async function install(folder: string, target: string) {
  const server = startServer(async ({ url }) => {
    try {
      return new Response(await Deno.readFile(folder + new URL(url).pathname));
    } catch {
      return new Response("missing", { status: 404 });
    }
  });
  const args = [`${folder}/install.sh`, `http://127.0.0.1:${server.addr.port}`];
  const env = { SLUICE_INSTALL_DIR: target };
  const { code, stdout, stderr } = await new Deno.Command("sh", { args, env }).output();
  await server.shutdown();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout), errors: decoder.decode(stderr) };
}

async function namesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
}

Deno.test("install.sh installs what matches its checksum, and replaces an older program", () =>
  withTempDir(async (root) => {
    await release({ folder: `${root}/release`, build });
    await Deno.mkdir(`${root}/bin`);
    await Deno.writeTextFile(`${root}/bin/sluice`, "older");
    const { code, output, errors } = await install(`${root}/release`, `${root}/bin`);
    assertEquals([code, errors], [0, ""]);
    assertStringIncludes(output, `Installed ${root}/bin/sluice`);
    const { stdout } = await new Deno.Command(`${root}/bin/sluice`).output();
    assertEquals(new TextDecoder().decode(stdout), "installed program\n");
    assertEquals(await namesIn(`${root}/bin`), ["sluice"]);
  }));

const BREAK: Readonly<Record<string, readonly [(folder: string) => Promise<void>, string]>> = {
  "a changed program": [async (folder) => {
    for (const name of ["sluice-linux-x64", "sluice-linux-arm64"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "changed");
    }
  }, "nothing was installed"],
  "a program without a checksum": [(folder) => Deno.writeTextFile(`${folder}/SHA256SUMS`, ""), "has no line"],
  "a missing file": [(folder) => Deno.remove(`${folder}/SHA256SUMS`), "cannot download"],
};

for (const [name, [breakRelease, message]] of Object.entries(BREAK)) {
  Deno.test(`install.sh does not install ${name}`, () =>
    withTempDir(async (root) => {
      await release({ folder: `${root}/release`, build });
      await breakRelease(`${root}/release`);
      const { code, errors } = await install(`${root}/release`, `${root}/bin`);
      assertEquals(code, 1);
      assertStringIncludes(errors, message);
      assertEquals(await namesIn(`${root}/bin`), []);
    }));
}
