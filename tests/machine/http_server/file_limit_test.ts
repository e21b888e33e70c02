/** How many connections the limit of open files permits. */
import { assertEquals } from "@std/assert";
import { connectionCaps, readFileLimit } from "../../../src/machine/http_server/file_limit.ts";

const CAPS: readonly (readonly [Parameters<typeof connectionCaps>, number, number])[] = [
  [[{}, 1_024], 768, 384],
  [[{}], 768, 384],
  [[{}, 256], 128, 64],
  [[{}, 64], 16, 8],
  [[{}, 1_048_576], 4_096, 2_048],
  [[{ maxConnections: 50_000 }, 1_048_576], 50_000, 25_000],
  [[{ maxConnections: 50_000 }, 4_096], 3_072, 1_536],
  [[{ maxConnections: 10 }, 1_024], 10, 5],
  [[{ maxConnections: 1 }, 1_024], 1, 1],
  [[{ maxConnectionsPerAddress: 20 }, 1_024], 768, 20],
  [[{ maxConnectionsPerAddress: 5_000 }, 1_024], 768, 768],
];
for (const [[given, openFiles], maxConnections, maxConnectionsPerAddress] of CAPS) {
  Deno.test(`connectionCaps() of ${JSON.stringify(given)} with ${openFiles ?? "unknown"} open files`, () => {
    assertEquals(connectionCaps(given, openFiles), { maxConnections, maxConnectionsPerAddress });
  });
}

Deno.test("readFileLimit() is the limit of this process", async () => {
  const { stdout } = await new Deno.Command("sh", { args: ["-c", "ulimit -n"] }).output();
  assertEquals(await readFileLimit(), Number(new TextDecoder().decode(stdout)));
});
