/** The real process against clients that open connections and do not use them. */
import { assertEquals } from "@std/assert";
import { ServerProcess } from "../support/processes/server_process.ts";
import { withTempDir } from "../support/temp_dir.ts";

const OPEN_FILES = 300;
const IDLE_CONNECTIONS = 700;

/** Opens connections that send `text` and nothing else; one that the server closes counts, too. */
async function openIdle(port: number, text: string): Promise<Deno.TcpConn[]> {
  const connections: Deno.TcpConn[] = [];
  for (let count = 0; count < IDLE_CONNECTIONS; count++) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    connections.push(connection);
    if (text !== "") await connection.write(new TextEncoder().encode(text)).catch(() => 0);
  }
  return connections;
}

for (
  const [what, text] of [
    ["send nothing", ""],
    ["send half a head", "GET / HTTP/1.1\r\nhost: "],
  ] as const
) {
  Deno.test(`main.ts serves others while more connections than it may open files ${what}`, async () => {
    await withTempDir(async (root) => {
      await using server = await ServerProcess.start({ dataDir: root, openFiles: OPEN_FILES });
      const idle = await openIdle(Number(new URL(server.url).port), text);
      const response = await fetch(`${server.url}/api/v1/main/flows/search`);
      assertEquals([response.status, (await response.json()).total], [200, 0], server.log);
      for (const connection of idle) connection.close();
      const { code, log } = await server.kill("SIGTERM");
      assertEquals(code, 0, log);
    });
  });
}
