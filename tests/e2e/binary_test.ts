/** The compiled binary, alone in an empty folder. Built by Deno 2.6.8, whose run-time half can be had without a download. */
import { assertEquals } from "@std/assert";
import { buildStub, findCompileProblems } from "../support/release/check_compile.ts";
import { compileArguments, findDenort, ROOT_PATH } from "../support/release/compile.ts";
import { ServerProcess } from "../support/processes/server_process.ts";
import { smoke } from "../support/release/smoke.ts";
import { withTempDir } from "../support/temp_dir.ts";

const COMPILER = "deno@2.6.8";

Deno.test("deno task compile embeds the program and grants no more than it needs", async () => {
  assertEquals(findCompileProblems(await buildStub()), []);
});

Deno.test("dist/sluice passes the smoke test of the source", async (test) => {
  const denort = await findDenort();
  const reason = "no denort: name one by DENORT_BIN";
  if (denort === undefined) return void await test.step({ name: reason, ignore: true, fn() {} });
  await withTempDir(async (root) => {
    const binary = `${root}/sluice`;
    const { success, stderr } = await new Deno.Command("npx", {
      args: ["-y", COMPILER, ...await compileArguments(binary)],
      cwd: ROOT_PATH,
      env: { DENORT_BIN: denort, NO_COLOR: "1" },
    }).output();
    assertEquals(success, true, new TextDecoder().decode(stderr));
    await using server = await ServerProcess.start({ binary, cwd: root, dataDir: "./sluice-data" });
    await smoke(server);
    // A process of the binary itself.
    const { code: made, log: said } = await ServerProcess.run(["backup", "--server", server.url], {
      binary,
      cwd: root,
    });
    assertEquals(made, 0, said);
    const { code, log } = await server.kill("SIGTERM");
    assertEquals(code, 0, log);
    // One that may start no process copies in a thread.
    const args = ["--scripts", "off", "--host", "0.0.0.0", "--no-auth"];
    await using strict = await ServerProcess.start({ binary, cwd: root, dataDir: "./sluice-data", args });
    const url = `http://127.0.0.1:${new URL(strict.url).port}`;
    const copied = await ServerProcess.run(["backup", "--server", url], { binary, cwd: root });
    assertEquals(copied.code, 0, copied.log);
  });
});
