/** An S3 server with the bucket `demo` in a folder. */

/** Exact, as in the lock file beside the program. */
const PACKAGE = "npm:s3rver@3.7.1";
const FOLDER = new URL("./s3/", import.meta.url).pathname;

/** Runs the server while its address is used. @throws Error when it cannot be run */
export async function withS3Server(directory: string, use: (url: string) => Promise<void>): Promise<void> {
  const command = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...["--quiet", "--no-prompt", "--no-config", "--frozen", `--lock=${FOLDER}s3_server.lock`],
      ...["--allow-read", "--allow-write", "--allow-env", "--allow-sys", "--allow-net=127.0.0.1"],
      ...[`${FOLDER}s3_server.ts`, PACKAGE, directory],
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
  await using child = command.spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>)
    .getReader();
  const { value: port } = await reader.read();
  if (port === undefined) {
    throw new Error(`The S3 server failed: ${await new Response(child.stderr).text()}`);
  }
  try {
    await use(`http://127.0.0.1:${port.trim()}`);
  } finally {
    await child.stdin.close();
    await Promise.all([reader.cancel(), child.stderr.cancel()]);
    await child.status;
  }
}
