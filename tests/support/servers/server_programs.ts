/** Programs of Debian that listen on a port of this machine while a test runs. */

/** Whether a program is installed at that path. */
export function isInstalled(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

/** Starts a program; resolves when its port accepts connections. @throws Error it ends before, with its words */
export async function startServer(program: string, args: string[], port: number): Promise<AsyncDisposable> {
  const process = new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "piped" }).spawn();
  const errors = new Response(process.stderr).text();
  let isOver = false;
  const ended = process.status.then(() => void (isOver = true));
  while (!await accepts(port)) {
    if (isOver) throw new Error(`${program}: ${await errors}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    async [Symbol.asyncDispose]() {
      // Another server took the port: the test has met that one, and its mistake must not be hidden by this end.
      if (!isOver) process.kill("SIGTERM");
      await ended;
      await errors;
    },
  };
}

async function accepts(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}
