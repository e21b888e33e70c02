import { assertEquals } from "@std/assert";
import { Harness } from "../../../support/harness.ts";

Deno.test("GET /settings says what is removed by itself, and leaves out what is not set", async () => {
  await using server = await Harness.start({ retention: { maxAgeMs: 86_400_000 } });
  const { retention, isProtected } =
    await (await server.assembly.fetch(new Request("http://localhost/api/v1/settings"))).json();
  assertEquals([retention, isProtected], [{ maxAge: "PT24H" }, false]);
});
