/** A server that reaches the limit of its memory: it ends, and what it acknowledged is there at the next start. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

/** Megabytes of the heap. A virtual memory limit cannot be used: V8 reserves more than 20 GB of addresses at its start. */
const HEAP_MB = 48;
const INPUT_CHARS = 900_000;
/** More than fit. */
const MAX_STARTS = 400;
const WIDTH = 4;

/** Each execution keeps its input in memory while its request waits. */
const flow = (url: string) =>
  `id: eat
namespace: faults
inputs: [{id: text, type: STRING}]
tasks:
  - {id: wait, type: io.svc.plugin.core.http.Request, uri: "${url}", options: {readIdleTimeout: PT10M}}
`;

/** Starts executions until the server ends; the ids of those that were acknowledged. */
async function startUntilEnd(server: ServerProcess): Promise<string[]> {
  const ids: string[] = [];
  let hasEnded = false;
  void server.finished.then(() => hasEnded = true);
  for (let n = 0; n < MAX_STARTS && !hasEnded; n += WIDTH) {
    await Promise.all(Array.from({ length: WIDTH }, async (_, at) => {
      const body = new FormData();
      body.set("text", `${n + at} `.padEnd(INPUT_CHARS, "x"));
      const id = await server.json<{ id: string }>("POST", "/executions/faults/eat", { body })
        .then(({ id }) => id, () => undefined);
      if (id !== undefined) ids.push(id);
    }));
  }
  assert(hasEnded, `${ids.length} starts did not reach the limit`);
  return ids;
}

Deno.test("a server that runs out of memory ends, and every acknowledged start is there afterwards", async () => {
  await withTempDir(async (root) => {
    const dataDir = `${root}/data`;
    const release = Promise.withResolvers<void>();
    await using hanging = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
      await release.promise;
      return new Response("done");
    });
    let ids: string[];
    {
      const env = { DENO_V8_FLAGS: `--max-old-space-size=${HEAP_MB}` };
      await using server = await ServerProcess.start({ dataDir, env });
      const headers = { "content-type": "application/x-yaml" };
      await server.json("POST", "/flows", { headers, body: flow(`http://127.0.0.1:${hanging.addr.port}/`) });
      ids = await startUntilEnd(server);
      assertNotEquals((await server.finished).code, 0);
    }
    assert(ids.length > 0);
    await using again = await ServerProcess.start({ dataDir });
    for (const [n, id] of ids.entries()) {
      const { inputs } = await again.json<{ inputs: { text: string } }>("GET", `/executions/${id}`);
      assertEquals(inputs.text.length, INPUT_CHARS, `${n}`);
    }
    release.resolve();
  });
});
