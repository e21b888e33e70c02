/** The systemd unit of the documents. */
import { assert, assertEquals } from "@std/assert";
import { ConfigProblem } from "../src/config/mod.ts";
import { parseConfig } from "../src/config/parse.ts";

const UNIT = await Deno.readTextFile(new URL("../docs/sluice.service", import.meta.url));

Deno.test("docs/sluice.service starts the server with options that it accepts", () => {
  const [, command = ""] = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(UNIT) ?? [];
  const [program, ...args] = command.replaceAll("\\\n", " ").split(/\s+/);
  const config = parseConfig(args, {}, () => ({ text: "user:password\n" }));
  assert(!(config instanceof ConfigProblem), String(config instanceof ConfigProblem && config.message));
  assertEquals([program, config.protection.type, config.scripts], [
    "/usr/local/bin/sluice",
    "basic",
    "process",
  ]);
  assertEquals(config.scriptUserName, "sluice");
  assertEquals(Object.values(config.scriptLimits).filter((limit) => limit === undefined), []);
});

Deno.test("docs/sluice.service lets the server create control groups and do nothing else that only root may", () => {
  const lines = UNIT.split("\n");
  for (const line of ["Delegate=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "PrivateTmp=yes"]) {
    assert(lines.includes(line), line);
  }
  const capabilities = lines.find((line) => line.startsWith("CapabilityBoundingSet="));
  assert(!/SYS_|NET_/.test(capabilities ?? "SYS_"), capabilities);
});
