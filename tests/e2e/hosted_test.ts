/** The program as Deno Deploy runs it: without arguments, disk and port, with the database and the cron of the platform. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { freePort } from "../support/processes/free_port.ts";
import { withTempDir } from "../support/temp_dir.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const ENVIRONMENT = {
  DENO_DEPLOY: "1",
  DENO_TIMELINE: "production",
  NO_COLOR: "1",
  SLUICE_BASIC_AUTH: "user:password",
  SLUICE_ENCRYPTION_KEY: btoa("k".repeat(32)),
};

function start(environment: Readonly<Record<string, string>>): Deno.ChildProcess {
  const platform = `${ROOT}tests/fixtures/hosted_platform.ts`;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--preload", platform, `${ROOT}main.ts`],
    cwd: ROOT,
    env: environment,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

Deno.test("main.ts registers the cron before it listens, ticks once ready, and stops at SIGINT", () =>
  withTempDir(async (folder) => {
    const port = freePort();
    const child = start({
      ...ENVIRONMENT,
      DENO_KV_DEFAULT_PATH: `${folder}/hosted.db`,
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
    });
    const errors = new Response(child.stderr).text();
    const lines: string[] = [];
    for await (const line of textLines(child.stdout)) {
      if (!line.startsWith("platform: ")) continue;
      lines.push(line.slice("platform: ".length));
      if (lines.at(-1) !== "tick is over") continue;
      const health = await fetch(`http://127.0.0.1:${port}/health`);
      assertEquals([health.status, (await health.json()).status], [200, "UP"]);
      child.kill("SIGINT");
    }
    const { code } = await child.status;
    assertEquals([code, lines], [0, ["cron tick * * * * *", "serve", "tick is over"]], await errors);
  }));

Deno.test("main.ts refuses to start on Deno Deploy without an encryption key", async () => {
  const { SLUICE_ENCRYPTION_KEY: _, ...environment } = ENVIRONMENT;
  const { code, stderr } = await start(environment).output();
  assertEquals(code, 1);
  assertStringIncludes(new TextDecoder().decode(stderr), "set SLUICE_ENCRYPTION_KEY");
});

async function* textLines(stream: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
