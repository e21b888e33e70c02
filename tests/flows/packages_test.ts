/** Users' flows that install Python packages, from an index of the test on the loopback interface. */
import { testUserFlows } from "./user_flow_tests.ts";

testUserFlows({
  machine: "with packages",
  groups: ["packages"],
  problem: hasInstaller() ? undefined : "neither pip nor uv on this machine",
});

function hasInstaller(): boolean {
  const args = ["-c", "python3 -m pip --version || { python3 --version && uv --version; }"];
  return new Deno.Command("/bin/sh", { args, stdout: "null", stderr: "null" }).outputSync().success;
}
