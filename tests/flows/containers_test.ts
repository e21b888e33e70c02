/** Users' flows that name images: in containers of Podman, and as processes where no container runtime is. */
import { userImagesProblem } from "../support/processes/containers.ts";
import { testUserFlows } from "./user_flow_tests.ts";

const GROUPS = ["containers"];

testUserFlows({
  machine: "with Podman",
  groups: GROUPS,
  options: { containerRuntime: "podman" },
  problem: await userImagesProblem(),
});

testUserFlows({
  machine: "with images, without a container runtime",
  groups: GROUPS,
  options: { containerRuntime: "none" },
  expectationOf: ({ scenario: { expectWithoutContainers, expect = {} } }) =>
    expectWithoutContainers ?? expect,
});
