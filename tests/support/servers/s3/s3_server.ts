/**
 * Runs an S3 server over a folder: a program of its own with a lock file of its own, so that the package does not join the
 * project's dependencies. Its arguments are the package and the folder; it prints its port, and ends when its standard
 * input ends.
 */

/** The part of the package that is used. */
interface S3Module {
  readonly default: new (options: {
    readonly address: string;
    readonly port: number;
    readonly silent: boolean;
    readonly directory: string;
    readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
  }) => { run(): Promise<{ readonly port: number }>; close(): Promise<void> };
}

if (import.meta.main) {
  const [specifier = "", directory = ""] = Deno.args;
  const { default: Server }: S3Module = await import(specifier);
  const configureBuckets = [{ name: "demo", configs: [] }];
  const server = new Server({ address: "127.0.0.1", port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  await Deno.stdout.write(new TextEncoder().encode(`${port}\n`));
  await new Response(Deno.stdin.readable).arrayBuffer();
  await server.close();
}
